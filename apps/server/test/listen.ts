import { type AppOptions, createApp } from '../src/app.ts';
import { allCollections } from '../src/collections.ts';
import { type ListenOptions, listen as listenFor } from '../src/http/listen.ts';
import { keyCheck, parseKeys } from '../src/keys.ts';
import { basePath } from '../src/spec.ts';
import { memoryStore } from '../src/store/memory.ts';
import type { Store } from '../src/store/store.ts';

export interface Listening {
  origin: string;
  baseUrl: string;
  apiKey: string;
  drain(timeoutMs: number): Promise<number>;
  close(): Promise<unknown>;
}

/** What holds for the server as it is shipped, and by way of Express alone with every answer checked against the spec. */
export const ways = [
  ['as shipped', { validateResponses: false }],
  ['with its answers checked', { validateResponses: true }],
] as const;

/** Time that no test uses up, however busy the machine is. */
const generous = { headersTimeout: 30_000, requestTimeout: 30_000 };

/** For tests about clients that are slow. Their requests arrive in one piece or never in whole. */
export const impatient = { headersTimeout: 200, requestTimeout: 200 };

/** A server on a port of its own, with every answer checked against the spec; over an empty store, unless told otherwise. */
export async function listen(
  options: Partial<AppOptions & ListenOptions> = {},
  store: Store = memoryStore(allCollections),
): Promise<Listening> {
  const apiKey = 'a-key-that-is-for-tests';
  const app = await createApp(store, { keys: keyCheck(parseKeys(apiKey)), validateResponses: true, ...options });
  const { origin, drain } = await listenFor(app, {
    host: '127.0.0.1',
    port: 0,
    maxConnections: 1000,
    ...generous,
    ...options,
  });
  return { origin, baseUrl: origin + basePath, apiKey, drain, close: () => drain(0) };
}
