// A disk that fails, refuses or stands still, and then works again.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeep, newFolder } from '@petstore/testing';
import { expect, onTestFinished, test } from 'vitest';
import { openLowdbStore } from '../../src/store/lowdb.ts';
import { UnavailableError, UnknownOutcomeError } from '../../src/store/store.ts';
import { SpoiledDisk, systemError } from './disk-faults.ts';
import { everything, key, open, others, parsed, things } from './fixture.ts';

/** Opens a store that does not fold by itself. */
function openUnfolded(folder: string) {
  return openLowdbStore(folder, [things, others], { fold: 1e9 });
}

/** A folder with so long a journal that a store with the limit 0 folds it at once. */
async function newLongFolder(): Promise<string> {
  const folder = newFolder();
  const store = await openUnfolded(folder);
  for (let i = 0; i < 10; i++) await store.collection('things').create({ i });
  await store.close();
  return folder;
}

const isEnd = (bytes: unknown) => Buffer.isBuffer(bytes) && bytes.toString().endsWith(' []\n');

test('after a failed sync nothing is appended to that journal: what was acknowledged moves to a new one', async () => {
  const folder = newFolder();
  const disk = await SpoiledDisk.create();
  const store = await openUnfolded(folder);
  const things = store.collection('things');
  await things.create({ text: 'before' });
  const warnings = warningsOfTest();

  disk.spoil('datasync', () => Promise.reject(systemError('EIO', 'fdatasync')));
  disk.spoil('sync', () => Promise.reject(systemError('EIO', 'fsync')));
  const journal = readFileSync(join(folder, 'journal-1.jsonl')).length;
  const create = () => store.collection('things', key('unknown')).create({ text: 'unknown' });
  await expect(create()).rejects.toThrow(UnknownOutcomeError);
  const after = readFileSync(join(folder, 'journal-1.jsonl')).length;
  expect(after).toBeGreaterThan(journal);
  // Until a new snapshot is on the disk, nothing is written, and the store is not ready.
  for (let i = 0; i < 3; i++)
    await expect(things.create({ text: 'refused' })).rejects.toThrow(UnavailableError);
  await expect(store.check()).rejects.toThrow(UnavailableError);
  expect(readFileSync(join(folder, 'journal-1.jsonl'))).toHaveLength(after);
  expect(await everything(things)).toEqual([{ key: 1, text: 'before' }]);

  disk.restore();
  await expect.poll(() => store.check().then(() => 'ready', String)).toBe('ready');
  expect((await create()).isReplayed).toBe(false);
  await things.create({ text: 'after' });
  expect(readdirSync(folder).filter((name) => name.startsWith('journal-1'))).toEqual([]);
  await store.close();
  const again = await open(folder);
  expect(await everything(again.collection('things'))).toEqual([
    { key: 1, text: 'before' },
    { key: 2, text: 'unknown' },
    { key: 3, text: 'after' },
  ]);
  await again.close();
  expect(warnings()).toEqual([
    expect.stringContaining('A sync of the journal failed.'),
    expect.stringContaining('Writes go on.'),
  ]);
});

test.runIf(isDeep)('a killed process after a failed sync has what was acknowledged', async () => {
  const folder = newFolder();
  const disk = await SpoiledDisk.create();
  const store = await openUnfolded(folder);
  await store.collection('things').create({ text: 'before' });
  warningsOfTest();
  disk.spoil('datasync', () => Promise.reject(systemError('EIO', 'fdatasync')));
  disk.spoil('sync', () => Promise.reject(systemError('EIO', 'fsync')));
  await expect(store.collection('things').create({ text: 'unknown' })).rejects.toThrow(
    UnknownOutcomeError,
  );
  // A copy of the folder is what a killed process leaves.
  const copy = newFolder();
  for (const name of readdirSync(folder))
    if (name !== 'lock') writeFileSync(join(copy, name), readFileSync(join(folder, name)));
  disk.restore();
  await store.close();
  const again = await open(copy);
  expect((await everything(again.collection('things')))[0]).toEqual({ key: 1, text: 'before' });
  await again.close();
});

