import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Check, Finding } from '../check.ts';
import { basePathOf, node, operationsOf } from '../openapi.ts';
import type { Project } from '../project.ts';
import { buildRequest } from './conformance/requests.ts';
import { undeclared } from './conformance/undeclared.ts';

type Server = typeof import('@petstore/server');
type Store = ReturnType<Server['memoryStore']>;

const key = 'a-key-that-is-for-the-check';
const pet = { name: 'Rex', categoryId: 2, status: 'available' } as const;

export const conformance: Check = {
  name: 'conformance',
  guarantee:
    'A running server can be brought to send each declared status of each operation, and sends nothing undeclared.',
  run: async (project) => {
    const server = await project.load<Server>('@petstore/server');
    const folder = mkdtempSync(join(tmpdir(), 'petstore-drift-'));
    const { memory, whileFailing } = breakable(server);
    const running: { base: string; stop(): Promise<unknown> }[] = [];
    let stored: Store | undefined;
    try {
      stored = await server.openLowdbStore(folder);
      const { id } = await stored.collection('pets').create(pet);
      await memory.collection('pets').create(pet);
      // One store passes on the JSON that it stores, the responses of the other are made of the handlers' results.
      for (const store of [stored, memory]) running.push(await start(server, store, basePathOf(project.spec)));
      const [onDisk = '', inMemory = ''] = running.map(({ base }) => base);
      const findings: Finding[] = [];
      for (const { endpoint, status, operation } of declaredIn(project)) {
        const finding = (actual: string, expected: string) =>
          findings.push({
            where: `${endpoint} ${status}`,
            actual,
            expected,
            fix: 'the server in apps/server/src, or spec/openapi.yaml',
          });
        const request = buildRequest(endpoint, operation, status, key, id);
        if (!request) {
          finding('no request is known that leads to it', 'it is declared');
          continue;
        }
        const send = async (base: string) => {
          const response = await fetch(base + request.path, request.init);
          const sent = String(response.status);
          const expected = status === 'default' ? !(sent in node(operation.responses)) : sent === status;
          if (!expected) finding(`the response to the request made for it is ${sent}`, 'it is declared');
          for (const violation of await undeclared(operation, response))
            finding(violation, 'a response has only what is declared');
        };
        if (request.needsFailingStore) await whileFailing(() => send(inMemory));
        else {
          await send(onDisk);
          // Only a store with versions can say that nothing has changed.
          if (status !== '304') await send(inMemory);
        }
      }
      return findings;
    } finally {
      await Promise.all(running.map(({ stop }) => stop()));
      await stored?.close();
      rmSync(folder, { recursive: true });
    }
  },
};

function declaredIn({ spec }: Project) {
  return [...operationsOf(spec)].flatMap(([endpoint, operation]) =>
    Object.keys(node(operation.responses)).map((status) => ({ endpoint, operation, status })),
  );
}

/** A store in memory, every method of which can be made to fail for a while. */
function breakable({ memoryStore, StoreUnavailableError }: Server) {
  let failing = false;
  const failable = <T extends object>(target: T): T =>
    new Proxy(target, {
      get: (_, name) => {
        const property = Reflect.get(target, name);
        if (typeof property !== 'function') return property;
        return (...args: unknown[]) =>
          failing ? Promise.reject(new StoreUnavailableError('for the check')) : property.apply(target, args);
      },
    });
  const store = memoryStore();
  const memory: Store = { ...failable(store), collection: (name) => failable(store.collection(name)) };
  const whileFailing = async (work: () => Promise<void>) => {
    failing = true;
    await work().finally(() => {
      failing = false;
    });
  };
  return { memory, whileFailing };
}

async function start({ createApp, givenKeys, keyCheck, listen }: Server, store: Store, basePath: string) {
  const app = await createApp(store, { keys: keyCheck(givenKeys(key)) });
  const limits = { maxConnections: 100, headersTimeout: 5_000, requestTimeout: 5_000 };
  const listener = await listen(app, { host: '127.0.0.1', port: 0, ...limits });
  return { base: listener.origin + basePath, stop: () => listener.drain(0) };
}
