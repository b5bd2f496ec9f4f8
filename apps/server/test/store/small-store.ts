import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { newFolder } from '@petstore/testing';
import { openLowdbStore } from '../../src/store/lowdb/lowdb.ts';
import type { Properties } from '../../src/store/store.ts';
import { filesIn } from './files.ts';
import { things } from './store-fixture.ts';
import { everything } from './store-suite.ts';

export const manifest = 'store.json';

const text = ['Rex', 'Ünïcødé 猫', '', '{ "crc32":1,"sequence":[', 'two\nlines'];

/** The documents of the small store; the commits of its newest segment bring two, one and two changes. */
export const documents: Properties[] = [
  { key: 2, text: 'replaced', color: 'blue' },
  ...Array.from({ length: 9 }, (_, i) => ({ key: i + 4, text: text[i % 5], ...(i % 3 === 0 && { color: 'red' }) })),
];

/**
 * Every file of a store with each kind of segment: a merged one with a tombstone that hides something in another sealed
 * one, and the active one. Its documents 1 and 3 were removed.
 */
export async function smallStore(): Promise<Map<string, Buffer>> {
  const folder = newFolder();
  const open = () => openLowdbStore(folder, [things], { maxSegment: { records: 4, bytes: 2 ** 20 } });
  const write = async (work: (collection: Awaited<ReturnType<typeof open>>) => Promise<unknown>) => {
    const store = await open();
    await work(store);
    await store.close();
  };
  await write(async (store) => {
    const collection = store.collection('things');
    await Promise.all([1, 2, 3].map((size) => collection.create({ size })));
    await collection.create({ text: text[0], color: 'red' });
    await collection.remove(1);
    await collection.replace(2, { text: 'replaced', color: 'blue' });
    await collection.remove(3);
    const create = ({ key: _, ...properties }: Properties) => collection.create(properties);
    for (const one of documents.slice(2, 5)) await create(one);
    await Promise.all(documents.slice(5, 7).map(create));
    await create(documents[7] as Properties);
    await Promise.all(documents.slice(8).map(create));
  });
  return filesIn(folder);
}

/** Puts these files, and no others, into the folder. */
export function lay(folder: string, files: Map<string, Buffer>) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  for (const [path, bytes] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), bytes);
  }
}

/** Opens these files as a store and returns its documents, or the error that it is rejected with. */
export async function opened(folder: string, files: Map<string, Buffer>) {
  lay(folder, files);
  const warnings: string[] = [];
  try {
    const store = await openLowdbStore(folder, [things], { onWarning: (line) => warnings.push(line) });
    const found = await everything(store.collection('things'));
    await store.close();
    return { documents: found, warnings };
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
