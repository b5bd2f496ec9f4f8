import { writeSync } from 'node:fs';
import { decode, documentsIn } from '../../src/store/document.ts';
import { StoreUnavailableError } from '../../src/store/errors.ts';
import { openLowdbStore } from '../../src/store/lowdb/lowdb.ts';
import { randomNumbers } from './numbers.ts';
import { smallSegments, things } from './store-fixture.ts';

/**
 * A process that creates, replaces and removes documents until it is killed, or does so many writes:
 * `node writers.ts <folder> <word> <writers> [<writes>]`. Each document belongs to one writer. It prints `open` once the
 * store is, a line for each write before it begins, and one as soon as it is acknowledged (see written-model.ts).
 */
const [folder = '', word = '', writers = '1', writes = 'Infinity'] = process.argv.slice(2);
const store = await openLowdbStore(folder, [things], { onWarning: () => {}, maxSegment: smallSegments });
const collection = store.collection('things');
const print = (line: string) => writeSync(1, `${line}\n`);
print('open');

const owned: number[][] = Array.from({ length: Number(writers) }, () => []);
for (let after = 0, more = true; more; ) {
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
    const [kind, place] = [random(10), random(Math.max(1, own.length))];
    const id = own[place];
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
      own.splice(place, 1);
      print(`remove ${number} ${id}`);
      const { outcome } = await collection.remove(id);
      print(`${outcome === 'removed' ? 'done' : outcome} ${number} ${id}`);
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
