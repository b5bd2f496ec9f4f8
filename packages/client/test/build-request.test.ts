import { expect, test } from 'vitest';
import { buildRequest, type Encoder, inBody, inHeaders, inPath, inQuery, inQueryOf } from '../src/build-request.ts';
import { connect } from '../src/connection.ts';

/** The request of an operation of this shape. */
const built = (encoders: Encoder[], input: object, path = '/pets') =>
  buildRequest({ id: 'listPets', method: 'GET', path, encoders }, connect({ baseUrl: 'http://x.test' }), input);

test('what is named goes where it is named, the rest to the last encoder', () => {
  const encoders = [inPath, inHeaders('x-team'), inQueryOf('dry'), inBody];
  expect(built(encoders, { petId: 7, 'x-team': 'a', dry: true, name: 'Rex', colour: 'red' }, '/pets/{petId}')).toEqual({
    url: 'http://x.test/pets/7?dry=true',
    headers: { 'x-team': 'a', 'content-type': 'application/json' },
    body: '{"name":"Rex","colour":"red"}',
  });
});

test('what is not given leaves no trace', () => {
  const encoders = [inHeaders('x-team'), inQueryOf('dry'), inBody];
  expect(built(encoders, { name: 'Rex' })).toMatchObject({
    url: 'http://x.test/pets',
    headers: { 'content-type': 'application/json' },
  });
  expect(built([inQuery], { limit: undefined })).toEqual({ url: 'http://x.test/pets', headers: {} });
});

test('several values of one parameter are several pairs', () => {
  expect(built([inQuery], { status: ['sold', 'pending'] }).url).toBe('http://x.test/pets?status=sold&status=pending');
});

test('a missing path field is never sent as something else', () => {
  expect(() => built([inPath, inQuery], {}, '/pets/{petId}')).toThrow(TypeError);
});
