import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newFolder } from '@petstore/testing';
import type { Pet } from '@petstore/types';
import { afterAll, describe, expect, test } from 'vitest';
import { StoreUnavailableError } from '../../src/store/errors.ts';
import { openLowdbStore } from '../../src/store/lowdb/lowdb.ts';
import type { Store } from '../../src/store/store.ts';
import { addMany, storeSuite } from './store-suite.ts';

describe.each([
  ['what it answers', (store: Store) => store],
  ['the texts that it keeps', asKept],
])('the lowdb store: %s', (_, seen) => {
  const all = mkdtempSync(join(tmpdir(), 'petstore-suite-'));
  afterAll(() => rmSync(all, { recursive: true, force: true }));
  let folder = '';
  storeSuite({
    open: () => {
      folder = mkdtempSync(join(all, 'data-'));
      return openLowdbStore(folder).then(seen);
    },
    again: () => openLowdbStore(folder).then(seen),
  });
});

/** A store that is read from what it keeps as JSON. Each list is asked for twice: the second time it may be remembered. */
function asKept(store: Store): Store {
  const { kept } = store;
  if (!kept) throw new Error('it keeps no JSON');
  const parsed = (text: string) => JSON.parse(Buffer.from(text, 'latin1').toString());
  return {
    ...store,
    get: async (id) => {
      const found = kept.get(id);
      expect(found && [found.count, found.last]).toEqual(found && [1, id]);
      return found && parsed(found.text);
    },
    list: async (page) => {
      const { text, count, last } = kept.list(page);
      const pets: Pet[] = parsed(text);
      expect([count, last]).toEqual([pets.length, pets.at(-1)?.id ?? 0]);
      expect(kept.list(page)).toEqual({ text, count, last });
      return pets;
    },
  };
}

test('keeps full segments as JSON and the last one as JSON Lines', async () => {
  const folder = newFolder();
  const store = await openLowdbStore(folder);
  const added = await addMany(store, 2010);
  await store.close();

  expect(readdirSync(join(folder, 'pets')).sort()).toEqual([
    '0000000000000001.json',
    '0000000000001001.json',
    '0000000000002001.jsonl',
  ]);
  const sealed = JSON.parse(readFileSync(join(folder, 'pets/0000000000001001.json'), 'utf8'));
  expect(sealed).toEqual({ first: 1001, next: 2001, crc32: expect.any(Number), pets: added.slice(1000, 2000) });
  const lines = readFileSync(join(folder, 'pets/0000000000002001.jsonl'), 'utf8').trimEnd().split('\n');
  const pets = lines.flatMap((line) => JSON.parse(line).pets);
  expect(pets).toEqual(added.slice(2000));
});

test('commits together what arrives together, and tells of it', async () => {
  const commits: number[] = [];
  const store = await openLowdbStore(newFolder(), {
    onCommit: ({ animals, milliseconds }) => {
      expect(milliseconds).toBeGreaterThan(0);
      commits.push(animals);
    },
  });
  await addMany(store, 64);
  await addMany(store, 1);
  expect(commits).toEqual([64, 1]);
  await store.close();
});

test('closes a segment early when its animals are large', async () => {
  const folder = newFolder();
  const store = await openLowdbStore(folder);
  const pet = { name: 'x'.repeat(2 ** 20), categoryId: 1, status: 'sold' } as const;
  const added = await addMany(store, 5, pet);
  await store.close();
  expect(readdirSync(join(folder, 'pets')).sort()).toEqual([
    '0000000000000001.json',
    '0000000000000003.json',
    '0000000000000005.jsonl',
  ]);
  const again = await openLowdbStore(folder);
  expect(await again.list({ after: 0, limit: 100 })).toEqual(added);
  expect(await again.list({ after: 2, limit: 100, status: 'sold' })).toEqual(added.slice(2));
  await again.close();
});

test('keeps everything that was asked for before it is closed, and refuses what comes later', async () => {
  const folder = newFolder();
  const store = await openLowdbStore(folder);
  const asked = addMany(store, 1500);
  const closed = store.close();
  await expect(store.create({ name: 'late', categoryId: 1 })).rejects.toThrow(StoreUnavailableError);
  expect(await store.ready()).toBe(false);
  await closed;
  await store.close();
  const again = await openLowdbStore(folder);
  expect(await again.list({ after: 0, limit: 5000 })).toEqual(await asked);
  await again.close();
});

test('does away with what a crash left behind, and seals what was full', async () => {
  const folder = newFolder();
  const pets = join(folder, 'pets');
  const store = await openLowdbStore(folder);
  await addMany(store, 1000);
  const lines = readFileSync(join(pets, '0000000000000001.jsonl'));
  const added = await addMany(store, 1500);
  await store.close();
  const files = readdirSync(pets).sort();

  // Killed after the renaming, before the open form was removed; and while another was being written.
  writeFileSync(join(pets, '0000000000000001.jsonl'), lines);
  writeFileSync(join(pets, '0000000000001001.json.tmp'), '{"first":1001,');
  const second = await openLowdbStore(folder);
  expect(await second.list({ after: 1000, limit: 5000 })).toEqual(added);
  await second.close();
  expect(readdirSync(pets).sort()).toEqual(files);

  // Killed before the renaming.
  writeFileSync(join(pets, '0000000000000001.jsonl'), lines);
  rmSync(join(pets, '0000000000000001.json'));
  const third = await openLowdbStore(folder);
  expect(await third.list({ after: 1000, limit: 5000 })).toEqual(added);
  expect(await third.get(1)).toMatchObject({ name: 'pet 0' });
  await third.close();
  expect(readdirSync(pets).sort()).toEqual(files);
});
