// Runtimes without source text in revivers read everything that is safe.
import { beforeEach, expect, test } from 'vitest';
import { newPet, respond, rex, stubbed } from './stub-server.ts';

const { parse } = JSON;

beforeEach(() => {
  // As in browsers of 2024: a reviver gets the key and the value only.
  JSON.parse = (text: string, revive?: (key: string, value: unknown) => unknown) =>
    revive ? parse(text, (key, value) => revive(key, value)) : parse(text);
  return () => {
    JSON.parse = parse;
  };
});

test('a list with a pet named Room 2e and safe integers is read', async () => {
  const pet = { ...rex, name: 'Room 2e', categoryId: Number.MAX_SAFE_INTEGER };
  const { store } = await stubbed([respond(200, [pet]), respond(201, pet)]);
  expect(await store.listPets().collect()).toEqual([pet]);
  expect(await store.createPet(newPet)).toEqual(pet);
});

test('a larger integer is an error that names it', async () => {
  const { store } = await stubbed([respond(200, `[{"id":1,"categoryId":${2n ** 60n}}]`)]);
  await expect(store.listPets()).rejects.toMatchObject({
    name: 'UnexpectedResponseError',
    message: expect.stringContaining(
      "'categoryId': the number 1152921504606847000 would be rounded",
    ),
  });
});
