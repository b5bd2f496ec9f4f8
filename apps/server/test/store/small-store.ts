import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { newFolder } from '@petstore/testing';
import type { Pet } from '@petstore/types';
import { Low } from 'lowdb';
import { textOf } from '../../src/store/lowdb/animal.ts';
import { openLowdbStore } from '../../src/store/lowdb/lowdb.ts';
import { Mark } from '../../src/store/lowdb/mark.ts';
import { OpenSegment } from '../../src/store/lowdb/open-segment.ts';
import { sealedSegment } from '../../src/store/lowdb/sealed-segment.ts';
import { Shelf } from '../../src/store/lowdb/shelf.ts';
import { filesIn } from './files.ts';

export const newest = 'pets/0000000000000008.jsonl';
export const mark = 'next.json';

/** The animals of the small store; the commits of its newest segment bring two, one and two. */
export const animals: Pet[] = Array.from({ length: 12 }, (_, i) => ({
  id: i + 1,
  name: ['Rex', 'Ünïcødé 猫', '', '{"crc32":1,"pets":[', 'two\nlines'][i % 5] ?? '',
  categoryId: i,
  ...(i % 3 === 0 && { status: 'sold' as const }),
}));

/** Every file of a store with each kind of segment: two sealed, one full but not sealed yet, one open. */
export async function smallStore(): Promise<Map<string, Buffer>> {
  const folder = newFolder();
  const pets = join(folder, 'pets');
  mkdirSync(pets);
  await seal(pets, 1, 3);
  await seal(pets, 4, 5);
  await commit(pets, [[6, 7]]);
  await commit(pets, [[8, 9], [10], [11, 12]]);
  await (await Mark.read(folder)).end(animals.length + 1);
  return filesIn(folder);
}

async function seal(folder: string, first: number, last: number) {
  const shelf = new Shelf(first);
  for (const pet of animals.slice(first - 1, last)) shelf.add(textOf(pet));
  await new Low(sealedSegment(join(folder, `${String(first).padStart(16, '0')}.json`), first), shelf).write();
}

async function commit(folder: string, commits: number[][]) {
  const segment = new OpenSegment(folder, commits[0]?.[0] ?? 0);
  const low = new Low<string[]>(segment, []);
  for (const ids of commits) {
    low.data = animals.filter(({ id }) => ids.includes(id)).map(textOf);
    await low.write();
  }
  await segment.close();
}

/** Puts these files, and nothing else, into the folder. */
export function lay(folder: string, files: Map<string, Buffer>) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  for (const [path, bytes] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), bytes);
  }
}

/** Opens these files as a store and answers its animals, or the error that it is refused with. */
export async function opened(folder: string, files: Map<string, Buffer>) {
  lay(folder, files);
  const warnings: string[] = [];
  try {
    const store = await openLowdbStore(folder, { onWarning: (line) => warnings.push(line) });
    const pets = await store.list({ after: 0, limit: 10_000 });
    await store.close();
    return { pets, warnings };
  } catch (error) {
    return { error, warnings };
  }
}

/** The same bytes but for one bit of the one at this place. */
export const flipped = (bytes: Buffer, at: number) => {
  const other = Buffer.from(bytes);
  other[at] = (other[at] ?? 0) ^ (1 << (at % 8));
  return other;
};
