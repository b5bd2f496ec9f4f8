import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { newFolder } from '@petstore/testing';
import { encodeBlock } from '../../src/store/lowdb/block.ts';
import { openLowdbStore } from '../../src/store/lowdb/lowdb.ts';
import type { Properties } from '../../src/store/store.ts';
import { everything, filesIn } from './store-contents.ts';
import { things } from './store-fixture.ts';

export const manifest = 'store.json';

/** The manifest's file with this data. */
export function manifestOf({ crc32: _, documents: __, ...data }: Record<string, unknown>): Buffer {
  return encodeBlock(data);
}

const text = ['Rex', 'Ünïcødé 猫', '', '{ "crc32":1,"sequence":[', 'two\nlines'];

/** With this cost, a segment of the small store is full with six documents, and no segments are merged. */
const maxSegment = 900;

/** The documents of the small store. The commits of its newest segment have two, one and two changes. */
export const documents: Properties[] = [
  { key: 2, text: 'replaced', color: 'blue' },
  ...Array.from({ length: 13 }, (_, i) => ({ key: i + 3, text: text[i % 5], ...(i % 3 === 0 && { color: 'red' }) })),
];

/** The files of a store with two sealed segments, and an active one. The second segment has a tombstone for a document of the first. */
export async function smallStore(): Promise<Map<string, Buffer>> {
  const folder = newFolder();
  const store = await openLowdbStore(folder, [things], { maxSegment });
  const collection = store.collection('things');
  const create = ({ key: _, ...properties }: Properties) => collection.create(properties);
  const [replaced = {}, ...others] = documents;
  await Promise.all([1, 2].map((size) => collection.create({ size })));
  for (const one of others.slice(0, 4)) await create(one);
  await collection.remove(1);
  await collection.replace(2, replaced);
  for (const one of others.slice(4, 8)) await create(one);
  await Promise.all(others.slice(8, 10).map(create));
  for (const one of others.slice(10, 11)) await create(one);
  await Promise.all(others.slice(11).map(create));
  await store.close();
  return filesIn(folder);
}

/** Replaces the content of a folder by these files. */
function replaceFiles(folder: string, files: Map<string, Buffer>) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  for (const [path, bytes] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), bytes);
  }
}

/** Opens these files as a store, and returns its documents, or the error of the opening. */
export async function opened(folder: string, files: Map<string, Buffer>) {
  replaceFiles(folder, files);
  const warnings: string[] = [];
  try {
    const store = await openLowdbStore(folder, [things], { maxSegment, onWarning: (line) => warnings.push(line) });
    const found = await everything(store.collection('things'));
    await store.close();
    return { documents: found, warnings };
  } catch (error) {
    return { error, warnings };
  }
}

/** The same bytes, except for one bit of the byte at this offset. */
export const flipped = (bytes: Buffer, at: number) => {
  const other = Buffer.from(bytes);
  other[at] = (other[at] ?? 0) ^ (1 << (at % 8));
  return other;
};
