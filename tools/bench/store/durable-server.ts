// The server without storage, or with the durable store in a folder: `durable-server.ts [folder]`.
import {
  type Collection,
  createApp,
  keyCheck,
  listen,
  memoryStore,
  openLowdbStore,
  parseKeys,
  type Store,
} from '@petstore/server';
import { apiKey } from '../http/loads.ts';
import { size } from '../workload.ts';

const [folder] = process.argv.slice(2);
let id = size;
const json = { text: '{}', encoding: 'utf8' } as const;
const create: Collection['create'] = async () => ({ outcome: 'stored', id: ++id, version: '', json });
const memory = memoryStore();
const forgetful: Store = { ...memory, collection: (name) => ({ ...memory.collection(name), create }) };
const app = await createApp(folder === undefined ? forgetful : await openLowdbStore(folder), {
  keys: keyCheck(parseKeys(apiKey)),
});
const limits = { maxConnections: 1000, headersTimeout: 10_000, requestTimeout: 30_000 };
const { origin } = await listen(app, { host: '127.0.0.1', port: 0, ...limits });
console.error(origin);
