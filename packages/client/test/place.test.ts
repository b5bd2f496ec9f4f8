import { expect, test } from 'vitest';
import { inBody, inHeaders, inPath, inQuery, inQueryOf, type Place, place } from '../src/place.ts';

/** Where the inputs of an operation of this shape go. */
const placed = (places: Place[], input: object, path = '/pets') =>
  place({ id: 'listPets', method: 'GET', path, places }, input);

test('what is named goes where it is named, the rest to the last place', () => {
  const places = [inPath, inHeaders('x-team'), inQueryOf('dry'), inBody];
  expect(placed(places, { petId: 7, 'x-team': 'a', dry: true, name: 'Rex', colour: 'red' }, '/pets/{petId}')).toEqual({
    url: '/pets/7?dry=true',
    headers: { 'x-team': 'a', 'content-type': 'application/json' },
    body: '{"name":"Rex","colour":"red"}',
  });
});

test('what is not given leaves no trace', () => {
  const places = [inHeaders('x-team'), inQueryOf('dry'), inBody];
  expect(placed(places, { name: 'Rex' })).toMatchObject({
    url: '/pets',
    headers: { 'content-type': 'application/json' },
  });
  expect(placed([inQuery], { limit: undefined })).toEqual({ url: '/pets', headers: {} });
});

test('several values of one parameter are several pairs', () => {
  expect(placed([inQuery], { status: ['sold', 'pending'] }).url).toBe('/pets?status=sold&status=pending');
});

test('a missing path field is never sent as something else', () => {
  expect(() => placed([inPath, inQuery], {}, '/pets/{petId}')).toThrow(TypeError);
});
