import { cpSync, existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder, rounds } from '@petstore/testing';
import { expect, test } from 'vitest';
import { allCollections } from '../../src/collections.ts';
import { StoreDamagedError } from '../../src/store/errors.ts';
import { openLowdbStore } from '../../src/store/lowdb/lowdb.ts';
import { flipped, replaceFiles } from './small-store.ts';
import { everything, filesIn } from './store-contents.ts';

/** Written by the last version that had the first format: two sealed segments, one full one, and one that grows. */
const fixture = join(import.meta.dirname, 'format-1');
const names = ['Rex', 'Ünïcødé 猫', '', '{"crc32":1,"pets":[', 'two\nlines'];
const pets = Array.from({ length: 12 }, (_, i) => ({
  id: i + 1,
  name: names[i % 5],
  categoryId: i,
  ...(i % 3 === 0 && { status: 'sold' }),
}));

/** Opens a folder, returns its content, and adds a pet. */
async function opened(folder: string) {
  const warnings: string[] = [];
  const store = await openLowdbStore(folder, allCollections, { onWarning: (line) => warnings.push(line) });
  const found = await everything(store.collection('pets'));
  const sold = await store
    .collection('pets')
    .list({ after: 0, limit: 100, filter: { property: 'status', value: 'sold' } });
  const { id } = await store.collection('pets').create({ name: 'next', categoryId: 1 });
  await store.close();
  return { found, sold: sold.count, id, warnings };
}

test('a folder of format 1 is migrated once, and its files are moved aside', async () => {
  const folder = newFolder();
  cpSync(fixture, folder, { recursive: true });
  const first = await opened(folder);
  expect(first).toEqual({
    found: pets,
    sold: 4,
    id: 13,
    warnings: [expect.stringMatching(/pets\.format-1: .*may be removed/)],
  });
  // Without `pets`, the previous version rejects a folder if it has next.json; otherwise it would start with an empty store.
  expect([existsSync(join(folder, 'pets')), existsSync(join(folder, 'next.json'))]).toEqual([false, true]);
  const second = await opened(folder);
  expect(second).toEqual({ found: [...pets, { id: 13, name: 'next', categoryId: 1 }], sold: 4, id: 14, warnings: [] });
});

test('a crash at any step of the migration loses nothing', async () => {
  const folder = newFolder();
  cpSync(fixture, folder, { recursive: true });
  await openLowdbStore(folder, allCollections, { onWarning: () => {} }).then((store) => store.close());
  const files = filesIn(folder);
  const old = [...filesIn(fixture)];
  const only = (...wanted: RegExp[]) => [...files].filter(([path]) => wanted.some((one) => one.test(path)));
  for (const [step, state] of [
    ['before the manifest', [...old, ...only(/^segments/)]],
    ['while segments are written', [...old, ['segments/0000000001.json.tmp', Buffer.from('{"crc')] as const]],
    ['before the old files are put aside', [...old, ...only(/^segments/, /^store/)]],
  ] as const) {
    replaceFiles(folder, new Map(state));
    expect((await opened(folder)).found, step).toEqual(pets);
  }
});

test('a damaged folder of format 1 is rejected, and not changed', async () => {
  const folder = newFolder();
  const files = filesIn(fixture);
  for (const [path, bytes] of files) {
    for (let at = 0; at < bytes.length; at += rounds(23, 1)) {
      const damaged = new Map(files).set(path, flipped(bytes, at));
      replaceFiles(folder, damaged);
      await expect(openLowdbStore(folder, allCollections), `${path} at ${at}`).rejects.toThrow(StoreDamagedError);
      const left = filesIn(folder);
      for (const [one, was] of damaged) expect(left.get(one), one).toEqual(was);
    }
  }
  replaceFiles(folder, files);
  rmSync(join(folder, 'pets'), { recursive: true });
  await expect(openLowdbStore(folder, allCollections)).rejects.toThrow(/pets: the folder is missing/);
});

test('an unfinished commit at the end of format 1 is reported, not migrated', async () => {
  const folder = newFolder();
  cpSync(fixture, folder, { recursive: true });
  const path = join(folder, 'pets/0000000000000008.jsonl');
  writeFileSync(path, '{"crc32":12,"pets":[{"id":13', { flag: 'a' });
  const { found, warnings } = await opened(folder);
  expect(found).toEqual(pets);
  expect(warnings).toEqual([
    expect.stringMatching(/0008\.jsonl: its last 28 bytes are an unfinished commit/),
    expect.any(String),
  ]);
});
