import { writeSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { UnavailableError, UnknownOutcomeError } from '../../src/store/store.ts';
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

async function write(own: number[]) {
  const number = begun++;
  const text = `${word}-${number} ${'x'.repeat((number * 7919) % 97)}`;
  const at = (number * 31) % Math.max(1, own.length);
  const id = own[at] ?? 0;
  const kind = number % 10 < 5 || id === 0 ? 'create' : number % 10 < 9 ? 'replace' : 'remove';
  print(['begin', text, kind, id]);
  for (;;) {
    try {
      const things = store.collection('things', key(text));
      const document = { text, color: number % 2 ? 'red' : 'blue' };
      if (kind === 'remove') {
        own.splice(at, 1);
        await things.remove(id);
      } else if (kind === 'replace') await things.replace(id, document);
      else own.push(Number(parsed(await things.create(document))?.key));
      return print(['done', text, own.at(-1)]);
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