test('a write that is refused while a journal is followed by a new one leaks no file, and the next one succeeds', async () => {
  const folder = await newLongFolder();
  const disk = await SpoiledDisk.create();
  const store = await openLowdbStore(folder, [things, others], { fold: 0 });
  disk.spoil('write', async (write, [bytes]) => {
    if (isEnd(bytes)) throw systemError('EDQUOT', 'write');
    return write();
  });
  const files = () => readdirSync('/proc/self/fd').length;
  const create = () => store.collection('things').create({ text: 'refused' });
  await expect(create()).rejects.toThrow(UnavailableError);
  const before = files();
  for (let i = 0; i < 50; i++) await expect(create()).rejects.toThrow(UnavailableError);
  expect(files()).toBe(before);
  disk.restore();
  expect(parsed(await create())).toEqual({ key: 11, text: 'refused' });
  await store.close();
});

/** Refuses fifty writes while a journal is followed by a new one, and lets the garbage collector close what was left open. */
const refusing = `
  import { open } from 'node:fs/promises';
  import { setTimeout as pause } from 'node:timers/promises';
  const [folder] = process.argv.slice(1);
  const { openLowdbStore } = await import('${new URL('../../src/store/lowdb.ts', import.meta.url).href}');
  const store = await openLowdbStore(folder, ${JSON.stringify([things, others])}, { fold: 0 });
  const handle = await open(process.execPath);
  const prototype = Object.getPrototypeOf(handle);
  await handle.close();
  const { write } = prototype;
  prototype.write = async function (bytes, ...rest) {
    if (bytes.toString().endsWith(' []\\n')) throw new Error('EDQUOT: quota exceeded');
    return write.call(this, bytes, ...rest);
  };
  let refused = 0;
  for (let i = 0; i < 50; i++) {
    await store.collection('things').create({}).catch(() => refused++);
    globalThis.gc();
    await pause(5);
  }
  prototype.write = write;
  await store.collection('things').create({});
  await store.close();
  console.log('alive', refused);`;

test.runIf(isDeep)(
  'refused writes do not end the process when its garbage is collected',
  async () => {
    const args = ['--expose-gc', '--input-type=module', '-e', refusing, await newLongFolder()];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: 'alive 50\n', stderr: '' });
  },
);

test.runIf(isDeep)(
  'while the disk stands still the waiting writes are bounded, and the store is not ready',
  async () => {
    const disk = await SpoiledDisk.create();
    const store = await openUnfolded(newFolder());
    const going = Promise.withResolvers<void>();
    disk.spoil('datasync', (sync) => going.promise.then(sync));
    await store.check();
    const text = 'x'.repeat(100_000);
    const creating = Array.from({ length: 1000 }, () =>
      store.collection('things').create({ text }),
    );
    const settled = Promise.allSettled(creating);
    await expect.poll(() => store.check().then(() => 'ready', String)).toMatch(/has not responded/);
    going.resolve();
    const results = await settled;
    const refused = results.filter(({ status }) => status === 'rejected');
    // A document and its text are counted: 64 MiB are some 335 of them.
    expect(results.length - refused.length).toBeGreaterThan(300);
    expect(results.length - refused.length).toBeLessThan(400);
    for (const one of refused)
      expect(one).toMatchObject({ reason: new UnavailableError('Too many requests are waiting.') });
    await store.check();
    await store.close();
  },
);

/** The warnings of the process from now on, which otherwise go to stderr. */
function warningsOfTest(): () => string[] {
  const warnings: string[] = [];
  const listen = (warning: Error) => warnings.push(warning.message);
  process.on('warning', listen);
  onTestFinished(() => {
    process.off('warning', listen);
  });
  return () => warnings;
}
