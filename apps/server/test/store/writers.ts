import { writeSync } from 'node:fs';
import { StoreUnavailableError } from '../../src/store/errors.ts';
import { openLowdbStore } from '../../src/store/lowdb/lowdb.ts';

/**
 * A process that adds animals until it is killed, or as many as it is told:
 * `node writers.ts <folder> <word> <writers> [<animals>]`. It prints `open` once the store is, and `<id> <name>` for each
 * animal as soon as its create has resolved.
 */
const [folder = '', word = '', writers = '1', animals = 'Infinity'] = process.argv.slice(2);
const store = await openLowdbStore(folder, { onWarning: () => {} });
writeSync(1, 'open\n');

let begun = 0;
async function write() {
  while (begun < Number(animals)) {
    const pet = await store.create({ name: `${word}-${begun++}`, categoryId: begun % 7, status: 'available' });
    writeSync(1, `${pet.id} ${pet.name}\n`);
  }
}

try {
  await Promise.all(Array.from({ length: Number(writers) }, write));
  await store.close();
} catch (error) {
  if (!(error instanceof StoreUnavailableError)) throw error;
  process.exit(3);
}
