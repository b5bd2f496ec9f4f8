import { rounds } from '@petstore/testing';
import { describeOnDatabase } from '@petstore/testing/postgres';
import { expect, onTestFinished, test } from 'vitest';
import { decode } from '../../src/store/document.ts';
import { openPostgresStore } from '../../src/store/postgres/postgres.ts';
import { things } from '../store/store-fixture.ts';
import { storeSuite } from '../store/store-suite.ts';

describeOnDatabase('the PostgreSQL store', (newDatabase) => {
  let url: string;
  storeSuite({
    open: async (collections) => {
      url = await newDatabase();
      return openPostgresStore(url, collections);
    },
    reopen: (collections) => openPostgresStore(url, collections),
    runs: rounds(12, 300),
  });

  async function open(options = {}) {
    const store = await openPostgresStore(await newDatabase(), [things], options);
    onTestFinished(() => store.close());
    return store.collection('things');
  }

  test('commits together what arrives together, and reports it', async () => {
    const commits: number[] = [];
    const collection = await open({ onCommit: ({ writes }: { writes: number }) => commits.push(writes) });
    const added = await Promise.all(Array.from({ length: 64 }, () => collection.create({})));
    await Promise.all([
      collection.create({}),
      ...added.slice(0, 20).map(({ id }) => collection.replace(id, { size: 1 })),
      ...added.slice(20, 30).map(({ id }) => collection.remove(id)),
    ]);
    expect(commits).toEqual([64, 31]);
  });

  test('filters by every value that JSON has, escapes and long ones included', async () => {
    const collection = await open();
    const values: unknown[] = [
      '\u0000',
      '\u0001',
      '\\u0000',
      '\\',
      '\\\\',
      '"',
      '\ud800',
      'u0000',
      '1',
      1,
      'null',
      null,
      'x'.repeat(5000),
    ];
    values.push('x'.repeat(4999), ' ', true, 'true', 0.1, '\n');
    const added = await Promise.all(values.map((color) => collection.create({ text: '\u0000\ud800\\', color })));
    for (const [i, value] of values.entries()) {
      const page = await collection.list({ after: 0, limit: 9, filter: { property: 'color', value } });
      expect(decode<unknown[]>(page.json), JSON.stringify(value)).toEqual([
        { key: added[i]?.id, text: '\u0000\ud800\\', color: value },
      ]);
    }
  });
});
