import { createRequire } from 'node:module';
import { describe, expect, test } from 'vitest';
import { textOf } from '../../repository.ts';
import { changes, levelOf, type Part, specWith } from './breaking-specs.ts';

const require = createRequire(import.meta.url);

/** The keywords that a part of a metaschema names. */
function keywordsOf(part: unknown, found = new Set<string>()): Set<string> {
  for (const [key, value] of Object.entries(typeof part === 'object' && part !== null ? part : {})) {
    if (key === 'properties') for (const keyword of Object.keys(value)) found.add(keyword);
    else keywordsOf(value, found);
  }
  return found;
}

const vocabularies = ['core', 'applicator', 'unevaluated', 'validation', 'meta-data', 'format-annotation', 'content'];
const schemaKeywords = new Set([
  ...vocabularies.flatMap((name) => [...keywordsOf(require(`ajv/dist/refs/json-schema-2020-12/meta/${name}.json`))]),
  // What OpenAPI adds: its metaschema calls this vocabulary by its address alone.
  ...['discriminator', 'xml', 'externalDocs', 'example'],
]);

const openApi = require('@seriousme/openapi-schema-validator/schemas/v3.1/schema.json');
const objectKeywords = (kind: string) =>
  kind === 'document' ? Object.keys(openApi.properties) : [...keywordsOf(openApi.$defs[kind])];

type Sample = readonly [one: unknown, other: unknown, levels: string, beside?: object];

/** The levels of a change in a request and of its reverse. `tighter`: the second value allows less than the first one. */
const tighter = 'major minor';
const different = 'major major';
const silent = '- -';

const absent = undefined;
const text = { type: 'string' };
const schemaRef = '#/components/schemas/A';

/** Two values of each keyword of JSON Schema, and the levels of the change and of its reverse in a request. */
const ofSchemas: Record<string, Sample> = {
  ...{ $id: ['https://a.test/a', 'https://a.test/b', silent], $anchor: ['a', 'b', silent] },
  ...{ $comment: ['a', 'b', silent], $defs: [{ a: text }, { a: {} }, silent] },
  ...{ title: ['a', 'b', silent], description: ['a', 'b', silent], examples: [['a'], ['b'], silent] },
  ...{ example: ['a', 'b', silent], externalDocs: [{ url: '/a' }, { url: '/b' }, silent] },
  $schema: ['https://a.test/a', 'https://a.test/b', different],
  $vocabulary: [absent, { 'https://a.test': true }, different],
  $dynamicRef: [absent, '#a', different],
  $dynamicAnchor: [absent, 'a', different],
  $ref: [absent, schemaRef, tighter],
  type: [['string', 'null'], 'string', tighter],
  enum: [['a', 'b'], ['a'], tighter],
  const: [absent, 'a', tighter],
  default: ['a', 'b', different],
  deprecated: [false, true, 'minor minor'],
  // At the schema itself they say nothing: see the properties.
  ...{ readOnly: [false, true, silent], writeOnly: [false, true, silent] },
  ...{ minimum: [1, 2, tighter], exclusiveMinimum: [1, 2, tighter], minLength: [1, 2, tighter] },
  ...{ maximum: [2, 1, tighter], exclusiveMaximum: [2, 1, tighter], maxLength: [2, 1, tighter] },
  ...{ minItems: [1, 2, tighter], minProperties: [1, 2, tighter], minContains: [1, 2, tighter, { contains: text }] },
  ...{ maxItems: [2, 1, tighter], maxProperties: [2, 1, tighter], maxContains: [2, 1, tighter, { contains: text }] },
  multipleOf: [2, 4, tighter],
  pattern: ['^a', '^b', different],
  format: ['int64', 'int32', tighter],
  uniqueItems: [false, true, tighter],
  ...{ contentEncoding: ['base64', 'base64url', different], contentMediaType: ['image/png', 'image/gif', different] },
  contentSchema: [{}, text, tighter],
  ...{
    items: [{}, text, tighter],
    prefixItems: [[{}], [text], tighter],
    contains: [text, { type: 'null' }, different],
  },
  ...{ properties: [{ a: {} }, { a: text }, tighter], required: [[], ['a'], tighter] },
  additionalProperties: [{}, text, tighter],
  patternProperties: [{ '^a': {} }, { '^a': text }, tighter],
  propertyNames: [{}, { maxLength: 9 }, tighter],
  ...{ unevaluatedItems: [{}, text, tighter], unevaluatedProperties: [{}, text, tighter] },
  dependentRequired: [{ a: [] }, { a: ['b'] }, tighter],
  dependentSchemas: [{ a: {} }, { a: { required: ['b'] } }, tighter],
  allOf: [[{}], [text], tighter],
  ...{ anyOf: [[text, { type: 'null' }], [text], tighter], oneOf: [[text, { type: 'null' }], [text], tighter] },
  not: [{ const: 'a' }, { const: 'b' }, different],
  if: [{ const: 'a' }, { const: 'b' }, different],
  ...Object.fromEntries(['then', 'else'].map((keyword) => [keyword, [{}, text, tighter] as const])),
  discriminator: [{ propertyName: 'a' }, { propertyName: 'b' }, different],
  // It counts where the media type is XML: see the media types.
  xml: [{ name: 'a' }, { name: 'b' }, silent],
  'x-statuses': [{ a: 400 }, { a: 404 }, different],
};

