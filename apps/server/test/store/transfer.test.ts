// Exports and imports between stores.
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeep, newFolder } from '@petstore/testing';
import { expect, test } from 'vitest';
import { readLowdbFolder } from '../../src/store/lowdb.ts';
import { createMemoryStore } from '../../src/store/memory.ts';
import { type Store, StoreError } from '../../src/store/store.ts';
import { type DocumentCheck, exportLines, type Imported, importLines } from '../../src/transfer.ts';
import { describeOnSchema } from '../databases.ts';
import { open, others, parsed, things } from './fixture.ts';
import { busy, History } from './history.ts';

const all = [things, others];

async function exported(source: Store): Promise<string> {
  let text = '';
  for await (const piece of exportLines(source, all)) text += piece;
  return text;
}

/** Imports a text in chunks of some bytes. */
async function imported(
  store: Pick<Store, 'restore' | 'reserve'>,
  text: string | Buffer,
  chunk = 100,
  check?: DocumentCheck,
): Promise<Imported> {
  const bytes = Buffer.from(text);
  async function* chunks() {
    for (let at = 0; at < bytes.length; at += chunk) yield bytes.subarray(at, at + chunk);
  }
  return await importLines(chunks(), store, { declarations: all, folder: tmpdir(), check });
}

/** A store with strange documents and gaps. */
async function filled(): Promise<Store> {
  const store = createMemoryStore(all);
  for (let i = 0; i < 2300; i++)
    await store.collection('things').create({ color: i % 2 ? 'Žofie 🐈\n' : 'a\0', i });
  await store.collection('others').create({ big: 2n ** 63n - 1n, nested: [{ document: null }] });
  for (const id of [1, 7, 2300]) await store.collection('things').remove(id);
  return store;
}

async function expectMoved(open: () => Promise<Store>) {
  const text = await exported(await filled());
  expect(text.split('\n').slice(0, 2)).toEqual([
    '{"format":"petstore export 1","nextIds":{"things":2301,"others":2}}',
    String.raw`{"collection":"things","document":{"key":2,"color":"Žofie 🐈\n","i":1}}`,
  ]);
  let store = await open();
  // An import that ends in the middle is repeated.
  await store.restore('things', new Map([[2, { key: 2, color: 'Žofie 🐈\n', i: 1 }]]));
  expect(await imported(store, text, 4096)).toEqual({ added: 2297, present: 1 });
  expect(await imported(store, text, 4096)).toEqual({ added: 0, present: 2298 });
  expect(await exported(store)).toBe(text);
  await store.close();
  store = await open();
  expect(await exported(store)).toBe(text);
  const differs = text.replace('"i":1}', '"i":-1}');
  await expect(imported(store, differs)).rejects.toThrow(
    'Document 2 of things differs from the stored one; import into an empty store.',
  );
  expect(parsed(await store.collection('things').create({}))).toEqual({ key: 2301 });
  await store.close();
}

test('documents and next identifiers move to a folder', async () => {
  const folder = newFolder();
  await expectMoved(() => open(folder));
  expect(await exported(await readLowdbFolder(folder, all))).toContain(
    '"nextIds":{"things":2302,"others":2}',
  );
});

describeOnSchema('with PostgreSQL', (newSchema) =>
  test('documents and next identifiers move to a database', async () => {
    const url = await newSchema();
    await expectMoved(() => open(url));
  }),
);

test('what is not a complete export is refused in one line', async () => {
  const text = await exported(await filled());
  const lines = text.split('\n');
  const cases: [input: string | Buffer, message: string][] = [
    ['', 'The input ends early'],
    [`${lines.slice(0, -2).join('\n')}\n`, 'The input ends early; import the complete export.'],
    [[lines[0], ...lines.slice(2)].join('\n'), 'The input ends early'],
    [lines.slice(1).join('\n'), 'Line 1: it does not have the format'],
    [text.replace('"nextIds":{', '"nextIds":[],"ids":{'), 'Line 1: it has no next identifiers'],
    [text.replace('n":"things"', 'n":"pets"'), "Line 2: this server has no collection 'pets'"],
    [text.replace('"others":2', '"pets":2'), "Line 1: this server has no collection 'pets'"],
    [text.replace('"things":2301', '"things":-1'), 'Line 1: its next identifiers are not'],
    [text.replace('"key":2,', ''), "Line 2: its document has no 'key'"],
    [text.replace('"key":2,', '"key":1.5,'), "Line 2: its document has no 'key'"],
    [text.replace('"i":1}', '"i":9223372036854775809}'), 'Line 2: it is not a JSON object'],
    [`${text}{}`, 'it follows the end'],
    [
      Buffer.from(text.replaceAll('🐈', 'é'), 'latin1'),
      'it is not a JSON object in UTF-8; correct the input and import again.',
    ],
  ];
  for (const [input, message] of cases) {
    const store = createMemoryStore(all);
    const error: unknown = await imported(store, input, 4096).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(StoreError);
    expect((error as StoreError).message).toContain(message);
    expect((error as StoreError).message).not.toContain('\n');
    // All lines are checked before one is written.
    expect(store.stats().documents).toEqual({ things: 0, others: 0 });
  }
});

test('a document that fails the check is named with its line, and nothing is written', async () => {
  const text = await exported(await filled());
  const store = createMemoryStore(all);
  const check: DocumentCheck = (collection, document) =>
    collection === 'things' && 'i' in document && document.i === 2000 ? 'it is odd' : undefined;
  await expect(imported(store, text, 4096, check)).rejects.toThrow(
    'Line 2000: it is odd; correct the input, or import it all the same with --unchecked.',
  );
  expect(store.stats().documents).toEqual({ things: 0, others: 0 });
  expect(await imported(store, text, 4096)).toEqual({ added: 2298, present: 0 });
});

const count = 100;

test.runIf(isDeep)(
  `a folder is exported ${count} times while writers use it and fold it, and has all that was acknowledged before`,
  async () => {
    const folder = newFolder();
    const writers = new History().start(folder, 'w');
    await busy(writers);
    let before = 0;
    for (let round = 0; round < count; round++) {
      const { nextIds } = JSON.parse(
        (await exported(await readLowdbFolder(folder, all))).split('\n', 1)[0] ?? '',
      );
      expect(nextIds.things).toBeGreaterThanOrEqual(before);
      before = nextIds.things;
    }
    writers.child.kill('SIGKILL');
    await writers.ended;
    const text = await exported(await readLowdbFolder(folder, all));
    const store = await open(folder);
    expect(await exported(store)).toBe(text);
    await store.close();
  },
);

test('a folder without a store is not exported', async () => {
  const missing = join(newFolder(), 'missing');
  await expect(readLowdbFolder(missing, all)).rejects.toThrow('missing: cannot be used (ENOENT');
});
