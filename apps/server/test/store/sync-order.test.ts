import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { newFolder, rounds, skips } from '@petstore/testing';
import { beforeAll, describe, expect, test } from 'vitest';
import { openLowdbStore } from '../../src/store/lowdb/lowdb.ts';
import { expectKept } from './child.ts';
import { DiskModel, type Luck } from './disk-model.ts';
import { randomNumbers, seed } from './numbers.ts';
import { acknowledgements, type Call, traceWriters, untraceable } from './trace.ts';

const { reason, install } = untraceable();
const isSkipped = skips('The order of writing, syncing and acknowledging, and power cuts in between', reason, install);

const pets = rounds(1100, 2100);
/** The first identifiers of the segments of that many pets; all but the last are sealed. */
const segments = Array.from({ length: Math.ceil(pets / 1000) }, (_, i) => i * 1000 + 1);
const sealed = segments.slice(0, -1);
const fileOf = (first: number) => `data/pets/${String(first).padStart(16, '0')}.jsonl`;

describe.skipIf(isSkipped)('the system calls of 64 writers', () => {
  let calls: Call[];
  /** Those of a second process, which finds the store of the first. */
  let later: Call[];
  beforeAll(async () => {
    let remove = () => {};
    const folder = newFolder('trace', (given) => {
      remove = given;
    });
    calls = await traceWriters(folder, 64, pets);
    later = await traceWriters(folder, 1, 1);
    return remove;
  });

  const those = (name: string | RegExp, path: string) =>
    calls.filter((call) => call.name.match(name) && call.paths.includes(path));
  /** There is a call of this kind that begins after the one and is over before the other. */
  const between = (before: Call, name: string, path: string, after: Call) =>
    those(name, path).some((call) => before.end < call.start && call.end < after.start);

  test('every animal is written and synced before it is acknowledged', () => {
    const told = acknowledgements(calls);
    expect(told.size).toBe(pets);
    const lines = calls.filter((call) => call.name === 'pwrite64' && call.paths[0]?.endsWith('.jsonl'));
    const written = new Map(
      lines.flatMap((call) => [...call.text.matchAll(/"id":(\d+)/g)].map(([, id]) => [Number(id), call] as const)),
    );
    const early = [...told].filter(([id, answer]) => {
      const line = written.get(id);
      return !line || !between(line, 'fdatasync', line.paths[0] ?? '', answer);
    });
    expect(early).toEqual([]);
  });

  test('the folder is synced after a segment is made and before an animal in it is acknowledged', () => {
    const told = acknowledgements(calls);
    for (const first of segments.slice(1)) {
      const file = fileOf(first);
      const [made] = those('openat', file);
      const answer = told.get(first);
      expect(made?.given).toContain('O_CREAT|O_EXCL');
      expect(made && answer && between(made, '^fsync$', dirname(file), answer), file).toBe(true);
    }
  });

  test('a segment is sealed by writing, syncing and renaming, and the open form goes after the folder is synced', () => {
    for (const first of sealed) {
      const file = fileOf(first).slice(0, -1);
      const written = those('pwrite64', `${file}.tmp`);
      const [renamed] = those('rename', file);
      const [removed] = those('unlink', `${file}l`);
      expect(written.length).toBeGreaterThan(0);
      if (!renamed || !removed) throw new Error(`${file} was not sealed`);
      for (const part of written) expect(between(part, '^fsync$', `${file}.tmp`, renamed)).toBe(true);
      expect(between(renamed, '^fsync$', 'data/pets', removed)).toBe(true);
    }
  });

  test('a segment is sealed only when the folder knows the next one for good', () => {
    for (const first of sealed) {
      const [made] = those('openat', fileOf(first + 1000));
      const [renamed] = those('rename', fileOf(first).slice(0, -1));
      expect(made && renamed && between(made, '^fsync$', 'data/pets', renamed)).toBe(true);
    }
  });

  test('every folder is synced in the one above before the first animal is acknowledged', () => {
    const answer = acknowledgements(calls).get(1);
    const [data] = those('mkdir', 'data');
    const [pets] = those('rename', 'data/pets');
    const [file] = those('openat', 'data/pets.tmp/0000000000000001.jsonl');
    if (!answer || !data || !pets || !file) throw new Error('the store was not made as expected');
    expect(between(data, '^fsync$', '', answer)).toBe(true);
    expect(between(file, '^fsync$', 'data/pets.tmp', pets)).toBe(true);
    expect(between(pets, '^fsync$', 'data', answer)).toBe(true);
  });

  test('what the last process was killed over is synced before anyone is shown it', () => {
    const opened = later.find(({ name, text }) => name === 'write' && text === 'open\n');
    const before = later.filter(({ end }) => opened && end < opened.start);
    const synced = before.filter(({ name }) => name.endsWith('sync')).flatMap(({ paths }) => paths);
    expect(synced).toEqual(expect.arrayContaining(['data', 'data/pets', fileOf(segments.at(-1) ?? 0)]));
  });

  test('nothing is lost, whenever the power is cut and whatever was not synced is lost', async () => {
    const told = acknowledgements(calls);
    const random = randomNumbers(seed());
    const lucks: Luck[] = [
      () => [],
      (changes) => changes.filter(() => random(2) === 0),
      ...rounds<Luck[]>([], [(changes) => changes, (changes) => changes.slice(0, random(changes.length + 1))]),
    ];
    const disk = new DiskModel();
    const left = join(newFolder(), 'left');
    let [followed, moments] = [0, 0];
    for (const call of calls) {
      if (call.paths.length === 0) continue;
      disk.follow(call);
      if (++followed % rounds(3, 1) !== 0) continue;
      moments++;
      const known = new Map(
        [...told].filter(([, { start }]) => start <= call.end).map(([id, { text }]) => [id, nameIn(text)]),
      );
      for (const luck of lucks) {
        rmSync(left, { recursive: true, force: true });
        disk.left(left, luck);
        const store = await openLowdbStore(join(left, 'data'), { onWarning: () => {} });
        await expectKept(store, new Map(known));
        await store.close();
      }
    }
    console.log(`the power was cut at ${moments} moments, with ${lucks.length} outcomes each`);
    expect(moments).toBeGreaterThan(15);
  });
});

function nameIn(acknowledgement: string): string {
  return acknowledgement.trimEnd().split(' ')[1] ?? '';
}
