// Our app on the store in a folder, or on one in memory: `store.ts [<folder>]`.
import { createApp, keysFrom, listen, memoryStore, openLowdbStore } from '@petstore/server';
import { apiKey } from '../pets.ts';
import { host } from './shared.ts';

const [folder] = process.argv.slice(2);
const store = folder === undefined ? memoryStore() : await openLowdbStore(folder);
const app = createApp(store, { keys: keysFrom(`bench=${apiKey}`) });
const { origin } = await listen(app, { port: 0, host });
console.error(`listens on ${origin}`);
