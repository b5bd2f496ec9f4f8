import { newFolder, rounds } from '@petstore/testing';
import { expect, test } from 'vitest';
import { StoreDamagedError } from '../../src/store/errors.ts';
import { openLowdbStore } from '../../src/store/lowdb/lowdb.ts';
import {
  documents,
  flipped,
  manifest,
  manifestOf,
  maxSegment,
  opened,
  replaceFiles,
  smallStore,
} from './small-store.ts';
import { everything, filesIn } from './store-contents.ts';
import { things } from './store-fixture.ts';

/** The distance between two damaged bytes of the file. */
const step = rounds(25, 1);

/**
 * The store crashed before its high-water mark was written. A damaged last commit then looks like an unfinished one, so it may be
 * set aside. No other commit may.
 */
test('a changed byte of the last commit is an error, or the commit is set aside with a warning', async () => {
  const folder = newFolder();
  const files = await smallStore();
  const newest = [...files.keys()].filter((path) => path.endsWith('.jsonl')).at(-1) ?? '';
  const data = JSON.parse(String(files.get(manifest)));
  files.set(manifest, manifestOf({ ...data, sequence: data.unsealed.sequence - 1 }));
  const bytes = files.get(newest) ?? Buffer.alloc(0);
  const lastCommit = bytes.lastIndexOf('\n', bytes.length - 2) + 1;
  let unfinished = 0;
  // Writing to every damaged store would take too long.
  const setAsideSome = async (files: Map<string, Buffer>, tail: Buffer) => {
    if (unfinished++ % 7 === 0) await setAside(folder, files, tail);
  };
  for (const changed of damaged(bytes)) {
    const these = new Map(files).set(newest, changed);
    const { documents: found, error, warnings } = await opened(folder, these);
    if (found) expect(found).toEqual(documents.slice(0, found.length));
    if (error) {
      expect(error).toBeInstanceOf(StoreDamagedError);
      expect(filesIn(folder)).toEqual(these);
    } else if (changed.length > 0 && changed.at(-1) !== 0x0a) {
      await setAsideSome(these, changed.subarray(changed.lastIndexOf('\n') + 1));
    } else if (changed.length === bytes.length) {
      expect(found).toHaveLength(documents.length - 2);
      expect(warnings).toEqual([expect.stringMatching(/\d\.jsonl: its last \d+ bytes are an unfinished commit/)]);
      await setAsideSome(these, changed.subarray(lastCommit));
    }
  }
  expect(unfinished).toBeGreaterThan((bytes.length - lastCommit) / step);
});

function* damaged(bytes: Buffer) {
  for (let at = 0; at < bytes.length; at += step) {
    yield flipped(bytes, at);
    yield bytes.subarray(0, at);
    yield Buffer.concat([bytes.subarray(0, at), Buffer.alloc(bytes.length - at)]);
  }
}

/** Checks that the next write replaces the tail, and that another file has the tail. */
async function setAside(folder: string, files: Map<string, Buffer>, tail: Buffer) {
  replaceFiles(folder, files);
  const store = await openLowdbStore(folder, [things], { maxSegment, onWarning: () => {} });
  const before = await everything(store.collection('things'));
  expect(before).toEqual(documents.slice(0, before.length));
  const { id } = await store.collection('things').create({ text: 'next' });
  await store.close();
  const again = await openLowdbStore(folder, [things]);
  expect(await everything(again.collection('things'))).toEqual([...before, { key: id, text: 'next' }]);
  await again.close();
  const aside = [...filesIn(folder)].filter(([path]) => path.includes('.cut-'));
  expect(aside.map(([, bytes]) => bytes)).toEqual([tail]);
}
