import * as petctl from 'petctl/internal';
import { expect, test } from 'vitest';
import { compareNames } from '../../drift/checks/breaking-changes/names.ts';
import { readSpec } from '../../drift/openapi.ts';

const query = (name: string) => ({ name, in: 'query', schema: { type: 'string' } });
const bodyOf = (properties: object) => ({
  content: { 'application/json': { schema: { type: 'object', properties } } },
});
const name = { type: 'string' };

interface Written {
  [key: string]: unknown;
}

/** The changed names when the first operation becomes the second one. */
function changes(before: Written, after: Written, method = 'get'): string[] {
  const versionWith = (operation: Written) => {
    const responses = { '204': { description: '' } };
    const whole = { operationId: 'listThings', tags: ['things'], responses, ...operation };
    const text = JSON.stringify({
      openapi: '3.1.0',
      info: { title: 't', version: '1.0.0' },
      paths: { '/things': { [method]: whole } },
    });
    return { spec: readSpec(() => text), read: () => undefined };
  };
  return compareNames(versionWith(before), versionWith(after), petctl).map(
    ({ level, rule, where, detail }) => `${level}: ${rule}: ${where}: ${detail}`,
  );
}

test('a change that keeps all names is no break', () => {
  const same = { parameters: [query('a')] };
  expect(changes(same, { ...same, summary: 'Another' })).toEqual([]);
  expect(changes(same, { parameters: [query('a'), query('b')] })).toEqual([]);
  // The command stays where x-command holds it.
  expect(changes({}, { tags: ['others'], 'x-command': 'things list' })).toEqual([]);
});

test.each<[string, Written, Written, string[]]>([
  [
    'another operationId',
    {},
    { operationId: 'readThings' },
    [
      'major: function renamed: GET /things: listThings became readThings',
      "major: command renamed: GET /things: 'petctl things list' became 'petctl things read'",
    ],
  ],
  [
    'another tag',
    {},
    { tags: ['others'] },
    ["major: command renamed: GET /things: 'petctl things list' became 'petctl others list-things'"],
  ],
  [
    'another x-command',
    {},
    { 'x-command': 'things all' },
    ["major: command renamed: GET /things: 'petctl things list' became 'petctl things all'"],
  ],
  [
    'a parameter of another name',
    { parameters: [query('after')] },
    { parameters: [query('behind')] },
    ['major: flag removed: petctl things list: --after was removed'],
  ],
  [
    "a flag of petctl's own that takes the name of an input",
    { parameters: [query('all'), query('cursor')] },
    { parameters: [query('all'), query('cursor')], 'x-pagination': { cursor: 'cursor', by: 'link' } },
    ['major: flag renamed: petctl things list: --all became --query-all'],
  ],
  [
    'another input that takes the name of an input',
    { parameters: [query('petId')] },
    { parameters: [query('pet_id'), query('petId')] },
    ['major: flag renamed: petctl things list: --pet-id became --query-pet-id'],
  ],
])('%s is a break', (_, before, after, expected) => {
  expect(changes(before, after)).toEqual(expected);
});

test('a body that is too deep for a line of a file removes the import command', () => {
  const before = { operationId: 'createThing', requestBody: bodyOf({ name }) };
  const after = { operationId: 'createThing', requestBody: bodyOf({ name, owner: { type: 'object' } }) };
  expect(changes(before, after, 'post')).toEqual([
    "major: command removed: POST /things: 'petctl things import' was removed",
  ]);
});

test('an object that loses the flags of its properties is a break', () => {
  const owner = { type: 'object', properties: { name } };
  expect(
    changes({ requestBody: bodyOf({ owner }) }, { requestBody: bodyOf({ owner: { oneOf: [owner, name] } }) }, 'put'),
  ).toEqual(['major: flag removed: petctl things list: --owner.name was removed']);
});
