import { newFolder } from '@petstore/testing';
import { expect, test } from 'vitest';
import { allCollections } from '../../src/collections.ts';
import { decode } from '../../src/store/document.ts';
import { openLowdbStore } from '../../src/store/lowdb/lowdb.ts';

test('a second collection needs a declaration alone, also in a folder that has documents', async () => {
  const folder = newFolder();
  const before = await openLowdbStore(folder, allCollections);
  await before.collection('pets').create({ name: 'Rex', categoryId: 1 });
  await before.close();

  const orders = { name: 'orders', id: 'orderId', indexes: ['petId'] };
  const store = await openLowdbStore(folder, [...allCollections, orders]);
  for (const petId of [1, 2]) await store.collection('orders').create({ petId, count: 1 });
  await store.collection('orders').replace(1, { petId: 1, count: 7 });
  const filter = { property: 'petId', value: 1 };
  const page = await store.collection('orders').list({ after: 0, limit: 10, filter });
  expect(decode(page.json)).toEqual([{ orderId: 1, petId: 1, count: 7 }]);
  expect(await store.collection('orders').remove(2)).toEqual({ outcome: 'removed' });
  expect(await store.collection('pets').get(1)).toMatchObject({ json: { text: expect.stringContaining('Rex') } });
  await store.close();
});
