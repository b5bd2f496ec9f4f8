import { cpSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Operation as Row } from '@petstore/types';
import { checksModule } from '../../generate/everything.ts';
import { startServer } from '../support/server.ts';

/** A call as a handler gets it. */
export interface ReceivedCall {
  id: string;
  input: Record<string, unknown>;
}

/** A copy of the server beside a generated table of operations, with handlers that record their input and return a set response. */
export interface GeneratedServer {
  origin: string;
  basePath: string;
  operations: readonly Row[];
  calls: ReceivedCall[];
  respondWith(result: unknown): void;
  /** Whether keys are accepted. */
  accept(isOn: boolean): void;
  stop(): Promise<unknown>;
}

const HANDLERS = `
export const calls = [];
const next = { result: undefined };
export const respondWith = (result) => void (next.result = result);
const called = (_, id) => async (input) => {
  calls.push({ id, input });
  return next.result;
};
export const handlers = () => new Proxy({}, { get: called });
`;

/** Starts a copy of the server with the packages that `loadClient` has written into a folder. Any of these keys is accepted. */
export async function startGeneratedServer(folder: string, keys: ReadonlySet<string>): Promise<GeneratedServer> {
  const server = join(import.meta.dirname, '../../../apps/server');
  const packageFolder = join(folder, 'apps/server');
  cpSync(join(server, 'src'), join(packageFolder, 'src'), { recursive: true });
  cpSync(join(server, 'package.json'), join(packageFolder, 'package.json'));
  writeFileSync(join(packageFolder, 'src/handlers.ts'), HANDLERS);
  writeFileSync(
    join(packageFolder, 'src/collections.ts'),
    'export const collections = {};\nexport const allCollections = [];\n',
  );
  mkdirSync(join(packageFolder, 'node_modules/@petstore'), { recursive: true });
  for (const name of readdirSync(join(server, 'node_modules'))) {
    if (name.startsWith('.') || name === '@petstore') continue;
    symlinkSync(join(server, 'node_modules', name), join(packageFolder, 'node_modules', name), 'junction');
  }
  symlinkSync(join(folder, 'packages/types'), join(packageFolder, 'node_modules/@petstore/types'), 'junction');
  symlinkSync(join(server, '../../spec'), join(packageFolder, 'node_modules/@petstore/spec'), 'junction');

  const source = join(packageFolder, 'src');
  const { operations, service } = await import(join(folder, 'packages/types/src/index.ts'));
  const { openApiDocument } = await import(join(folder, 'packages/types/src/gen/document.gen.ts'));
  writeFileSync(join(source, 'gen/checks.gen.ts'), checksModule(openApiDocument, Object.values(operations)));
  const { createApp } = await import(join(source, 'app.ts'));
  const { listen } = await import(join(source, 'http/listen.ts'));
  const { memoryStore } = await import(join(source, 'store/memory.ts'));
  const { calls, respondWith } = await import(join(source, 'handlers.ts'));
  let isOn = true;
  const options = { keys: (key: string) => (isOn && keys.has(key) ? 'tester' : undefined) };
  const { origin, stop } = await startServer(options, { createApp, listen, memoryStore });
  return {
    origin,
    basePath: service.basePath,
    operations: Object.values(operations),
    calls,
    respondWith,
    accept: (accepts) => {
      isOn = accepts;
    },
    stop,
  };
}
