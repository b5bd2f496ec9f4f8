import { writeSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { decode, documentsIn } from '../../src/store/document.ts';
import { StoreUnavailableError, StoreUncertainError } from '../../src/store/errors.ts';
import { randomNumbers } from './numbers.ts';
import { isDatabase, openThings } from './store-fixture.ts';

/**
 * A process that creates, replaces and removes documents until it is killed, or does so many writes:
 * `node writers.ts <folder or database> <word> <writers> [<writes>]`. Each document belongs to one writer: those of a folder
 * to the process that has it open, those of a database to the process that created them. It prints `open` once the store is,
 * a line for each write before it begins, and one as soon as its outcome is known (see written-model.ts).
 */
const [place = '', word = '', writers = '1', writes = 'Infinity'] = process.argv.slice(2);
const store = await openThings(place);
const collection = store.collection('things');
const print = (line: string) => writeSync(1, `${line}\n`);
print('open');

const owned: number[][] = Array.from({ length: Number(writers) }, () => []);
for (let after = 0, more = !isDatabase(place); more; ) {
  const page = await collection.list({ after, limit: 1000 });
  for (const document of documentsIn(page)) {
    const id = Number(decode(document).key);
    owned[id % owned.length]?.push(id);
  }
  ({ last: after, more } = page);
}

let begun = 0;
const random = randomNumbers(word.length + process.pid);

async function write(own: number[]) {
  while (begun < Number(writes)) {
    const number = begun++;
    const properties = { text: `${word}-${number}`, color: ['red', 'blue'][number % 2], more: 'x'.repeat(random(60)) };
    const [kind, at] = [random(10), random(Math.max(1, own.length))];
    const id = own[at];
    try {
      if (kind < 5 || id === undefined) {
        print(`create ${number} ${properties.text}`);
        const created = await collection.create(properties);
        own.push(created.id);
        print(`done ${number} ${created.id}`);
      } else if (kind < 9) {
        print(`replace ${number} ${id} ${properties.text}`);
        const { outcome } = await collection.replace(id, properties);
        print(`${outcome === 'stored' ? 'done' : outcome} ${number} ${id}`);
      } else {
        print(`remove ${number} ${id}`);
        const { outcome } = await collection.remove(id);
        own.splice(at, 1);
        print(`${outcome === 'removed' ? 'done' : outcome} ${number} ${id}`);
      }
    } catch (error) {
      // A database becomes available again.
      if (!isDatabase(place) || !(error instanceof StoreUnavailableError)) throw error;
      const isUncertain = error instanceof StoreUncertainError;
      print(`${isUncertain ? 'unknown' : 'rejected'} ${number}`);
      // A document in an unknown state is not changed any more.
      if (isUncertain && id !== undefined) own.splice(at, 1);
      await pause(10);
    }
  }
}

try {
  await Promise.all(owned.map(write));
  await store.close();
} catch (error) {
  if (!(error instanceof StoreUnavailableError)) throw error;
  process.exit(3);
}
