import { dirname } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { newFolder } from './folder.ts';
import { acknowledgements, type Call, traceWriters, untraceable } from './trace.ts';

const reason = untraceable();
if (reason) console.error(`SKIPPED: the order of writing, syncing and acknowledging is not proved: ${reason}.`);

const animals = 2100;

describe.skipIf(reason)('what the system is asked to do, and when', { timeout: 60_000 }, () => {
  let calls: Call[];
  /** The same of a second process, which finds the store of the first. */
  let later: Call[];
  beforeAll(() => {
    let clean = () => {};
    const folder = newFolder((given) => {
      clean = given;
    });
    calls = traceWriters(folder, 16, animals);
    later = traceWriters(folder, 1, 1);
    return clean;
  }, 60_000);

  const those = (name: string | RegExp, path: string) =>
    calls.filter((call) => call.name.match(name) && call.paths.includes(path));
  /** There is a call of this kind that begins after the one and is over before the other. */
  const between = (before: Call, name: string, path: string, after: Call) =>
    those(name, path).some((call) => before.end < call.start && call.end < after.start);

  test('every animal is written and synced before it is acknowledged', () => {
    const told = acknowledgements(calls);
    expect(told.size).toBe(animals);
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
    for (const first of [1001, 2001]) {
      const file = `data/pets/${String(first).padStart(16, '0')}.jsonl`;
      const [made] = those('openat', file);
      const answer = told.get(first);
      expect(made?.given).toContain('O_CREAT|O_EXCL');
      expect(made && answer && between(made, '^fsync$', dirname(file), answer), file).toBe(true);
    }
  });

  test('a segment is sealed by writing, syncing and renaming, and the open form goes after the folder is synced', () => {
    for (const first of [1, 1001]) {
      const sealed = `data/pets/${String(first).padStart(16, '0')}.json`;
      const written = those('pwrite64', `${sealed}.tmp`);
      const [renamed] = those('rename', sealed);
      const [removed] = those('unlink', `${sealed}l`);
      expect(written.length).toBeGreaterThan(0);
      if (!renamed || !removed) throw new Error(`${sealed} was not sealed`);
      for (const part of written) expect(between(part, '^fsync$', `${sealed}.tmp`, renamed)).toBe(true);
      expect(between(renamed, '^fsync$', 'data/pets', removed)).toBe(true);
    }
  });

  test('a segment is sealed only when the folder knows the next one for good', () => {
    for (const first of [1, 1001]) {
      const [made] = those('openat', `data/pets/${String(first + 1000).padStart(16, '0')}.jsonl`);
      const [renamed] = those('rename', `data/pets/${String(first).padStart(16, '0')}.json`);
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
    expect(synced).toEqual(expect.arrayContaining(['data', 'data/pets', 'data/pets/0000000000002001.jsonl']));
  });
});
