import { writeSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { type Collection, UnavailableError, UnknownOutcomeError } from '../../src/store/store.ts';
import { key, open, parsed } from './fixture.ts';

/**
 * A process that creates, replaces and removes documents until it is killed: `node writers.ts <folder or database> <word>
 * <writers>`. Each document belongs to the writer that created it. It prints a line of JSON before a write begins, and one when
 * it is acknowledged. Each write has an idempotency key. On a database a failed write is repeated; otherwise it ends the process.
 */
const [place = '', word = '', writers = '1'] = process.argv.slice(2);
const store = await open(place);
const print = (line: unknown[]) => writeSync(1, `${JSON.stringify(line)}\n`);
let begun = 0;

/** Makes one write: half of them create, four of ten replace, and one of ten removes. */
async function write(own: number[]) {
  const number = begun++;
  const text = `${word}-${number} ${'x'.repeat((number * 7919) % 97)}`;
  const id = own[(number * 31) % Math.max(1, own.length)];
  const document = { text, color: number % 2 ? 'red' : 'blue' };
  const place = number % 10;
  if (place < 5 || id === undefined) {
    print(['begin', text, 'create', 0]);
    const created = await untilDone(text, (things) => things.create(document));
    own.push(Number(parsed(created)?.key));
  } else if (place < 9) {
    print(['begin', text, 'replace', id]);
    await untilDone(text, (things) => things.replace(id, document));
  } else {
    print(['begin', text, 'remove', id]);
    own.splice(own.indexOf(id), 1);
    await untilDone(text, (things) => things.remove(id));
  }
  print(['done', text, own.at(-1)]);
}

/** Repeats a write with its key until it is acknowledged. */
async function untilDone<T>(name: string, write: (things: Collection) => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await write(store.collection('things', key(name)));
    } catch (error) {
      if (!(error instanceof UnavailableError || error instanceof UnknownOutcomeError)) throw error;
      if (!place.startsWith('postgres:')) process.exit(3);
      await pause(20);
    }
  }
}

await Promise.all(
  Array.from({ length: Number(writers) }, async () => {
    const own: number[] = [];
    for (;;) await write(own);
  }),
);
