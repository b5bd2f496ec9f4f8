import { execFile } from 'node:child_process';
import {
  chmodSync,
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

let files: Files;
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
  expect((error as StoreError).message, what).toMatch(
    /^\/\S+\/(store\.json|journal-\d\.jsonl): [^\n]+import[^\n]+\.$/,
  );
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
      new Map(files).set('journal-2.jsonl', unended).set(last, Buffer.of()),
    );
    expect(error).toBeUndefined();
  });

  const step = rounds(13, 1);

  test(`is refused if any ${step}th byte of any file differs`, async () => {
    for (const [name, bytes] of files)
      for (let at = 0; at < bytes.length; at += step) {
        const flipped = Buffer.from(bytes);
        flipped[at] = (flipped[at] ?? 0) ^ 1;
        await expectRefusal(new Map(files).set(name, flipped), `${name} at ${at}`);
      }
  });

  test(`is refused if a file is cut at any ${step}th byte; but the unfinished last line of the last journal is removed`, async () => {
    for (const [name, bytes] of files)
      for (let length = 0; length < bytes.length; length += step) {
        const cut = new Map(files).set(name, bytes.subarray(0, length));
        if (name !== last) await expectRefusal(cut, `${name} of ${length} bytes`);
        else
          expect(states, `${length} bytes`).toContain(
            JSON.stringify((await opened(cut)).documents),
          );
      }
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
      '{"format":"petstore store 2","journal":2\n',
    ])
      await expectRefusal(new Map(files).set('store.json', Buffer.from(text)), text);
  });
});

test('a collection that the server does not know is refused, not dropped', async () => {
  const folder = newFolder();
  await (await open(folder)).close();
  await expect(openLowdbStore(folder, [things])).rejects.toThrow(
    /collection 'others', which this server does not know/,
  );
});

test('a start that was interrupted is repeated', async () => {
  for (const begun of ['', '12345678 {"for']) {
    const folder = newFolder();
    writeFileSync(join(folder, 'journal-1.jsonl'), begun);
    writeFileSync(join(folder, 'store.json.tmp'), 'x');
    const store = await open(folder);
    expect(parsed(await store.collection('things').create({}))).toEqual({ key: 1 });
    await store.close();
    expect(await everything((await reopened(folder)).collection('things'))).toEqual([{ key: 1 }]);
  }
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
  expect(snapshot).toMatchObject({ format: 'petstore store 1', entries: expect.any(Array) });
  expect(snapshot.entries[0]).toEqual(['things', { key: 1, text: 'Rex', i: 0 }]);
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
  await expect(open(join(folder, 'file'))).rejects.toThrow(
    /file: cannot be used \(EEXIST.*\)\. Check its path/,
  );
  mkdirSync(join(folder, 'data/store.json'), { recursive: true });
  await expect(open(join(folder, 'data'))).rejects.toThrow(
    /data: cannot be used \(EISDIR.*\)\. Check/,
  );
  symlinkSync('nowhere', join(folder, 'link'));
  await expect(open(join(folder, 'link'))).rejects.toThrow(StoreError);
  chmodSync(folder, 0o700);
});
