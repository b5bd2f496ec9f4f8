import { expectLinear } from '@petstore/testing/linear';
import { describe, expect, test } from 'vitest';
import { inForm } from '../src/bodies.ts';
import { buildRequest, type Encoder, inBody, inHeaders, inPath, inQuery, inQueryOf } from '../src/build-request.ts';
import { connect } from '../src/connection.ts';
import { deepQuery, formQuery } from '../src/parameters.ts';

/** The request of an operation with these encoders. */
const built = (encoders: Encoder[], input: object, path = '/pets') =>
  buildRequest({ id: 'listPets', method: 'GET', path, encoders }, connect({ baseUrl: 'http://x.test' }), input);

test('each input is written by the encoder that names it, and all other inputs by the last encoder', () => {
  const encoders = [inPath, inHeaders('x-team'), inQueryOf('dry'), inBody];
  expect(built(encoders, { petId: 7, 'x-team': 'a', dry: true, name: 'Rex', colour: 'red' }, '/pets/{petId}')).toEqual({
    url: 'http://x.test/pets/7?dry=true',
    headers: { 'x-team': 'a', 'content-type': 'application/json' },
    body: '{"name":"Rex","colour":"red"}',
  });
});

test('absent and undefined inputs are not sent', () => {
  const encoders = [inHeaders('x-team'), inQueryOf('dry'), inBody];
  expect(built(encoders, { name: 'Rex' })).toMatchObject({
    url: 'http://x.test/pets',
    headers: { 'content-type': 'application/json' },
  });
  expect(built([inQuery], { limit: undefined })).toEqual({ url: 'http://x.test/pets', headers: {} });
});

describe('the work is linear in the number of', () => {
  const list = (length: number) => ({ ids: Array.from({ length }, (_, i) => i) });
  const object = (length: number) => ({ ids: { ...list(length).ids } });
  test.each<[string, Encoder, (length: number) => object]>([
    ['elements of a list', inQuery, list],
    ['parameters', inQuery, (length) => object(length).ids],
    ['elements of an exploded list', formQuery('ids', true), list],
    ['properties of an exploded object', formQuery('ids', true), object],
    ['properties of a deep object', deepQuery('ids'), object],
    ['elements of a list in a form', inForm(), list],
    ['properties of a form', inForm(), (length) => object(length).ids],
  ])('%s', (_, encoder, input) => {
    expectLinear((length) => {
      const data = input(length);
      return () => void built([encoder], data);
    }, 2 ** 12);
  });
});

test('a list repeats the parameter', () => {
  expect(built([inQuery], { status: ['sold', 'pending'] }).url).toBe('http://x.test/pets?status=sold&status=pending');
});

test('a missing path parameter is an error', () => {
  expect(() => built([inPath, inQuery], {}, '/pets/{petId}')).toThrow(TypeError);
});
