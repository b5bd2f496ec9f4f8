import { operations } from '@petstore/types';
import { expect, test, vi } from 'vitest';
import { type DeprecationNotice, type Hooks, petstore, type Transport } from '../src/index.ts';

function client(headers: Record<string, string>, deprecated?: Hooks['deprecated']) {
  const transport: Transport = async () =>
    new Response('[]', { headers: { 'content-type': 'application/json', ...headers } });
  return petstore({
    apiKey: 'k',
    baseUrl: 'http://pets.test/v1',
    transport,
    ...(deprecated !== undefined && { on: { deprecated } }),
  });
}

test('a deprecated operation is told of once in a process, whoever calls it, with the date of its end', async () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  await client({}, false).getPet({ petId: 1 });
  expect(warn).not.toHaveBeenCalled();
  await client({}).getPet({ petId: 1 });
  await client({}).getPet({ petId: 2 });
  await client({}).createPet({ name: 'x', categoryId: 1 }).outcome();
  expect(warn.mock.calls).toEqual([
    [`@petstore/client: getPet is deprecated, will be removed on ${operations.getPet.sunset}`],
  ]);
});

test('the service may deprecate an operation later than the spec', async () => {
  const notices: DeprecationNotice[] = [];
  const headers = { deprecation: '@1795132800', sunset: 'Wed, 01 Jan 2031 00:00:00 GMT' };
  await client(headers, (notice) => notices.push(notice)).listPets();
  expect(notices).toMatchObject([{ operation: 'listPets', sunset: headers.sunset }]);
});
