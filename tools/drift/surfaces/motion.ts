import { createApp, givenKeys, keyCheck, listen, memoryStore, StoreUnavailableError } from '@petstore/server';
import type { Finding } from '../finding.ts';
import { node, operationsOf } from '../future/spec.ts';
import { undeclared } from '../motion/declared.ts';
import { provoke } from '../motion/provoke.ts';
import { basePath, spec } from '../root.ts';

const key = 'a-key-that-is-for-the-check';

/** A started server answers every operation with every status that is declared, and with nothing that is not. */
export async function motion(): Promise<Finding[]> {
  const found: Finding[] = [];
  const store = memoryStore();
  const { id } = await store.create({ name: 'Rex', categoryId: 2, status: 'available' });
  const working = await start(store);
  const refuse = () => Promise.reject(new StoreUnavailableError('for the check'));
  const failing = await start({ ...store, create: refuse, get: refuse, list: refuse });
  try {
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
        const response = await fetch((attempt.failing ? failing : working).base + attempt.path, attempt.init);
        const reached =
          status === 'default'
            ? !(String(response.status) in node(operation.responses))
            : String(response.status) === status;
        if (!reached) finding(`the request made for it is answered ${response.status}`, 'it is declared');
        for (const fault of await undeclared(operation, response))
          finding(fault, 'only what is declared may be answered');
      }
    }
  } finally {
    await Promise.all([working.stop(), failing.stop()]);
  }
  return found;
}

async function start(store: ReturnType<typeof memoryStore>) {
  const app = await createApp(store, { keys: keyCheck(givenKeys(key)) });
  const limits = { maxConnections: 100, headersTimeout: 5_000, requestTimeout: 5_000 };
  const listener = await listen(app, { host: '127.0.0.1', port: 0, ...limits });
  return { base: listener.origin + basePath, stop: () => listener.drain(0) };
}
