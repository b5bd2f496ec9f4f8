import { describeOnDatabase } from '@petstore/testing/postgres';
import { expect, onTestFinished, test } from 'vitest';
import { openPostgresStore } from '../../src/store/postgres/postgres.ts';
import { addMany, storeSuite } from '../store/store-suite.ts';

describeOnDatabase('the PostgreSQL store', (newDatabase) => {
  let url = '';
  storeSuite({
    open: async () => {
      url = await newDatabase();
      return openPostgresStore(url);
    },
    again: () => openPostgresStore(url),
  });

  test('commits together what arrives together, and tells of it', async () => {
    const commits: number[] = [];
    const store = await openPostgresStore(await newDatabase(), { onCommit: ({ animals }) => commits.push(animals) });
    onTestFinished(() => store.close());
    await addMany(store, 64);
    await addMany(store, 1);
    expect(commits).toEqual([64, 1]);
  });
});
