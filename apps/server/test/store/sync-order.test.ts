import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder, rounds, skips } from '@petstore/testing';
import { beforeAll, describe, expect, test } from 'vitest';
import { blocksIn } from '../../src/store/lowdb/block.ts';
import { DiskModel, type Survivors } from './disk-model.ts';
import { randomNumbers, seed } from './numbers.ts';
import { openThings } from './store-fixture.ts';
import { type Call, printed, traceWriters, untraceable } from './trace.ts';
import { WrittenModel } from './written-model.ts';

const { reason, install } = untraceable();
const isSkipped = skips(
  'The order of writes, syncs and acknowledgements, and power cuts between them',
  reason,
  install,
);

/** The identifiers of the documents that a commit removes. */
function tombstonesIn(commit: string): number[] {
  const ids: number[] = [];
  for (const { records } of blocksIn(Buffer.from(commit, 'latin1'), 'jsonl'))
    while (records.next()) if (records.length === 0) ids.push(records.id);
  return ids;
}

const writes = rounds(400, 2000);
const segments = 'data/segments';
const manifest = 'data/store.json';
const leftover = `${segments}/0000000000.json`;

describe.skipIf(isSkipped)('the system calls of 16 writers', () => {
  let calls: Call[];
  /** The calls of a second process, which opens the store of the first process. */
  let later: Call[];
  beforeAll(async () => {
    let remove = () => {};
    const folder = newFolder('trace', (removeFolder) => {
      remove = removeFolder;
    });
    calls = await traceWriters(folder, 16, writes);
    writeFileSync(join(folder, leftover), '');
    later = await traceWriters(folder, 1, 1);
    return remove;
  });

  const callsTo = (name: string | RegExp, path: string | RegExp) =>
    calls.filter((call) => call.name.match(name) && call.paths.some((one) => one.match(path)));
  const at = (path: string) => new RegExp(`^${path}$`);
  /** Whether such a call begins after the call `before` has ended, and ends before the call `after` begins. */
  const between = (before: Call, name: string, path: string, after: Call) =>
    callsTo(name, at(path)).some((call) => before.end < call.start && call.end < after.start);

  /** Whether the file was opened so that each write is on disk when it returns. */
  const isDurable = (write: Call) =>
    callsTo('openat', at(write.paths[0] ?? '')).some(({ args, end }) => args.includes('O_DSYNC') && end < write.start);

  test('every write is in a segment and synced before it is acknowledged', () => {
    const lines = callsTo('pwrite64', /\.jsonl$/);
    const removals = new Set(printed(calls).map(({ line }) => /^remove (\d+)/.exec(line)?.[1]));
    const done = printed(calls).filter(({ line }) => line.startsWith('done '));
    expect(done).toHaveLength(writes);
    const late = done.filter(({ line, call }) => {
      const [, number = '', id] = line.split(' ');
      const isRemoval = removals.has(number);
      const isInside = (text: string) =>
        isRemoval ? tombstonesIn(text).includes(Number(id)) : text.includes(`"traced-${number}"`);
      return !lines.some((one) => one.end < call.start && isInside(one.text) && isDurable(one));
    });
    expect(late).toEqual([]);
  });

  test('the folder is synced after a segment is made and before anything is written to it', () => {
    const made = callsTo('openat', /\.jsonl$/).filter(({ args }) => args.includes('O_CREAT|O_EXCL'));
    expect(made.length).toBeGreaterThan(3);
    for (const call of made) {
      const [written] = callsTo('pwrite64', at(call.paths[0] ?? ''));
      if (written) expect(between(call, '^fsync$', segments, written), call.paths[0]).toBe(true);
    }
  });

  test('a sealed segment is synced under its name before the manifest names it', () => {
    const manifests = callsTo('write', at(`${manifest}.tmp`));
    const named = new Map<number, Call>();
    for (const call of manifests)
      for (const number of JSON.parse(call.text).sealed as number[]) if (!named.has(number)) named.set(number, call);
    expect(named.size).toBeGreaterThan(3);
    for (const [number, call] of named) {
      const file = `${segments}/${String(number).padStart(10, '0')}.json`;
      const [written] = callsTo('write', at(`${file}.tmp`));
      const [renamed] = callsTo('rename', at(file));
      if (!written || !renamed) throw new Error(`${file} was not sealed`);
      expect(between(written, '^fsync$', `${file}.tmp`, renamed)).toBe(true);
      expect(between(renamed, '^fsync$', segments, call)).toBe(true);
    }
  });

  test('a merged segment is removed after the manifest without it is synced under its name', () => {
    const removed = callsTo('unlink', /segments\/\d+\.jsonl?$/);
    expect(removed.length).toBeGreaterThan(3);
    for (const call of removed) {
      const renamed = callsTo('rename', at(manifest))
        .filter(({ end }) => end < call.start)
        .at(-1);
      expect(renamed && between(renamed, '^fsync$', 'data', call), call.paths[0]).toBe(true);
    }
  });

  test('every folder is synced in its parent before the first write is acknowledged', () => {
    const done = printed(calls).find(({ line }) => line.startsWith('done '))?.call;
    const [data] = callsTo('mkdir', /^data$/);
    const [made] = callsTo('mkdir', at(segments));
    const [file] = callsTo('openat', at(`${segments}/0000000001.jsonl`));
    const [renamed] = callsTo('rename', at(manifest));
    if (!done || !data || !made || !file || !renamed) throw new Error('the store was not made as expected');
    expect(between(data, '^fsync$', '', done)).toBe(true);
    expect(between(file, '^fsync$', segments, renamed)).toBe(true);
    expect(between(made, '^fsync$', 'data', renamed)).toBe(true);
    expect(between(renamed, '^fsync$', 'data', done)).toBe(true);
  });

  test('recovered data is synced before it is visible', () => {
    const opened = later.find(({ name, text }) => name === 'write' && text === 'open\n');
    const before = later.filter(({ end }) => opened && end < opened.start);
    const synced = before.filter(({ name }) => name.endsWith('sync')).flatMap(({ paths }) => paths);
    expect(synced).toEqual(expect.arrayContaining(['data', segments, expect.stringMatching(/\.jsonl$/)]));
  });

  test('a segment that a killed process left is removed after the recovered manifest is synced', () => {
    const removed = later.findIndex(({ name, paths }) => name === 'unlink' && paths.includes(leftover));
    const before = later.slice(0, Math.max(0, removed));
    expect(before.some(({ name, paths }) => name === 'fsync' && paths.includes('data'))).toBe(true);
  });

  test('a power cut at any system call loses no acknowledged write, whatever unsynced data is lost', async () => {
    const random = randomNumbers(seed());
    const selections: Survivors[] = [
      () => [],
      (changes) => changes.filter(() => random(2) === 0),
      ...rounds<Survivors[]>([], [(changes) => changes, (changes) => changes.slice(0, random(changes.length + 1))]),
    ];
    const lines = printed(calls);
    const disk = new DiskModel();
    const left = join(newFolder(), 'left');
    let [followed, moments, learnt] = [0, 0, 0];
    const model = new WrittenModel();
    for (const call of calls) {
      if (call.paths.length === 0) continue;
      disk.follow(call);
      if (++followed % rounds(7, 2) !== 0) continue;
      moments++;
      // What is printed while the call runs may have been acknowledged before the power is cut.
      const until = lines.findIndex(({ call: { start } }) => start > call.end);
      const known = until < 0 ? lines.length : until;
      model.learn(lines.slice(learnt, known).map(({ line }) => line));
      learnt = known;
      for (const survivors of selections) {
        rmSync(left, { recursive: true, force: true });
        disk.writeAfterPowerCut(left, survivors);
        const store = await openThings(join(left, 'data'));
        await model.check(store);
        await store.close();
      }
    }
    console.log(`the power was cut at ${moments} moments, with ${selections.length} outcomes each`);
    expect(moments).toBeGreaterThan(15);
  });
});
