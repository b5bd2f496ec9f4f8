import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createApp,
  givenKeys,
  keyCheck,
  listen,
  memoryStore,
  openLowdbStore,
  type Store,
  StoreUnavailableError,
} from '@petstore/server';
import type { Finding } from '../finding.ts';
import { node, operationsOf } from '../future/spec.ts';
import { undeclared } from '../motion/declared.ts';
import { provoke } from '../motion/provoke.ts';
import { basePath, spec } from '../root.ts';

const key = 'a-key-that-is-for-the-check';
const animal = { name: 'Rex', categoryId: 2, status: 'available' } as const;

/** A started server answers every operation with every status that is declared, and with nothing that is not. */
export async function motion(): Promise<Finding[]> {
  const found: Finding[] = [];
  const folder = mkdtempSync(join(tmpdir(), 'petstore-drift-'));
  const store = await openLowdbStore(folder);
  const running: Awaited<ReturnType<typeof start>>[] = [];
  const serving = async (served: Store) => {
    const server = await start(served);
    running.push(server);
    return server;
  };
  try {
    const { id } = await store.create(animal);
    // Its answers are made of the handlers' results, those of the first are passed on as they are kept.
    const reference = memoryStore();
    await reference.create(animal);
    const refuse = () => Promise.reject(new StoreUnavailableError('for the check'));
    const working = await serving(store);
    const plain = await serving(reference);
    const failing = await serving({ ...reference, create: refuse, get: refuse, list: refuse });
    for (const [place, operation] of operationsOf(spec)) {
      for (const status of Object.keys(node(operation.responses))) {
        const where = `${place} ${status}`;
        const finding = (what: string, says: string) =>
          found.push({
            surface: 'motion',
            where,
            what,
            spec: says,
            mend: 'the server in apps/server/src, or spec/openapi.yaml',
          });
        const attempt = provoke(place, operation, status, key, id);
        if (!attempt) {
          finding('no request is known that reaches it', 'it is declared');
          continue;
        }
        // Only a store that keeps versions can say that nothing has changed.
        const servers = attempt.failing ? [failing] : status === '304' ? [working] : [working, plain];
        for (const { base } of servers) {
          const response = await fetch(base + attempt.path, attempt.init);
          const reached =
            status === 'default'
              ? !(String(response.status) in node(operation.responses))
              : String(response.status) === status;
          if (!reached) finding(`the request made for it is answered ${response.status}`, 'it is declared');
          for (const fault of await undeclared(operation, response))
            finding(fault, 'only what is declared may be answered');
        }
      }
    }
  } finally {
    await Promise.all(running.map(({ stop }) => stop()));
    await store.close();
    rmSync(folder, { recursive: true });
  }
  return found;
}

async function start(store: Store) {
  const app = await createApp(store, { keys: keyCheck(givenKeys(key)) });
  const limits = { maxConnections: 100, headersTimeout: 5_000, requestTimeout: 5_000 };
  const listener = await listen(app, { host: '127.0.0.1', port: 0, ...limits });
  return { base: listener.origin + basePath, stop: () => listener.drain(0) };
}
