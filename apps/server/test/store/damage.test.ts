// Damaged files: what can be noticed is refused in one line, and nothing is changed.
import { execFile } from 'node:child_process';
import {
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { makeFolder, newFolder, rounds } from '@petstore/testing';
import { beforeAll, describe, expect, test } from 'vitest';
import { openLowdbStore } from '../../src/store/lowdb.ts';
import { StoreError } from '../../src/store/store.ts';
import { type Document, everything, key, open, parsed, things } from './fixture.ts';

type Files = Map<string, Buffer>;

/** The files of a folder but the lock, which is empty. */
function filesIn(folder: string): Files {
  const names = readdirSync(folder).filter((name) => name !== 'lock');
  return new Map(names.map((name) => [name, readFileSync(join(folder, name))]));
}

/** `/data/journal-2.jsonl: line 3 is damaged. Nothing was changed; …`, in one line. */
const ADVICE = /^\/\S+\/(store|journal-\w+)\.jsonl?: [^\n]+ Nothing was changed; [^\n]+\.$/;

const step = rounds(401, 1);

let files: Files;
/** The note of the last journal's length, which a clean stop leaves. */
let note: Buffer;
/** The documents after each of the writes in the last journal, as JSON. */
const states: string[] = [];
const last = 'journal-3.jsonl';

/** A snapshot, and two journals after it, as a fold that was interrupted leaves them. */
beforeAll(async () => {
  const { folder, remove } = makeFolder('damage');
  const read = (name: string) => readFileSync(join(folder, name));
  const write = async (fold: number, count: number, journal: number) => {
    const store = await openLowdbStore(folder, [things], { fold });
    const collection = store.collection('things');
    for (let i = 0; i < count; i++) {
      await store.collection('things', key(`${journal} ${i}`)).create({ color: 'red', i });
      states.push(JSON.stringify(await everything(collection)));
    }
    await store.collection('things', key(`${journal} removed`)).remove(1 + count);
    states.push(JSON.stringify(await everything(collection)));
    while (!read('store.json').includes(`"journal":${journal},`)) await pause(5);
    await store.close();
  };
  const never = 1e9;
  await write(never, 4, 1);
  await write(0, 1, 2);
  await write(never, 20, 2);
  const snapshot = read('store.json');
  // The fold appends an end to the journal, and removes it.
  linkSync(join(folder, 'journal-2.jsonl'), join(folder, 'linked'));
  states.splice(0, states.length - 1);
  await write(0, 3, 3);
  files = new Map([
    ['store.json', snapshot],
    ['journal-2.jsonl', read('linked')],
    [last, read(last)],
  ]);
  note = read('journal-length.json');
  remove();
});

/** Opens a folder with these files. Returns its documents, or the error. */
async function opened(damagedFiles: Files): Promise<{ documents?: Document[]; error?: unknown }> {
  const { folder, remove } = makeFolder('damage');
  try {
    for (const [name, bytes] of damagedFiles) writeFileSync(join(folder, name), bytes);
    try {
      const store = await openLowdbStore(folder, [things]);
      const found = await everything(store.collection('things'));
      await store.close();
      return { documents: found };
    } catch (error) {
      expect(filesIn(folder)).toEqual(damagedFiles);
      return { error };
    }
  } finally {
    remove();
  }
}

async function expectRefusal(damagedFiles: Files, what: string) {
  const { error } = await opened(damagedFiles);
  expect(error, what).toBeInstanceOf(StoreError);
  expect((error as StoreError).message, what).toMatch(ADVICE);
}

function headOf(name: string): Buffer {
  const bytes = files.get(name) ?? Buffer.of();
  return bytes.subarray(0, bytes.indexOf('\n') + 1);
}

/** The files with each of them cut at every few bytes. */
function* cuts() {
  for (const [name, bytes] of files)
    for (let length = 0; length < bytes.length; length += step)
      yield { name, length, cut: new Map(files).set(name, bytes.subarray(0, length)) };
}

describe('damage', () => {
  test('the files are whole', async () => {
    expect(await opened(files)).toEqual({ documents: JSON.parse(states.at(-1) ?? '') });
  });

  test('is refused if the last journal is gone', async () => {
    const others = new Map(files);
    others.delete(last);
    await expectRefusal(others, last);
  });

  test('is none if the journal that follows was made, and the one before has not ended', async () => {
    const bytes = files.get('journal-2.jsonl') ?? Buffer.of();
    const unended = bytes.subarray(0, bytes.lastIndexOf('\n', -2) + 1);
    const { error } = await opened(
      new Map(files).set('journal-2.jsonl', unended).set(last, headOf(last)),
    );
    expect(error).toBeUndefined();
  });

  test(`is refused if any ${step}th byte of any file differs`, async () => {
    for (const [name, bytes] of files)
      for (let at = 0; at < bytes.length; at += step) {
        const flipped = Buffer.from(bytes);
        flipped[at] = (flipped[at] ?? 0) ^ 1;
        await expectRefusal(new Map(files).set(name, flipped), `${name} at ${at}`);
      }
  });

  test(`is refused if a file is cut at any ${step}th byte; but the unfinished last line of the last journal is removed`, async () => {
    const isTail = (name: string, length: number) => name === last && length >= headOf(last).length;
    for (const { name, length, cut } of cuts()) {
      const what = `${name} of ${length} bytes`;
      if (isTail(name, length))
        expect(states, what).toContain(JSON.stringify((await opened(cut)).documents));
      else await expectRefusal(cut, what);
    }
  });

  test(`is refused if the last journal is shorter than it was when its length was noted, at any ${step}th byte`, async () => {
    const whole = files.get(last) ?? Buffer.of();
    const noted = new Map(files).set('journal-length.json', note);
    expect((await opened(noted)).documents).toEqual(JSON.parse(states.at(-1) ?? ''));
    for (let length = 0; length < whole.length; length += step)
      await expectRefusal(new Map(noted).set(last, whole.subarray(0, length)), `${length} bytes`);
    for (let at = 0; at < note.length; at += step) {
      const flipped = Buffer.from(note);
      flipped[at] = (flipped[at] ?? 0) ^ 1;
      await expectRefusal(new Map(noted).set('journal-length.json', flipped), `note at ${at}`);
    }
    await expectRefusal(new Map([['journal-length.json', note]]), 'the note alone');
  });

  test('is none if a journal is longer than it was when its length was noted', async () => {
    const whole = files.get(last) ?? Buffer.of();
    const line = whole.subarray(whole.lastIndexOf(10, -2) + 1);
    const longer = new Map(files)
      .set('journal-length.json', note)
      .set(last, Buffer.concat([whole, line]));
    expect((await opened(longer)).documents).toEqual(JSON.parse(states.at(-1) ?? ''));
  });

  test('a last line that the disk has in part is removed', async () => {
    const whole = files.get(last) ?? Buffer.alloc(0);
    const line = Buffer.from(whole.subarray(whole.lastIndexOf(10, -2) + 1));
    for (const [from, to] of [
      [0, 10],
      [20, 30],
      [line.length - 5, line.length],
    ] as const) {
      const torn = Buffer.concat([whole, Buffer.from(line).fill(0, from, to)]);
      expect((await opened(new Map(files).set(last, torn))).documents).toEqual(
        JSON.parse(states.at(-1) ?? ''),
      );
    }
    await expectRefusal(
      new Map(files).set(last, Buffer.concat([whole, line.fill(0, 5, 6), whole])),
      'in the middle',
    );
  });

  test('is refused if a file is missing, or belongs to another store', async () => {
    for (const name of ['store.json', 'journal-2.jsonl']) {
      const others = new Map(files);
      others.delete(name);
      await expectRefusal(others, name);
    }
    const journal = files.get('journal-2.jsonl') ?? Buffer.alloc(0);
    await expectRefusal(new Map(files).set(last, journal), 'the same journal again');
    await expectRefusal(new Map(files).set('journal-5.jsonl', journal), 'a gap');
    for (const text of [
      '',
      '{}',
      '{"pets":[]}\n',
      '{\n  "pets": []\n}\n',
      '{"format":"petstore store 3","journal":2\n',
    ])
      await expectRefusal(new Map(files).set('store.json', Buffer.from(text)), text);
  });
});

test('a collection that the server does not know is refused, not dropped', async () => {
  const folder = newFolder();
  await (await open(folder)).close();
  await expect(openLowdbStore(folder, [things])).rejects.toThrow(
    "it has a collection 'others', which this server does not know",
  );
});

test('a start that was interrupted is repeated', async () => {
  const first = newFolder();
  await reopened(first);
  const journal = readFileSync(join(first, 'journal-1.jsonl'));
  for (const name of ['journal-1.jsonl.tmp', 'journal-1.jsonl', 'store.json.tmp']) {
    const folder = newFolder();
    const isTemporary = name.endsWith('.tmp');
    writeFileSync(join(folder, name), isTemporary ? 'x' : journal);
    const store = await open(folder);
    expect(parsed(await store.collection('things').create({}))).toEqual({ key: 1 });
    await store.close();
    expect(readdirSync(folder).filter((one) => one.endsWith('.tmp'))).toEqual([]);
    expect(await everything((await reopened(folder)).collection('things'))).toEqual([{ key: 1 }]);
  }
});

test('a folder of the earlier format is refused with what to do, and is not changed', async () => {
  const earlier: Files = new Map([
    [
      'store.json',
      Buffer.from(
        '{"format":"petstore store 1","journal":1,"nextIds":{"things":1},"entries":[\n"6f6cbea2"]}\n',
      ),
    ],
    ['journal-1.jsonl', Buffer.from('e2b5e8d2 [["things",{"key":1,"color":"red"}]]\n')],
  ]);
  const { error } = await opened(earlier);
  expect(error).toBeInstanceOf(StoreError);
  expect((error as StoreError).message).toContain('store.json: it was written by an earlier');
  expect((error as StoreError).message).toContain(
    'export the folder with the earlier version, and import that into a new folder.',
  );
});

test('the length of a journal is noted a while after the last write, so that a shorter one is refused', async () => {
  const folder = newFolder();
  const store = await openLowdbStore(folder, [things]);
  await store.collection('things').create({ color: 'red' });
  await store.collection('things').create({ color: 'blue' });
  await expect.poll(() => readdirSync(folder)).toContain('journal-length.json');
  // As a process that is killed now leaves them.
  const left = filesIn(folder);
  await store.close();
  expect((await opened(left)).documents).toHaveLength(2);
  const journal = left.get('journal-1.jsonl') ?? Buffer.of();
  const cut = journal.subarray(0, journal.lastIndexOf(10, -2) + 1);
  await expectRefusal(new Map(left).set('journal-1.jsonl', cut), 'without its last line');
});

async function reopened(folder: string) {
  const store = await open(folder);
  await store.close();
  return store;
}

test('a folder is private, its snapshot readable, and its journals are folded', async () => {
  const folder = join(newFolder(), 'a/b');
  const store = await open(folder);
  for (let i = 0; i < 1000; i++) await store.collection('things').create({ text: 'Rex', i });
  await store.close();
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  await reopened(folder);
  const names = readdirSync(folder).filter((name) => name.startsWith('journal'));
  expect(names.length).toBeLessThanOrEqual(2);
  const snapshot = JSON.parse(readFileSync(join(folder, 'store.json'), 'utf8'));
  expect(snapshot).toMatchObject({ format: 'petstore store 2', records: expect.any(Array) });
  expect(snapshot.records[0]).toEqual(['things', { key: 1, text: 'Rex', i: 0 }]);
});

test('a second store on the folder is refused, also by another process, until the first is closed', async () => {
  const folder = newFolder();
  const first = await open(folder);
  await expect(open(folder)).rejects.toThrow(
    `${folder}: another process uses it; stop that, or set PETSTORE_DATA_DIR to another folder.`,
  );
  const fixture = new URL('fixture.ts', import.meta.url).href;
  const program = `import { open } from '${fixture}'; await open(process.argv[1]).then((store) => store.close(), (error) => console.log(error.message))`;
  const other = async () =>
    await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program, folder]);
  expect(await other()).toMatchObject({
    stdout: expect.stringContaining('another process uses it'),
    stderr: '',
  });
  await first.collection('things').create({});
  await first.close();
  expect(await other()).toEqual({ stdout: '', stderr: '' });
});

test('a folder that cannot be used is refused with the reason', async () => {
  const folder = newFolder();
  writeFileSync(join(folder, 'file'), '');
  await expect(open(join(folder, 'file'))).rejects.toThrow('file: cannot be used (EEXIST');
  mkdirSync(join(folder, 'data/store.json'), { recursive: true });
  await expect(open(join(folder, 'data'))).rejects.toThrow('data: cannot be used (EISDIR');
  symlinkSync('nowhere', join(folder, 'link'));
  await expect(open(join(folder, 'link'))).rejects.toThrow(StoreError);
});

test.skipIf(process.platform !== 'linux')('a folder that cannot be made is refused', async () => {
  await expect(open('/proc/nowhere/data')).rejects.toThrow('/proc/nowhere/data: cannot be used');
});
