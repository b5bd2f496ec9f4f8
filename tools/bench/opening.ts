// Opens the store in a folder, `opening.ts <folder>`, and prints what that took. It is a process of its own, because memory is measured.
import { openLowdbStore } from '@petstore/server';
import { collection } from './pets.ts';

export interface Opening {
  readonly milliseconds: number;
  /** Resident memory that the store adds. */
  readonly bytes: number;
  readonly documents: number;
}

const before = residentBytes();
const started = performance.now();
const store = await openLowdbStore(process.argv[2] ?? '');
const milliseconds = performance.now() - started;
const documents = Number(await store.nextId(collection)) - 1;
const opening: Opening = { milliseconds, bytes: residentBytes() - before, documents };
console.log(JSON.stringify(opening));
await store.close();

function residentBytes(): number {
  globalThis.gc?.();
  return process.memoryUsage.rss();
}
