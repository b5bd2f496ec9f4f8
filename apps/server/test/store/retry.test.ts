import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder } from '@petstore/testing';
import { expect, test } from 'vitest';
import { StoreUnavailableError } from '../../src/store/errors.ts';
import { openLowdbStore } from '../../src/store/lowdb/lowdb.ts';
import type { Collection } from '../../src/store/store.ts';
import { everything } from './store-contents.ts';
import { things } from './store-fixture.ts';

const maxSegment = 2000;

async function openWithWarnings() {
  const folder = newFolder();
  const warnings: string[] = [];
  const store = await openLowdbStore(folder, [things], { maxSegment, onWarning: (line) => warnings.push(line) });
  const segments = (form: string) => readdirSync(join(folder, 'segments')).filter((name) => name.endsWith(form));
  return { folder, store, collection: store.collection('things'), warnings, segments };
}

/** Creates documents, one after the other, until one is rejected; returns the error. */
async function createUntilRejected(collection: Collection, max: number): Promise<unknown> {
  for (let i = 0; i < max; i++) {
    const error = await collection.create({ size: i }).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    if (error) return error;
  }
  return undefined;
}

test('while the manifest cannot be written, replaced files are bounded, one warning is logged; then the store recovers', async () => {
  const { folder, store, collection, warnings, segments } = await openWithWarnings();
  mkdirSync(join(folder, 'store.json.tmp'));
  expect(await createUntilRejected(collection, 1000)).toBeInstanceOf(StoreUnavailableError);
  for (let i = 0; i < 20; i++) await expect(collection.create({})).rejects.toThrow(/cannot be sealed now/);
  expect(store.hasFailed()).toBe(false);
  // One unsealed segment is replaced by the sealed one, the other is full.
  expect([segments('.jsonl').length, segments('.json').length]).toEqual([2, 1]);
  const isAboutSegments = (line: string) => line.startsWith('Segments cannot be sealed or merged now');
  expect(warnings.filter(isAboutSegments)).toHaveLength(1);
  const before = await everything(collection);

  rmSync(join(folder, 'store.json.tmp'), { recursive: true });
  const { id } = await collection.create({});
  expect(await everything(collection)).toEqual([...before, { key: id }]);
  await store.close();
});

test('a segment that could not be sealed is sealed without a further write', async () => {
  const { folder, store, collection, warnings, segments } = await openWithWarnings();
  // Folders in the places of the files that sealing writes.
  const obstacles = [2, 3].map((number) => join(folder, `segments/000000000${number}.json.tmp`));
  for (const path of obstacles) mkdirSync(path);
  while (warnings.length === 0) await collection.create({});
  expect(warnings).toEqual([expect.stringMatching(/^Segments cannot be sealed or merged now .*; retrying\.$/)]);
  for (const path of obstacles) rmSync(path, { recursive: true });
  await expect.poll(() => segments('.jsonl').length, { timeout: 20_000 }).toBe(1);
  expect(segments('.json').length).toBeGreaterThan(0);
  await store.close();
});