/** Two values of each keyword of the objects of OpenAPI, and what the change and its reverse are. */
const ofObjects: Partial<Record<Part, Record<string, Sample>>> = {
  document: {
    ...{
      info: [{ title: 'a' }, { title: 'b' }, silent],
      tags: [[], [{ name: 'a' }], silent],
      externalDocs: [{}, { url: '/' }, silent],
    },
    openapi: ['3.1.0', '3.1.1', silent],
    jsonSchemaDialect: [absent, 'https://a.test', different],
    servers: [[{ url: 'https://a.test' }], [{ url: 'https://b.test' }], different],
    paths: [{ '/a': { get: {} } }, { '/a': { get: {} }, '/b': { get: {} } }, 'minor major'],
    webhooks: [{ a: { post: {} } }, {}, 'major minor'],
    // They count where they are used.
    components: [{}, { schemas: { B: text } }, silent],
    security: [[], [{ basic: [] }], 'major minor'],
  },
  server: {
    url: ['https://a.test', 'https://b.test', different],
    description: ['a', 'b', silent],
    variables: [{}, { w: { default: 'a' } }, 'minor major'],
    'x-deployment': ['a', 'b', different],
  },
  'server-variable': {
    enum: [['a', 'b'], ['a'], tighter],
    default: ['a', 'b', different],
    description: ['a', 'b', silent],
  },
  'path-item': {
    ...{ summary: ['a', 'b', silent], description: ['a', 'b', silent] },
    $ref: [absent, '#/components/pathItems/P', 'minor major'],
    servers: [absent, [{ url: 'https://b.test' }], different],
    parameters: [[], [{ name: 'p', in: 'query', required: true, schema: text }], different],
    ...Object.fromEntries(
      ['get', 'post', 'delete', 'options', 'head', 'patch', 'trace'].map((method) => [
        method,
        [absent, {}, 'minor major'] as const,
      ]),
    ),
    put: [{}, { requestBody: { required: true, content: {} } }, different],
  },
  operation: {
    ...{ summary: ['a', 'b', silent], description: ['a', 'b', silent], externalDocs: [{}, { url: '/' }, silent] },
    // The names of functions and commands are compared apart: see breaking-names.test.ts.
    ...{ operationId: ['a', 'b', silent], tags: [['a'], ['b'], silent] },
    parameters: [[], [{ name: 'p', in: 'query', required: true, schema: text }], different],
    requestBody: [absent, { content: {} }, 'minor major'],
    responses: [{ 204: { description: '' } }, { 200: { description: '' } }, different],
    callbacks: [{ a: {} }, {}, 'major minor'],
    deprecated: [false, true, 'minor minor'],
    security: [[], [{ basic: [] }], 'major minor'],
    servers: [absent, [{ url: 'https://b.test' }], different],
    'x-sunset': ['2031-01-01', '2030-01-01', 'major -'],
    ...{ 'x-deprecated-since': ['2026-01-01', '2026-01-02', 'minor minor'], 'x-successor': ['a', 'b', 'minor minor'] },
    'x-stability-level': ['beta', 'experimental', 'major minor'],
    'x-pagination': [{ cursor: 'a' }, { cursor: 'b' }, different],
    'x-command': ['a b', 'a c', silent],
    'x-no-idempotency-key': ['a', 'b', silent],
  },
  parameter: {
    ...{ name: ['q', 'r', different], in: ['query', 'header', different], description: ['a', 'b', silent] },
    ...{ required: [false, true, tighter], deprecated: [false, true, 'minor minor'] },
    schema: [text, { ...text, maxLength: 9 }, tighter],
    content: [absent, { 'application/json': {} }, different],
    ...{ style: ['form', 'pipeDelimited', different], explode: [true, false, different] },
    ...{ allowReserved: [false, true, different], allowEmptyValue: [false, true, different] },
    'x-idempotency-key': [absent, true, different],
  },
  'request-body': {
    description: ['a', 'b', silent],
    required: [false, true, tighter],
    content: [{ 'text/plain': {} }, {}, 'major minor'],
  },
  'media-type': {
    schema: [text, { ...text, maxLength: 9 }, tighter],
    encoding: [{ a: { explode: true } }, { a: { explode: false } }, different],
  },
  encoding: {
    contentType: ['image/png, image/gif', 'image/png', tighter],
    headers: [{}, { 'X-A': { required: true, schema: text } }, different],
    ...{
      style: ['form', 'pipeDelimited', different],
      explode: [true, false, different],
      allowReserved: [false, true, different],
    },
  },
  responses: { default: [{ description: '' }, absent, 'major minor'] },
  response: {
    description: ['a', 'b', silent],
    headers: [{ 'X-A': { schema: text } }, {}, 'major minor'],
    content: [{ 'text/plain': {} }, {}, 'major minor'],
    links: [{ next: { operationId: 'a' } }, {}, 'major minor'],
    'x-unreachable': ['a', 'b', silent],
  },
  header: {
    ...{ description: ['a', 'b', silent], deprecated: [false, true, 'minor minor'] },
    required: [true, false, 'major minor'],
    schema: [{ ...text, maxLength: 9 }, text, 'major minor'],
    content: [absent, { 'application/json': {} }, different],
    ...{ style: ['simple', 'form', different], explode: [false, true, different] },
  },
  link: {
    ...{ operationRef: ['a', 'b', different], operationId: ['a', 'b', different], description: ['a', 'b', silent] },
    ...{
      parameters: [{}, { a: 'b' }, different],
      requestBody: ['a', 'b', different],
      server: [{ url: '/a' }, { url: '/b' }, different],
    },
  },
  'security-scheme': {
    ...{ type: ['http', 'apiKey', different], scheme: ['basic', 'bearer', different], name: ['a', 'b', different] },
    ...{ in: ['query', 'header', different], openIdConnectUrl: ['https://a.test', 'https://b.test', different] },
    ...{ description: ['a', 'b', silent], bearerFormat: ['a', 'b', silent] },
    flows: [{ implicit: {} }, {}, 'major minor'],
  },
  'oauth-flows': {
    ...Object.fromEntries(
      ['implicit', 'password', 'clientCredentials', 'authorizationCode'].map((flow) => [
        flow,
        [{}, absent, 'major minor'] as const,
      ]),
    ),
  },
  // In the metaschema it is a part of the one above.
  'oauth-flow': {
    ...{ authorizationUrl: ['/a', '/b', different], tokenUrl: ['/a', '/b', different] },
    ...{ refreshUrl: ['/a', '/b', different], scopes: [{ read: '' }, {}, 'major minor'] },
  },
};

