import { openLowdbStore } from '@petstore/server';

/** Opens the store in the folder it is given and prints how long that took and how much memory it has since. */
const [folder = ''] = process.argv.slice(2);
const before = resident();
const started = performance.now();
const store = await openLowdbStore(folder);
const milliseconds = performance.now() - started;
console.log(JSON.stringify({ milliseconds, bytes: resident() - before }));
await store.close();

function resident(): number {
  globalThis.gc?.();
  return process.memoryUsage.rss();
}
