import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { compareSpecs } from '../../drift/checks/breaking-changes/compare.ts';
import { readSpec } from '../../drift/openapi.ts';

type Schema = boolean | { readonly [keyword: string]: unknown };

/** A small spec; `more` is put over its one operation, `files` stand beside it. */
function specWith(more: object, components: object = {}, files: Record<string, object> = {}) {
  const operation = { operationId: 'put', tags: ['a'], responses: { 204: { description: '' } }, ...more };
  const document = {
    openapi: '3.1.0',
    info: { title: '', version: '1.0.0' },
    paths: { '/a': { put: operation } },
    components,
  };
  const texts: Record<string, object> = { 'spec/openapi.yaml': document, ...files };
  return readSpec((file) => stringify(texts[file]));
}

const rulesOf = (before: ReturnType<typeof specWith>, after: ReturnType<typeof specWith>) =>
  compareSpecs(before, after, '2026-11-20').map(({ level, rule, where }) => `${level}: ${rule}: ${where}`);

const json = (schema: Schema) => ({ 'application/json': { schema } });
const sent = (schema: Schema) => ({ requestBody: { content: json(schema) } });
const received = (schema: Schema) => ({ responses: { 200: { description: '', content: json(schema) } } });

const string = { type: 'string' };
const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more });

describe('the same, written another way', () => {
  const named = { components: { schemas: { Name: string } } };
  test.each<[string, Schema, Schema]>([
    ['a list of types', { type: ['integer', 'null'] }, { type: ['integer', 'null'] }],
    ['the order of types', { type: ['integer', 'null'] }, { type: ['null', 'integer'] }],
    ['an alternative that is null', { type: ['string', 'null'] }, { anyOf: [string, { type: 'null' }] }],
    ['a reference', string, { $ref: '#/components/schemas/Name' }],
    ['a reference with a description', string, { $ref: '#/components/schemas/Name', description: 'Who.' }],
    ['allOf', object({ a: string, b: string }), { allOf: [object({ a: string }), object({ b: string })] }],
    ['const', { enum: ['a'] }, { const: 'a' }],
    ['the order of alternatives', { oneOf: [string, { type: 'integer' }] }, { oneOf: [{ type: 'integer' }, string] }],
    ['one alternative', { oneOf: [string] }, string],
    ['a file', string, { $ref: 'names.yaml#/Name' }],
    ['texts', { type: 'string', title: 'A', examples: ['x'] }, { type: 'string', title: 'B' }],
    ['properties with the names of keywords', object({ title: string }), object({ title: { ...string, title: 'x' } })],
    ['all properties allowed', object({}), object({}, { additionalProperties: true })],
  ])('%s', (_, before, after) => {
    const spec = (schema: Schema) =>
      specWith({ ...sent(schema), ...received(schema) }, named.components, { 'spec/names.yaml': { Name: string } });
    expect(rulesOf(spec(before), spec(after))).toEqual([]);
    expect(rulesOf(spec(after), spec(before))).toEqual([]);
  });

  test('a schema that contains itself', () => {
    const tree = (more: object) => ({
      schemas: { Tree: object({ children: { type: 'array', items: { $ref: '#/components/schemas/Tree' } }, ...more }) },
    });
    const spec = (more: object) => specWith(sent({ $ref: '#/components/schemas/Tree' }), tree(more));
    expect(rulesOf(spec({}), spec({}))).toEqual([]);
    expect(rulesOf(spec({ name: string }), spec({}))).toEqual(['major: request property removed: PUT /a body.name']);
  });

  test('a schema that contains itself as a part, and as an alternative', () => {
    const ref = { $ref: '#/components/schemas/Tree' };
    const tree = (more: object) => {
      const child = { allOf: [ref, { description: 'A child.' }] };
      return { schemas: { Tree: object({ child, other: { oneOf: [string, child] }, ...more }) } };
    };
    const spec = (more: object) => specWith(sent({ anyOf: [ref, string] }), tree(more));
    expect(rulesOf(spec({}), spec({}))).toEqual([]);
    expect(rulesOf(spec({ name: string }), spec({}))).toContain('major: request property removed: PUT /a body.name');
  });

  test('what is said beside a schema that contains itself', () => {
    const ref = { $ref: '#/components/schemas/Tree' };
    const spec = (more: object) =>
      specWith(sent(ref), { schemas: { Tree: object({ child: { allOf: [ref, more] } }, {}) } });
    expect(rulesOf(spec({}), spec({ maxProperties: 9 }))).toEqual(['major: request bound narrowed: PUT /a body.child']);
  });

  test('what another file says is compared', () => {
    const spec = (name: Schema) =>
      specWith(sent({ $ref: 'names.yaml#/Name' }), {}, { 'spec/names.yaml': { Name: name } });
    expect(rulesOf(spec(string), spec({ ...string, maxLength: 9 }))).toEqual([
      'major: request bound narrowed: PUT /a body',
    ]);
  });

  test('a path item behind a reference', () => {
    const item = { put: { operationId: 'put', responses: { 204: { description: '' } } } };
    const document = (path: object) => ({ openapi: '3.1.0', info: {}, paths: { '/a': path } });
    const spec = (path: object, files: Record<string, object> = {}) =>
      readSpec((file) => stringify({ 'spec/openapi.yaml': document(path), ...files }[file]));
    const outside = spec({ $ref: 'a.yaml' }, { 'spec/a.yaml': item });
    expect(rulesOf(spec(item), outside)).toEqual([]);
    expect(rulesOf(outside, spec({}))).toEqual(['major: operation removed: PUT /a']);
  });
});

