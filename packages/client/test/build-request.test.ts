import { expect, test } from 'vitest';
import { buildRequest, type Encoder, inBody, inHeaders, inPath, inQuery, inQueryOf } from '../src/build-request.ts';
import { connect } from '../src/connection.ts';

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

test('a list repeats the parameter', () => {
  expect(built([inQuery], { status: ['sold', 'pending'] }).url).toBe('http://x.test/pets?status=sold&status=pending');
});

test('a missing path parameter is an error', () => {
  expect(() => built([inPath, inQuery], {}, '/pets/{petId}')).toThrow(TypeError);
});
