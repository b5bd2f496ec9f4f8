import { newFolder } from '@petstore/testing';
import { describeOnSchema } from '@petstore/testing/postgres';
import { expect, test } from 'vitest';
import { allCollections } from '../../src/collections.ts';
import { type CollectionDeclaration, decode } from '../../src/store/document.ts';
import { openLowdbStore } from '../../src/store/lowdb/lowdb.ts';
import { openPostgresStore } from '../../src/store/postgres/postgres.ts';
import type { Store } from '../../src/store/store.ts';

type Open = (collections: readonly CollectionDeclaration[]) => Promise<Store>;

/** Checks that a second collection needs only a declaration, also in a store that has documents. */
async function addCollection(open: Open): Promise<void> {
  const before = await open(allCollections);
  const rex = await before.collection('pets').create({ name: 'Rex', categoryId: 1 });
  await before.close();

  const store = await open([...allCollections, { name: 'orders', id: 'orderId', indexes: ['petId'] }]);
  const orders = store.collection('orders');
  for (const petId of [1, 2]) await orders.create({ petId, count: 1 });
  await orders.replace(1, { petId: 1, count: 7 });
  const page = await orders.list({ after: 0, limit: 10, filter: { property: 'petId', value: 1 } });
  expect(decode(page.json)).toEqual([{ orderId: 1, petId: 1, count: 7 }]);
  expect(await orders.remove(2)).toEqual({ outcome: 'removed' });
  expect(decode((await store.collection('pets').list({ after: 0, limit: 10 })).json)).toEqual([decode(rex.json)]);
  await store.close();
}

test('a second collection needs only a declaration, in a data folder', async () => {
  const folder = newFolder();
  await addCollection((collections) => openLowdbStore(folder, collections));
});

describeOnSchema('a second collection', (newSchema) => {
  test('needs only a declaration, in a database', async () => {
    const url = await newSchema();
    await addCollection((collections) => openPostgresStore(url, collections));
  });
});
