import { newFolder, rounds } from '@petstore/testing';
import type { Pet } from '@petstore/types';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { StoreDamagedError } from '../../src/store/errors.ts';
import { openLowdbStore } from '../../src/store/lowdb/lowdb.ts';
import { filesIn } from './files.ts';
import { animals, flipped, mark, opened, smallStore } from './small-store.ts';
import { addMany } from './store-suite.ts';

/** Every so many bytes of a file are damaged. */
const step = rounds(17, 1);

async function refused(folder: string, files: Map<string, Buffer>, what: string) {
  const { error } = await opened(folder, files);
  expect(error, what).toBeInstanceOf(StoreDamagedError);
  expect((error as StoreDamagedError).message, what).toMatch(/^\/.+\/(pets|next\.json)\S*: [^\n]+$/);
  expect(filesIn(folder), what).toEqual(files);
}

test('the small store is whole', async () => {
  const { pets, warnings } = await opened(newFolder(), await smallStore());
  expect(pets).toEqual(animals);
  expect(warnings).toEqual([]);
});

test(`is refused when any ${step}th byte of any file is another`, async () => {
  const folder = newFolder();
  const files = await smallStore();
  for (const [path, bytes] of files) {
    for (let at = 0; at < bytes.length; at += step) {
      await refused(folder, new Map(files).set(path, flipped(bytes, at)), `${path} at ${at}`);
    }
  }
});

test(`is refused when a file ends at any ${step}th byte`, async () => {
  const folder = newFolder();
  const files = await smallStore();
  for (const [path, bytes] of files) {
    for (let length = 0; length < bytes.length; length += step) {
      await refused(folder, new Map(files).set(path, bytes.subarray(0, length)), `${path} of ${length} bytes`);
    }
  }
});

test('is refused whichever segment is missing, or all of them', async () => {
  const folder = newFolder();
  const files = await smallStore();
  for (const path of files.keys()) {
    const others = new Map(files);
    others.delete(path);
    if (path === mark) expect(await opened(folder, others)).toEqual({ pets: animals, warnings: [] });
    else await refused(folder, others, path);
  }
  await refused(folder, new Map([...files].filter(([path]) => path === mark)), 'all');
});

test.each(['', 'null', '[]', '{}', 'garbage\n', '\0\0\0\0', '{"crc32":0,"pets":[]}\n', '<html>'])(
  'is refused with any file holding %j',
  async (text) => {
    const folder = newFolder();
    const files = await smallStore();
    for (const path of files.keys()) await refused(folder, new Map(files).set(path, Buffer.from(text)), path);
  },
);

test('is refused with a segment in the place of another', async () => {
  const folder = newFolder();
  const files = await smallStore();
  const segments = [...files].filter(([path]) => path !== mark);
  for (const [path, bytes] of segments) {
    for (const [other, otherBytes] of segments) {
      if (path !== other) await refused(folder, new Map(files).set(path, otherBytes), `${other} as ${path}`);
    }
    const name = `pets/0000000000000013${path.slice(path.indexOf('.'))}`;
    await refused(folder, new Map(files).set(name, bytes), `${path} also as ${name}`);
  }
});

test('is refused whatever happens to a larger one', async () => {
  const folder = newFolder();
  const store = await openLowdbStore(folder);
  const added: Pet[] = await addMany(store, 1990);
  for (let i = 0; i < 20; i++) added.push(...(await addMany(store, 1)));
  await store.close();
  const files = filesIn(folder);
  const paths = [...files.keys()];

  const place = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
  const piece = fc.uint8Array({ maxLength: 300 }).map((some) => Buffer.from(some));
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...paths), place, fc.nat(5000), piece, async (path, where, length, put) => {
      const bytes = files.get(path) ?? Buffer.alloc(0);
      const at = Math.floor(where * bytes.length);
      const changed = Buffer.concat([bytes.subarray(0, at), put, bytes.subarray(at + length)]);
      const these = new Map(files).set(path, changed);
      if (changed.equals(bytes)) expect(await opened(folder, these)).toEqual({ pets: added, warnings: [] });
      else await refused(folder, these, path);
    }),
    { numRuns: rounds(20, 1000) },
  );
});
