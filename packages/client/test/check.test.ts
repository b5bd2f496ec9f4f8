import { expectLinear } from '@petstore/testing/linear';
import { expect, test } from 'vitest';
import { checkResponses, UnexpectedDataError, violationOf } from '../src/check.ts';
import { petstore } from '../src/index.ts';
import { respond, stubServer } from './stub-server.ts';

const rex = { id: 1, name: 'Rex', categoryId: 2, status: 'sold' };

test.each([[[]], [[rex]], [[{ ...rex, colour: 'red' }]], [[{ id: 1, name: '', categoryId: -5 }]]])(
  '%j matches the spec',
  (list) => {
    expect(() => checkResponses('listPets', list)).not.toThrow();
  },
);

test.each([
  [{}, 'it is no list'],
  [[null], '[0] is null, no object'],
  [[rex, { name: 'x', categoryId: 1 }], '[1].id is missing'],
  [[{ ...rex, id: '1' }], '[0].id is "1", no integer'],
  [[{ ...rex, id: 0 }], '[0].id is 0, less than 1'],
  [[{ ...rex, categoryId: 1.5 }], '[0].categoryId is 1.5, no integer'],
  [[{ ...rex, status: 'dead' }], '[0].status is "dead", none of available, pending, sold'],
  [[{ ...rex, status: null }], '[0].status is null, no string'],
  [[{ ...rex, name: 5 }], '[0].name is 5, no string'],
  [[{ ...rex, name: { toString: 1 } }], '[0].name is no string'],
])('%j does not match the spec: %s', (data, violation) => {
  expect(() => checkResponses('listPets', data)).toThrow(violation);
});

test('the option check makes a call fail whose data does not match', async () => {
  const { baseUrl, requests } = await stubServer(respond(200, { id: 'one' }));
  const options = { apiKey: 'k', baseUrl, on: { deprecated: false } } as const;
  const error = await petstore({ ...options, check: checkResponses })
    .getPet({ petId: 1 })
    .catch((error: unknown) => error);
  expect(error).toBeInstanceOf(UnexpectedDataError);
  expect(error).toMatchObject({
    operation: 'getPet',
    violations: expect.arrayContaining(['.id is "one", no integer']),
  });
  expect(await petstore(options).getPet({ petId: 1 })).toEqual({ id: 'one' });
  expect(requests.length).toBe(2);
});

test.each([
  [1, { exclusiveMinimum: 1 }, 'not more than 1'],
  [2, { exclusiveMaximum: 2 }, 'not less than 2'],
  [1.5, { exclusiveMinimum: 1, exclusiveMaximum: 2 }, undefined],
] as const)('%j by the schema %j: %s', (value, rules, violation) => {
  expect(violationOf(value, { type: 'number', ...rules })).toBe(violation);
});

test.each([
  [0.3, 0.1, true],
  [0.35, 0.1, false],
  [10_000_000_001, 10, false],
  [2n ** 53n + 1n, 2, false],
  [2n ** 53n, 2, true],
  [2n ** 53n, 0.1, true],
])('%d is a multiple of %d: %s', (value, multipleOf, isMultiple) => {
  expect(violationOf(value, { multipleOf })).toBe(isMultiple ? undefined : `no multiple of ${multipleOf}`);
});

test('a list is searched for repetitions in time linear in its length', () => {
  expectLinear((length) => {
    const list = Array.from({ length }, (_, i) => i);
    return () => void violationOf(list, { uniqueItems: true });
  }, 2 ** 10);
});

test('lists and constants with large integers are compared', () => {
  const [one, other] = [{ id: 2n ** 63n - 1n }, { id: 2n ** 63n - 2n }];
  // Without `rawJSON`, parsing returns no bigints either.
  if (!('rawJSON' in JSON))
    return void expect(() => violationOf([one, other], { uniqueItems: true })).toThrow(TypeError);
  expect(violationOf([one, other], { uniqueItems: true })).toBeUndefined();
  expect(violationOf([one, { ...one }], { uniqueItems: true })).toBe('a list with duplicates');
  expect(violationOf(one, { const: { id: 1 } })).toBe('not {"id":1}');
});
