// Our server without log, on the durable store in a folder, or without storage: `ours-without-log.ts [folder]`.
import { createApp, keysFrom, listen, memoryStore, openLowdbStore, type Store } from '@petstore/server';
import { size } from '../../workload.ts';
import { apiKey } from '../loads.ts';

const [folder] = process.argv.slice(2);
let last = size;
const memory = memoryStore();
const withoutStorage: Store = {
  ...memory,
  collection: (name, key) => {
    const { replace, remove, get, list } = memory.collection(name, key);
    return {
      replace,
      remove,
      get,
      list,
      create: (document) => ({ json: JSON.stringify({ id: ++last, ...document }) }),
    };
  },
};
const store = folder === undefined ? withoutStorage : await openLowdbStore(folder);
const { origin } = await listen(createApp(store, { keys: keysFrom(apiKey) }), { host: '127.0.0.1', port: 0 });
console.error(origin);
