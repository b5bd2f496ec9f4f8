import { describeOnOwnDatabase } from '@petstore/testing/postgres';
import { expect, onTestFinished, test } from 'vitest';
import { handlers } from '../../src/handlers.ts';
import { openPostgresStore } from '../../src/store/open.ts';
import { openPostgresStore as openCollections } from '../../src/store/postgres/postgres.ts';
import { apiOf } from '../../src/store/stored.ts';
import { addMany, contents } from '../store/store-contents.ts';
import { things } from '../store/store-fixture.ts';
import { openSession } from './session.ts';

const rex = { name: 'Rex', categoryId: 1 };

describeOnOwnDatabase('the schema', (newDatabase) => {
  test('is made once when many servers start concurrently', async () => {
    const url = await newDatabase();
    const stores = await Promise.all(Array.from({ length: 12 }, () => openPostgresStore(url, { poolSize: 2 })));
    const added = await Promise.all(stores.map((store) => apiOf(handlers(store)).createPet(rex)));
    expect(added.map(({ id }) => id).sort((a, b) => a - b)).toEqual(stores.map((_, i) => i + 1));
    for (const store of stores) await store.close();
  });

  test('gets the index of a property that is declared later, also after an interruption', async () => {
    const url = await newDatabase();
    const before = await openCollections(url, [{ ...things, indexes: [] }]);
    onTestFinished(() => before.close());
    await addMany(before.collection('things'), 40);
    const session = await openSession(url);
    await (await openCollections(url, [things])).close();
    const text = `UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'documents_things_by_color'::regclass`;
    await session.run({ text }, 5_000);
    const store = await openCollections(url, [things]);
    onTestFinished(() => store.close());
    const red = await contents(store.collection('things'), {
      after: 0,
      limit: 100,
      filter: { property: 'color', value: 'red' },
    });
    expect(red).toHaveLength(10);
    await before.collection('things').create({ color: 'red' });
  });
});
