import { newFolder, rounds } from '@petstore/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { StoreDamagedError } from '../../src/store/errors.ts';
import { openLowdbStore } from '../../src/store/lowdb/lowdb.ts';
import { documents, flipped, manifest, manifestOf, opened, smallStore } from './small-store.ts';
import { addMany, everything, filesIn } from './store-contents.ts';
import { things } from './store-fixture.ts';

/** The distance between two damaged bytes of a file. */
const step = rounds(17, 1);

async function expectRejection(folder: string, files: Map<string, Buffer>, what: string) {
  const { error } = await opened(folder, files);
  expect(error, what).toBeInstanceOf(StoreDamagedError);
  expect((error as StoreDamagedError).message, what).toMatch(/^\/.+\/(segments|store\.json)\S*: [^\n]+$/);
  expect(filesIn(folder), what).toEqual(files);
}

test('the small store is not damaged', async () => {
  const { documents: found, warnings } = await opened(newFolder(), await smallStore());
  expect(found).toEqual(documents);
  expect(warnings).toEqual([]);
});

test('copies and other files among the segments are ignored', async () => {
  const files = await smallStore();
  const [[path = '', bytes = Buffer.alloc(0)] = []] = [...files].filter(([name]) => name.endsWith('.jsonl'));
  files.set(path.replace('.jsonl', '-copy.jsonl'), bytes).set('segments/notes.jsonl', Buffer.alloc(0));
  expect(await opened(newFolder(), files)).toEqual({ documents, warnings: [] });
});

test(`a folder is rejected if any ${step}th byte of any file differs`, async () => {
  const folder = newFolder();
  const files = await smallStore();
  for (const [path, bytes] of files) {
    for (let at = 0; at < bytes.length; at += step) {
      await expectRejection(folder, new Map(files).set(path, flipped(bytes, at)), `${path} at ${at}`);
    }
  }
});

test(`a folder is rejected if a file is truncated at any ${step}th byte`, async () => {
  const folder = newFolder();
  const files = await smallStore();
  for (const [path, bytes] of files) {
    for (let length = 0; length < bytes.length; length += step) {
      await expectRejection(folder, new Map(files).set(path, bytes.subarray(0, length)), `${path} of ${length} bytes`);
    }
  }
});

test('a folder is rejected if any segment, or all of them, are missing', async () => {
  const folder = newFolder();
  const files = await smallStore();
  for (const path of files.keys()) {
    const others = new Map(files);
    others.delete(path);
    await expectRejection(folder, others, path);
  }
  await expectRejection(folder, new Map([...files].filter(([path]) => path === manifest)), 'all');
});

test.each([
  '',
  'null',
  '[]',
  '{}',
  'garbage\n',
  '\0\0\0\0',
  '{ "crc32":         0,"sequence":1,"records":[],"documents":[]}\n',
  '<html>',
])('a folder is rejected if any file holds %j', async (text) => {
  const folder = newFolder();
  const files = await smallStore();
  for (const path of files.keys()) await expectRejection(folder, new Map(files).set(path, Buffer.from(text)), path);
});

test('a folder is rejected if segments are swapped', async () => {
  const folder = newFolder();
  const files = await smallStore();
  const segments = [...files].filter(([path]) => path !== manifest);
  for (const [path] of segments) {
    for (const [other, otherBytes] of segments) {
      if (path !== other) await expectRejection(folder, new Map(files).set(path, otherBytes), `${other} as ${path}`);
    }
  }
});

test('a larger folder is rejected if bytes of a file are replaced, inserted or removed', async () => {
  const folder = newFolder();
  const store = await openLowdbStore(folder, [things], { maxSegment: 60_000 });
  const collection = store.collection('things');
  const added = await addMany(collection, 1500);
  for (const { id } of added.slice(0, 300)) await collection.replace(id, { text: `number ${id}` });
  await Promise.all(added.slice(200, 500).map(({ id }) => collection.remove(id)));
  const expected = await everything(collection);
  await store.close();
  const files = filesIn(folder);
  const paths = [...files.keys()];
  expect(paths.length).toBeGreaterThan(3);

  const place = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
  const piece = fc.uint8Array({ maxLength: 300 }).map((some) => Buffer.from(some));
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...paths), place, fc.nat(5000), piece, async (path, where, length, put) => {
      const bytes = files.get(path) ?? Buffer.alloc(0);
      const at = Math.floor(where * bytes.length);
      const changed = Buffer.concat([bytes.subarray(0, at), put, bytes.subarray(at + length)]);
      const these = new Map(files).set(path, changed);
      if (changed.equals(bytes)) expect(await opened(folder, these)).toEqual({ documents: expected, warnings: [] });
      else await expectRejection(folder, these, path);
    }),
    { numRuns: rounds(20, 1000) },
  );
});

test('a folder of another format is rejected, and the message names the format', async () => {
  const files = await smallStore();
  const data = JSON.parse(String(files.get(manifest)));
  const { error } = await opened(newFolder(), new Map(files).set(manifest, manifestOf({ ...data, format: 5 })));
  expect(String(error)).toContain(
    'store.json: the folder has format 5, and this version knows format 4. Nothing was changed; export it',
  );
});
