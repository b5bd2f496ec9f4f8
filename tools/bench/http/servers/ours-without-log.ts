// Our server without log, on the durable store in a folder, or without storage: `ours-without-log.ts [folder]`.
import { type Collection, createApp, keyCheck, listen, memoryStore, openLowdbStore, parseKeys } from '@petstore/server';
import { size } from '../../workload.ts';
import { apiKey } from '../loads.ts';

const [folder] = process.argv.slice(2);
let last = size;
const create: Collection['create'] = async (properties) => {
  const id = ++last;
  const text = JSON.stringify({ id, ...properties });
  return { outcome: 'stored', id, version: '', json: { text, encoding: 'utf8' } };
};
const memory = memoryStore();
const withoutStorage = { ...memory, collection: (name: string) => ({ ...memory.collection(name), create }) };
const app = await createApp(folder === undefined ? withoutStorage : await openLowdbStore(folder), {
  keys: keyCheck(parseKeys(apiKey)),
});
const limits = { maxConnections: 1000, headersTimeout: 10_000, requestTimeout: 30_000 };
const { origin } = await listen(app, { host: '127.0.0.1', port: 0, ...limits });
console.error(origin);
