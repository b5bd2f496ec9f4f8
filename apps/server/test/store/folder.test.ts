import {
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { newFolder, skips, unprivilegedUser } from '@petstore/testing';
import { describe, expect, test } from 'vitest';
import { createKey } from '../../src/keys/key-file.ts';
import { StoreFolderError } from '../../src/store/errors.ts';
import { openLowdbStore } from '../../src/store/lowdb/lowdb.ts';
import { addMany } from './store-contents.ts';
import { smallSegments, things } from './store-fixture.ts';

describe('symbolic links in the data folder', () => {
  test.each(['lock', 'store.json', 'segments', 'store.json.tmp'])('%s is not followed', async (name) => {
    const folder = newFolder();
    const outside = join(newFolder(), 'outside');
    if (name === 'segments') mkdirSync(outside);
    else writeFileSync(outside, 'mine');
    symlinkSync(outside, join(folder, name));
    const opened = openLowdbStore(folder, [things]);
    if (name === 'store.json.tmp') await (await opened).close();
    else await expect(opened).rejects.toThrow(StoreFolderError);
    if (['lock', 'store.json'].includes(name))
      await expect(opened).rejects.toThrow('Replace the symbolic link with its file');
    if (name === 'segments') expect(readdirSync(outside)).toEqual([]);
    else expect(readFileSync(outside, 'utf8')).toBe('mine');
  });

  test.each(['keys.lock', 'keys.json'])('%s is not followed', async (name) => {
    const folder = newFolder();
    const outside = join(newFolder(), 'outside');
    symlinkSync(outside, join(folder, name));
    const advice = 'Replace the symbolic link with its file; only the data folder itself may be a link.';
    await expect(createKey(folder)).rejects.toThrow(
      new RegExp(`${name} cannot be (locked|read) \\(ELOOP\\)\\. ${advice}$`),
    );
    expect(existsSync(outside)).toBe(false);
  });
});

const user = unprivilegedUser();
const isSkipped = skips('What root leaves in the folder of another user', user ? undefined : 'only root can make it');

test.skipIf(isSkipped)("files that root makes belong to the folder's owner", async () => {
  const parent = newFolder();
  chownSync(parent, user?.uid ?? 0, user?.gid ?? 0);
  const folder = join(parent, 'data');
  const store = await openLowdbStore(folder, [things], { maxSegment: smallSegments });
  await addMany(store.collection('things'), 200);
  await addMany(store.collection('things'), 200);
  await store.close();
  await createKey(folder);
  const names = readdirSync(parent, { recursive: true, encoding: 'utf8' });
  expect(names.length).toBeGreaterThan(5);
  for (const name of names) expect([name, lstatSync(join(parent, name)).uid]).toEqual([name, user?.uid]);
});
