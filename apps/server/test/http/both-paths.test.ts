import { rounds } from '@petstore/testing';
import { apiKey } from '@petstore/testing/server';
import { type NewPet, operations } from '@petstore/types';
import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { allCollections } from '../../src/collections.ts';
import { handlers } from '../../src/handlers.ts';
import { memoryStore } from '../../src/store/memory.ts';
import { type Listening, listenForSuite, modes } from '../listen.ts';
import { randomRequests } from './random-requests.ts';
import { raw } from './wire.ts';

const statuses = [...operations.listPets.fields.status.schema.enum, undefined];
const pets: NewPet[] = Array.from({ length: 150 }, (_, i) => {
  const status = statuses[i % statuses.length];
  return { name: `Ünï "${i}" \n ${'🐈'.repeat(i % 3)}`, categoryId: i - 75, ...(status && { status }) };
});

const stores = modes.map(() => memoryStore(allCollections));
const [shipped, validating] = modes.map(([, options], i) =>
  listenForSuite({ ...options, bodyLimit: 2000, corsOrigins: ['https://shop.test'] }, stores[i]),
) as [() => Listening, () => Listening];
beforeAll(async () => {
  for (const store of stores) for (const pet of pets) await handlers(store).createPet(pet);
});

/** A response without what differs from request to request, and without the line breaks between the pets of a page. */
async function responseOf({ origin }: Listening, bytes: Uint8Array) {
  const { status, headers, body } = await raw(origin, bytes);
  const comparable = [...headers]
    .filter(([name]) => name !== 'date' && name !== 'content-length')
    .map(([name, value]): [string, string] => {
      if (name === 'etag') return [name, value.replace(/"\w+-/, '"')];
      return [name, name === 'x-request-id' ? value.replace(/^[\da-f-]{36}$/, 'a new one') : value];
    });
  return { status, headers: new Map(comparable), body: body.replaceAll(',\n', ',') };
}

test('the server responds in the same way whether it validates its responses or not', async () => {
  let successes = 0;
  await fc.assert(
    fc.asyncProperty(randomRequests(apiKey), async (bytes) => {
      const expected = await responseOf(validating(), bytes);
      if (expected.status < 300) successes++;
      expect(await responseOf(shipped(), bytes)).toEqual(expected);
    }),
    { numRuns: rounds(500, 1500) },
  );
  // Otherwise the test would compare errors only.
  expect(successes).toBeGreaterThan(50);
});
