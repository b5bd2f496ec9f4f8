import { describe, expect, test } from 'vitest';
import { readSpec } from '../../drift/openapi.ts';
import { changes, operation, specWith } from './breaking-specs.ts';

type Schema = boolean | { readonly [keyword: string]: unknown };

const sent = (schema: Schema) => ({ requestBody: { content: { 'application/json': { schema } } } });
const received = (schema: Schema) => ({
  responses: { 200: { description: '', content: { 'application/json': { schema } } } },
});

const string = { type: 'string' };
const integer = { type: 'integer' };
const short = { ...string, maxLength: 9 };
const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more });
const [a, b] = [object({ a: string }), object({ b: string })];

/** The changes of an operation between two requests, or between two responses. */
const changesOf = (before: object, after: object) =>
  changes(specWith('operation', before), specWith('operation', after));

describe('a narrower schema breaks requests, and a wider schema breaks responses', () => {
  test.each<[string, Schema, Schema, rules: string[]]>([
    ['null no longer possible', { type: ['string', 'null'] }, string, ['type changed']],
    ['an alternative removed', { oneOf: [string, integer] }, string, ['alternatives']],
    ['alternatives of which exactly one has to fit', { anyOf: [a, b] }, { oneOf: [a, b] }, ['oneOf']],
    [
      'an alternative of three removed',
      { anyOf: [string, integer, { type: 'boolean' }] },
      { anyOf: [string, integer] },
      ['alternatives'],
    ],
    ['if and else', object({}), object({}, { if: a, else: { required: ['b'] } }), ['if', 'else']],
    [
      'values of a map',
      object({}, { additionalProperties: string }),
      object({}, { additionalProperties: short }),
      ['bound'],
    ],
    ['elements of a list', { type: 'array', items: string }, { type: 'array', items: short }, ['bound']],
    ['a property of a part', { allOf: [a] }, { allOf: [object({ a: short })] }, ['bound']],
    ['a property of a property', object({ c: a }), object({ c: object({ a: { ...string, enum: ['x'] } }) }), ['enum']],
  ])('%s', (_, wide, narrow, rules) => {
    const rulesOf = (before: object, after: object) =>
      changesOf(before, after).map((line) => line.replace(/: PUT .*/, ''));
    const expected = (prefix: string, suffix: string) =>
      rules.map((rule) => `${prefix} ${rule}${rule === 'type changed' ? '' : ` ${suffix}`}`);
    expect(rulesOf(sent(wide), sent(narrow))).toEqual(expected('major: request', 'narrowed'));
    expect(rulesOf(sent(narrow), sent(wide))).toEqual(expected('minor: request', 'widened'));
    expect(rulesOf(received(wide), received(narrow))).toEqual(expected('minor: response', 'narrowed'));
    expect(rulesOf(received(narrow), received(wide))).toEqual(expected('major: response', 'widened'));
  });

  test('an alternative that a value may fit beside another one is wider and narrower', () => {
    const overlapping = { oneOf: [string, { enum: ['a', 1] }] };
    expect(changesOf(sent(string), sent(overlapping))).toEqual([
      'minor: request alternatives widened: PUT /a body',
      'major: request oneOf narrowed: PUT /a body',
    ]);
    expect(changesOf(received(overlapping), received(string))).toEqual([
      'minor: response alternatives narrowed: PUT /a 200',
      'major: response oneOf widened: PUT /a 200',
    ]);
  });
});

test.each<[string, object, object, string]>([
  [
    'an integer that is also a number',
    sent({ allOf: [integer, { type: 'number', maximum: 9 }] }),
    sent(string),
    'major: request type changed: PUT /a body',
  ],
  [
    'a property that is only read',
    sent(a),
    sent(object({ a: { ...string, readOnly: true } })),
    'major: request property removed: PUT /a body.a',
  ],
  [
    'a property that is only written',
    received(a),
    received(object({ a: { ...string, writeOnly: true } })),
    'major: response property removed: PUT /a 200.a',
  ],
  [
    'unknown properties',
    sent(object({}, { additionalProperties: false })),
    sent(object({})),
    'minor: request properties opened: PUT /a body',
  ],
  [
    'an unknown keyword',
    sent({ ...string, sparkle: 1 }),
    sent({ ...string, sparkle: 2 }),
    'major: no rule for sparkle: PUT /a body',
  ],
  [
    'a deprecated value',
    sent(string),
    sent({ ...string, deprecated: true }),
    'minor: request value deprecated: PUT /a body',
  ],
])('the change is found with its level: %s', (_, before, after, expected) => {
  expect(changesOf(before, after)).toEqual([expected]);
});

describe('a schema that contains itself is compared', () => {
  const ref = { $ref: '#/components/schemas/Tree' };
  const withTree = (body: Schema, Tree: object) =>
    specWith('document', { ...operation(sent(body)), components: { schemas: { Tree } } });

  test('in a list', () => {
    const spec = (more: object) => withTree(ref, object({ children: { type: 'array', items: ref }, ...more }));
    expect(changes(spec({}), spec({}))).toEqual([]);
    expect(changes(spec({ name: string }), spec({}))).toEqual(['major: request property removed: PUT /a body.name']);
  });

  test('as a part, and as an alternative', () => {
    const child = { allOf: [ref, { description: 'A child.' }] };
    const spec = (more: object) =>
      withTree({ anyOf: [ref, string] }, object({ child, other: { oneOf: [string, child] }, ...more }));
    expect(changes(spec({}), spec({}))).toEqual([]);
    expect(changes(spec({ name: string }), spec({}))).toContain('major: request property removed: PUT /a body.name');
  });

  test('with keywords beside the reference', () => {
    const spec = (more: object) => withTree(ref, object({ child: { allOf: [ref, more] } }));
    expect(changes(spec({}), spec({ maxProperties: 9 }))).toEqual(['major: request bound narrowed: PUT /a body.child']);
  });
});

describe('a reference to another file is compared like what it refers to', () => {
  const specOf = (document: object, files: Record<string, object>) => {
    const texts: Record<string, object> = {
      'spec/openapi.yaml': { openapi: '3.1.0', info: { title: '', version: '1.0.0' }, ...document },
      ...files,
    };
    return readSpec((file) => JSON.stringify(texts[file]));
  };

  test('a schema', () => {
    const inFile = (Name: object) =>
      specOf(operation(sent({ $ref: 'names.yaml#/Name' })), { 'spec/names.yaml': { Name } });
    expect(changes(specOf(operation(sent(string)), {}), inFile(string))).toEqual([]);
    expect(changes(inFile(string), inFile(short))).toEqual(['major: request bound narrowed: PUT /a body']);
  });

  test('a path item', () => {
    const item = { put: { operationId: 'put', responses: { 204: { description: '' } } } };
    const inFile = specOf({ paths: { '/a': { $ref: 'a.yaml' } } }, { 'spec/a.yaml': item });
    expect(changes(specOf({ paths: { '/a': item } }, {}), inFile)).toEqual([]);
    expect(changes(inFile, specOf({ paths: { '/a': {} } }, {}))).toEqual(['major: operation removed: PUT /a']);
  });
});
