import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Low } from 'lowdb';
import { StoreDamagedError } from '../errors.ts';
import type { Mark } from './mark.ts';
import { OpenSegment, type Texts } from './open-segment.ts';
import { sealedSegment } from './sealed-segment.ts';
import type { FullSegment } from './sealing.ts';
import { firstSegment, isUnfinished, segmentFile, segmentName } from './segment-names.ts';
import { Shelf } from './shelf.ts';

/** What a folder of segments holds. */
export interface Recovered {
  /** Every segment, in order. */
  shelves: Shelf[];
  /** Those that are full but were not sealed yet. */
  full: FullSegment[];
  /** The open one, which is the last. */
  open: FullSegment;
  /** Files that a crash left behind and nobody needs. */
  leftovers: string[];
}

/** So many files are read at once. */
const together = 16;

interface Read {
  shelf: Shelf;
  /** Where it was read from, unless it is sealed. */
  segment?: OpenSegment;
}

/** Reads all segments of a folder. It changes nothing, and refuses a folder in which anything is wrong or missing. */
export async function recover(folder: string, mark: Mark): Promise<Recovered> {
  const files = await readdir(folder);
  const names = files.map(segmentName).filter((name) => name !== undefined);
  const sealed = new Set(names.filter(({ form }) => form === 'json').map(({ first }) => first));
  const firsts = [...new Set(names.map(({ first }) => first))].sort((a, b) => a - b);

  const all: Read[] = [];
  for (let start = 0; start < firsts.length; start += together) {
    const some = firsts.slice(start, start + together);
    all.push(...(await Promise.all(some.map((first) => read(folder, first, sealed.has(first))))));
  }

  let next = firstSegment.first;
  for (const { shelf, segment } of all) {
    if (shelf.first !== next) throw gap(folder, next, shelf.first);
    next = shelf.next;
    if (segment && shelf !== all.at(-1)?.shelf && segment.tail > 0) throw torn(segment);
  }
  const last = all.at(-1);
  if (!last?.segment) throw gap(folder, next);
  if (next < mark.next)
    throw new StoreDamagedError(last.segment.file, `the animals ${next} to ${mark.next - 1} are missing`);

  return {
    shelves: all.map(({ shelf }) => shelf),
    full: all.slice(0, -1).flatMap(({ shelf, segment }) => (segment ? [{ shelf, segment }] : [])),
    open: { shelf: last.shelf, segment: last.segment },
    leftovers: files.filter((file) => {
      const name = segmentName(file);
      return isUnfinished(file) || (name?.form === 'jsonl' && sealed.has(name.first));
    }),
  };
}

/** Removes what `recover` found to be left over. */
export async function clear(folder: string, { leftovers }: Recovered): Promise<void> {
  for (const file of leftovers) await rm(join(folder, file), { force: true });
}

/** Where both forms exist the sealed one counts: it was complete before it got its name. */
async function read(folder: string, first: number, isSealed: boolean): Promise<Read> {
  if (isSealed) {
    const file = join(folder, segmentFile({ first, form: 'json' }));
    const low = new Low(sealedSegment(file, first), new Shelf(first));
    await low.read();
    return { shelf: low.data };
  }
  const segment = new OpenSegment(folder, first);
  const low = new Low<Texts>(segment, []);
  await low.read();
  const shelf = new Shelf(first);
  for (const text of low.data) shelf.add(text);
  return { shelf, segment };
}

function gap(folder: string, next: number, found?: number): StoreDamagedError {
  const file = join(folder, segmentFile({ first: next, form: 'jsonl' }));
  if (found === undefined) return new StoreDamagedError(file, 'the last segment is missing');
  if (found > next) return new StoreDamagedError(file, `the animals ${next} to ${found - 1} are missing`);
  return new StoreDamagedError(file, `another segment begins with animal ${found}, which is before its end`);
}

function torn({ file, tail }: OpenSegment): StoreDamagedError {
  return new StoreDamagedError(file, `its last ${tail} bytes are damaged, though another segment follows`);
}
