import { describeOnDatabase } from '@petstore/testing/postgres';
import { expect, onTestFinished, test } from 'vitest';
import { openPostgresStore } from '../../src/store/postgres/postgres.ts';

describeOnDatabase('the PostgreSQL store', (newDatabase) => {
  test('commits together what arrives together, and reports it', async () => {
    const commits: number[] = [];
    const store = await openPostgresStore(await newDatabase(), { onCommit: ({ writes }) => commits.push(writes) });
    onTestFinished(() => store.close());
    const pets = store.collection('pets');
    await Promise.all(Array.from({ length: 64 }, (_, i) => pets.create({ name: `pet ${i}`, categoryId: i })));
    await pets.create({ name: 'Rex', categoryId: 1 });
    expect(commits).toEqual([64, 1]);
  });
});