/** Objects that are documentation as a whole, count where they are used, or are only a part of another one. */
const isUncompared =
  /^(info|contact|license|external-documentation|tag|examples?|components|paths|content|callbacks|reference|schema|security-requirement|specification-extensions|map-of-strings|explode-for-form|.*-or-reference)$/;

const without = (object: object) => JSON.parse(JSON.stringify(object));

function bothWays(part: Part, keyword: string, [one, other, , beside = {}]: Sample): string {
  const [was, is] = [one, other].map((value) => specWith(part, without({ ...beside, [keyword]: value })));
  if (!was || !is) throw new Error('there are not two');
  return `${levelOf(was, is)} ${levelOf(is, was)}`;
}

describe('each keyword of JSON Schema has a rule', () => {
  test.each([...schemaKeywords])('%s', (keyword) => {
    const sample = ofSchemas[keyword];
    if (!sample) throw new Error(`a change of ${keyword} is not tried`);
    const [, , expected] = sample;
    expect(bothWays('request schema', keyword, sample)).toBe(expected);
    // What is tighter for a request is looser for a response.
    const [there, back] = expected.split(' ');
    expect(bothWays('response schema', keyword, sample)).toBe(expected === tighter ? `${back} ${there}` : expected);
  });
});

describe('each keyword of OpenAPI 3.1 has a rule', () => {
  const kinds = ['document', ...Object.keys(openApi.$defs)].filter((kind) => !isUncompared.test(kind));
  test.each(kinds)('%s', (kind) => {
    const tried = { ...ofObjects[kind as Part], ...(kind === 'oauth-flows' && ofObjects['oauth-flow']) };
    expect(objectKeywords(kind).filter((keyword) => !(keyword in tried))).toEqual([]);
  });

  const tried = Object.entries(ofObjects).flatMap(([kind, samples]) =>
    Object.entries(samples).map(([keyword, sample]) => [kind as Part, keyword, sample] as const),
  );
  test.each(tried)('%s: %s', (kind, keyword, sample) => {
    expect(bothWays(kind, keyword, sample)).toBe(sample[2]);
  });
});

test('each extension that the spec may have is tried', () => {
  const tried = [ofSchemas, ...Object.values(ofObjects)].flatMap(Object.keys);
  const written = `${textOf('spec/README.md')}\n${textOf('spec/openapi.yaml')}`.match(/\bx-[a-z][a-z-]+(?=:|`)/g);
  expect([...new Set(written)].filter((extension) => !tried.includes(extension))).toEqual([]);
});

describe('an extension that nothing reads may be added, but not changed or removed', () => {
  const parts = [...Object.keys(ofObjects), 'request schema', 'response schema'];
  test.each(parts as Part[])('%s', (part) => {
    const spec = (value?: number) => specWith(part, without({ 'x-nobody-reads-it': value }));
    expect(changes(spec(1), spec(2))).toEqual([expect.stringMatching(/^major: no rule for x-nobody-reads-it: /)]);
    expect(changes(spec(1), spec())).toEqual([expect.stringMatching(/^major: no rule for x-nobody-reads-it: /)]);
    expect(changes(spec(), spec(1))).toEqual([]);
  });
});