describe('a change of a schema', () => {
  const [narrow, wide] = ['narrowed', 'widened'];
  test.each<[string, Schema, Schema, string, string | undefined]>([
    ['null no longer possible', { type: ['string', 'null'] }, string, 'type changed', ''],
    ['an alternative removed', { oneOf: [string, { type: 'integer' }] }, string, 'alternatives', ''],
    [
      'alternatives of which one has to fit',
      { anyOf: [object({ a: string }), object({ b: string })] },
      { oneOf: [object({ a: string }), object({ b: string })] },
      'oneOf',
      '',
    ],
    [
      'an alternative of three removed',
      { anyOf: [string, { type: 'integer' }, { type: 'boolean' }] },
      { anyOf: [string, { type: 'integer' }] },
      'alternatives',
      '',
    ],
    ['if and else', object({}), object({}, { if: object({ a: string }), else: { required: ['b'] } }), 'if', 'else'],
    [
      'values of a map',
      object({}, { additionalProperties: string }),
      object({}, { additionalProperties: { ...string, maxLength: 9 } }),
      'bound',
      '',
    ],
    [
      'elements of a list',
      { type: 'array', items: string },
      { type: 'array', items: { ...string, maxLength: 9 } },
      'bound',
      '',
    ],
    [
      'a property of a part',
      { allOf: [object({ a: string })] },
      { allOf: [object({ a: { ...string, maxLength: 9 } })] },
      'bound',
      '',
    ],
    [
      'a property deep inside',
      object({ a: object({ b: string }) }),
      object({ a: object({ b: { ...string, enum: ['x'] } }) }),
      'enum',
      '',
    ],
  ])('%s', (_, before, after, rule, more) => {
    const levels = (direction: string, way: string, level: string) =>
      [rule, ...(more ? [more] : [])].map(
        (one) => `${level}: ${direction} ${one}${one === 'type changed' ? '' : ` ${way}`}`,
      );
    const rules = (make: (schema: Schema) => object, from: Schema, to: Schema) =>
      rulesOf(specWith(make(from)), specWith(make(to))).map((line) => line.replace(/: PUT .*/, ''));
    expect(rules(sent, before, after)).toEqual(levels('request', narrow, 'major'));
    expect(rules(sent, after, before)).toEqual(levels('request', wide, 'minor'));
    expect(rules(received, before, after)).toEqual(levels('response', narrow, 'minor'));
    expect(rules(received, after, before)).toEqual(levels('response', wide, 'major'));
  });

  test('an alternative that a value may fit beside another one is wider and tighter', () => {
    const overlapping = { oneOf: [string, { enum: ['a', 1] }] };
    const levels = rulesOf(specWith(sent(string)), specWith(sent(overlapping)));
    expect(levels).toEqual([
      'minor: request alternatives widened: PUT /a body',
      'major: request oneOf narrowed: PUT /a body',
    ]);
    expect(rulesOf(specWith(received(overlapping)), specWith(received(string)))).toEqual([
      'minor: response alternatives narrowed: PUT /a 200',
      'major: response oneOf widened: PUT /a 200',
    ]);
  });

  test.each<[string, object, object, string]>([
    [
      'an integer that is also a number',
      sent({ allOf: [{ type: 'integer' }, { type: 'number', maximum: 9 }] }),
      sent(string),
      'major: request type changed: PUT /a body',
    ],
    [
      'a property that is only read',
      sent(object({ a: string })),
      sent(object({ a: { ...string, readOnly: true } })),
      'major: request property removed: PUT /a body.a',
    ],
    [
      'a property that is only written',
      received(object({ a: string })),
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
      'a keyword that nobody knows',
      sent({ ...string, sparkle: 1 }),
      sent({ ...string, sparkle: 2 }),
      'major: no rule for sparkle: PUT /a body',
    ],
    [
      'a value deprecated',
      sent(string),
      sent({ ...string, deprecated: true }),
      'minor: request value deprecated: PUT /a body',
    ],
  ])('%s', (_, before, after, expected) => {
    expect(rulesOf(specWith(before), specWith(after))).toEqual([expected]);
  });
});

