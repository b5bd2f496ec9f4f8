import { operations } from '@petstore/types';
import { expect } from 'vitest';
import type { Store } from '../../src/store/store.ts';
import { listen } from '../listen.ts';

/** Checks that a repetition gets the first response, for any order of its members, and after its pet was changed or removed. */
export async function expectSameResponse(store: Store): Promise<void> {
  const { baseUrl, apiKey, close } = await listen({}, store);
  const { header } = operations.createPet.idempotencyKey;
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json', [header]: 'k' };
  const create = async (body: string) => {
    const response = await fetch(`${baseUrl}/pets`, { method: 'POST', headers, body });
    return [response.status, response.headers.get('content-type'), await response.text()];
  };
  const reordered = '{"status":"sold","categoryId":-9223372036854775808,"name":"猫"}';
  try {
    const first = await create('{"name":"猫","categoryId":-9223372036854775808,"status":"sold"}');
    expect(first[0]).toBe(201);
    expect(await create(reordered)).toEqual(first);
    await store.collection('pets').replace(1, { name: 'Tom' });
    expect(await create(reordered)).toEqual(first);
    await store.collection('pets').remove(1);
    expect(await create(reordered)).toEqual(first);
  } finally {
    await close();
    await store.close();
  }
}
