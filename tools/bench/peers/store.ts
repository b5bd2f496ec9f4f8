// Our app on the store in a folder, or on one in memory: `store.ts [memory]`.
import { createApp, keysFrom, listen, memoryStore, openLowdbStore } from '@petstore/server';
import { apiKey } from '../workload.ts';
import { folder, host } from './shared.ts';

const isInMemory = process.argv.includes('memory');
const store = isInMemory ? memoryStore() : await openLowdbStore(folder);
const app = createApp(store, { keys: keysFrom(`bench=${apiKey}`) });
const { origin } = await listen(app, { port: 0, host });
console.error(`listens on ${origin}`);