describe('a change of how something is sent', () => {
  const callback = (schema: Schema, responses: object = { 200: { description: '' } }) => ({
    callbacks: { done: { '{$request.body#/url}': { post: { requestBody: { content: json(schema) }, responses } } } },
  });
  const query = (more: object) => ({
    parameters: [{ name: 'q', in: 'query', schema: { type: 'array', items: string }, ...more }],
  });
  const form = (encoding: object) => ({
    requestBody: { content: { 'multipart/form-data': { schema: object({ a: string }), encoding } } },
  });
  const header = (more: object) => ({
    responses: { 200: { description: '', headers: { 'X-A': { schema: string, ...more } } } },
  });
  test.each<[string, object, object, string[]]>([
    [
      'a style',
      query({}),
      query({ style: 'pipeDelimited', explode: false }),
      ['major: parameter serialization changed: PUT /a query q'],
    ],
    ['a style that is the default', query({}), query({ style: 'form', explode: true }), []],
    [
      'an encoding',
      form({}),
      form({ a: { contentType: 'image/png' } }),
      ['major: request encoding narrowed: PUT /a body a', 'minor: request encoding widened: PUT /a body a'],
    ],
    [
      'a media type',
      sent(string),
      { requestBody: { content: { 'text/plain': {} } } },
      ['major: request media type removed: PUT /a body', 'minor: request media type added: PUT /a body'],
    ],
    [
      'a header that may be missing',
      header({ required: true }),
      header({}),
      ['major: header may be missing: PUT /a 200 X-A'],
    ],
    [
      'a success of a range',
      received(string),
      { responses: { '2XX': { description: '', content: json(string) } } },
      ['major: success status added: PUT /a 2XX', 'major: status removed: PUT /a 200'],
    ],
    ['a stability', {}, { 'x-stability-level': 'beta' }, ['major: stability lowered: PUT /a']],
    [
      'what a callback sends',
      callback(object({ a: string }, { required: ['a'] })),
      callback(object({ a: string })),
      ['major: response property may be missing: PUT /a callback done POST {$request.body#/url} body.a'],
    ],
    [
      'what a callback accepts',
      callback({}, { 200: { description: '' }, 202: { description: '' } }),
      callback({}, { 200: { description: '' }, 204: { description: '' } }),
      [
        'major: status removed: PUT /a callback done POST {$request.body#/url} 202',
        'minor: status added: PUT /a callback done POST {$request.body#/url} 204',
      ],
    ],
    [
      'a failure that is not what failures were',
      { responses: { default: { description: '', content: json(string) } } },
      {
        responses: {
          default: { description: '', content: json(string) },
          404: { description: '', content: json({ type: 'integer' }) },
        },
      },
      ['major: response type changed: PUT /a 404', 'minor: status added: PUT /a 404'],
    ],
    [
      'XML',
      { requestBody: { content: { 'application/xml': { schema: object({}, { xml: { name: 'a' } }) } } } },
      { requestBody: { content: { 'application/xml': { schema: object({}, { xml: { name: 'b' } }) } } } },
      ['major: request XML changed: PUT /a body'],
    ],
    [
      'a range of media types that replaces one of them',
      { requestBody: { content: { 'text/plain': { schema: string } } } },
      { requestBody: { content: { 'text/*': { schema: { ...string, maxLength: 9 } } } } },
      ['major: request bound narrowed: PUT /a body'],
    ],
  ])('%s', (_, before, after, expected) => {
    expect(rulesOf(specWith(before), specWith(after)).sort()).toEqual(expected.toSorted());
  });

  test('the detail of a stability and of a removal', () => {
    const detailOf = (before: object, after: ReturnType<typeof specWith>) =>
      compareSpecs(specWith(before), after, '2026-11-20').map(({ detail }) => detail)[0];
    expect(detailOf({}, specWith({ 'x-stability-level': 'beta' }))).toBe('stable became beta');
    const none = readSpec(() => stringify({ openapi: '3.1.0', info: { title: '', version: '1.0.0' }, paths: {} }));
    expect(detailOf({ 'x-sunset': '2020-01-01' }, none)).toBe('it was removed without being deprecated');
    expect(detailOf({ deprecated: true }, none)).toBe('it was removed without a sunset');
  });

  test('credentials', () => {
    const spec = (scheme: object, security: object[]) =>
      specWith({ security }, { securitySchemes: { a: scheme, b: { type: 'http', scheme: 'basic' } } });
    const bearer = { type: 'http', scheme: 'bearer' };
    const key = { type: 'apiKey', in: 'header', name: 'X-Key' };
    expect(rulesOf(spec(bearer, [{ a: [] }]), spec(key, [{ a: [] }]))).toEqual([
      'major: security scheme changed: security scheme a',
    ]);
    expect(rulesOf(spec(bearer, [{ a: [] }]), spec(bearer, [{ a: ['write'] }]))).toEqual([
      'major: security scheme removed: PUT /a',
    ]);
    expect(rulesOf(spec(bearer, [{ a: [] }]), spec(bearer, [{ a: [] }, { b: [] }]))).toEqual([
      'minor: security relaxed: PUT /a',
    ]);
    expect(rulesOf(spec(bearer, [{ a: [] }, { b: [] }]), spec(bearer, [{ b: [] }, { a: [] }]))).toEqual([]);
  });
});
