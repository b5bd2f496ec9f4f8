import { expect, test } from 'vitest';
import { UnexpectedResponseError } from '../src/index.ts';
import { recording } from './recording.ts';

test.each([2n ** 63n - 1n, -(2n ** 63n), 2n ** 53n])(
  'the integer %d is sent and received exactly',
  async (categoryId) => {
    const { sent, api } = recording({}, 201, `{"id":1,"name":"9223372036854775807","categoryId":${categoryId}}`);
    expect(await api.createPet({ name: 'x', categoryId })).toEqual({ id: 1, name: '9223372036854775807', categoryId });
    expect(sent[0]?.body).toBe(`{"name":"x","categoryId":${categoryId}}`);
  },
);

test.each(['""', '"1234567890123456"', '0.1234567890123456'])(
  'a response with an inexact number is an error, whatever is beside it: %s',
  async (other) => {
    const received = (number: string) => recording({}, 200, `[${number},${other}]`).api.listPets();
    await expect(received('9007199254740992.0')).rejects.toThrow('inexact number');
    for (const number of ['1e300', '-1E300', '9.461e15', '9.007199254740993e15', '0.123456789012345678901'])
      expect(await received(number)).toEqual([Number(number), JSON.parse(other)]);
  },
);

test('an error with an exact integer in its body can be written as JSON', async () => {
  const { api } = recording({}, 200, '[9223372036854775807,9223372036854775807.5]');
  const error = await api.listPets().catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(UnexpectedResponseError);
  expect(JSON.parse(JSON.stringify(error))).toMatchObject({ message: expect.stringContaining('inexact number') });
});
