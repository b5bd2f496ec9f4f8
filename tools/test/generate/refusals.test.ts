// Everything beyond the supported part of OpenAPI is refused, with its place and what to write
// instead.
import { expect, test } from 'vitest';
import { refusalsOf } from '../../generate/refusals.ts';
import { documentOf, done, get, item, post, query, returns, schemas, to } from './documents.ts';

const text = '{ type: string }';
const id = `{ name: id, in: path, required: true, schema: ${text} }`;
const texts = '{ type: array, items: { type: string } }';
const media = (type: string) => returns(text).replace('application/json', type);
const parameter = (place: string, schema = text) =>
  query(schema).replace('in: query', `in: ${place}`);
const objectWith = (schema: string) => `{ type: object, properties: { z: ${schema} } }`;
const paged = (value: string) =>
  returns(texts).replace('responses:', `x-pagination: ${value}\n      responses:`);
const twoPaths = (second: string) =>
  `paths:\n  /a:\n    get: { operationId: op, ${done} }\n  ${second}`;

/** The word at the place, and a part of the message. */
type Case = readonly [name: string, document: string, place: string, message: string];

const cases: readonly Case[] = [
  ['a cookie', parameter('cookie'), 'in', 'in: cookie'],
  ['a style', query(texts, 'style: pipeDelimited, '), 'style', 'pipeDelimited'],
  ['explode: false', query(texts, 'explode: false, '), 'explode', 'repeat the parameter'],
  ['an object in a query', query('{ type: object }'), 'schema', 'or an array of them'],
  [
    'an array in a header',
    parameter('header', texts),
    'schema',
    'use string, number, integer, boolean.',
  ],
  [
    'a header that fetch sets',
    parameter('header').replace('name: q', 'name: Content-Length'),
    'name',
    'Length',
  ],
  ['a header of HTTP', parameter('header').replace('name: q', 'name: Accept'), 'name', "'Accept'"],
  ['a parameter called body', query(text).replace('name: q', 'name: body'), 'name', 'rename it'],
  [
    'a form',
    media('application/x-www-form-urlencoded'),
    'application/x-www-form-urlencoded',
    'use application/json',
  ],
  ['text as a result', media('text/plain'), 'text/plain', 'use application/json'],
  [
    'a second media type',
    media(`application/json: { schema: ${text} }, a/b`),
    'a/b',
    'use application/json',
  ],
  ['a file', post('{ type: string, format: binary }'), 'format', 'format: binary'],
  [
    'security of an operation',
    get(`security: []\n${done}`),
    'security',
    'the security of the document',
  ],
  ['callbacks', get(`callbacks: {}\n${done}`), 'callbacks', 'another document'],
  [
    'HEAD',
    `paths:\n  /a:\n    head: { operationId: op, ${done} }`,
    'head',
    'wherever there is GET',
  ],
  [
    'servers of a path',
    `paths:\n  /a:\n    servers: []\n    get: { operationId: op, ${done} }`,
    'servers',
    'of the document',
  ],
  ['a body of GET', post(text).replace('post:', 'get:'), 'requestBody', 'use POST or PUT'],
  ['no operationId', get(done).replace('      operationId: op\n', ''), 'get', 'listPets'],
  [
    'an operationId that is no name',
    get(done).replace('op\n', 'list pets\n'),
    'operationId',
    'list pets',
  ],
  [
    'an operationId of every promise',
    get(done).replace('op\n', 'then\n'),
    'operationId',
    'listPets',
  ],
  [
    'a part of a segment as parameter',
    item(id).replace('{id}:', '{id}.json:'),
    '/a/{id',
    'one {parameter} each',
  ],
  [
    'no success',
    get('responses: { "404": { description: None. } }'),
    'responses',
    'declare a response such as "200"',
  ],
  [
    'a range of statuses',
    get(done.replace('} }', '}, 4XX: { description: No. } }')),
    '4XX',
    'write one status',
  ],
  ['a body of 204', media('application/json').replace('"200"', '"204"'), '"204"', 'a body of 204'],
  ['nullable', returns('{ type: string, nullable: true }'), 'nullable', "type: [string, 'null']"],
  ['readOnly', returns('{ type: string, readOnly: true }'), 'readOnly', 'declare two schemas'],
  [
    'a discriminator',
    returns('{ oneOf: [{ type: object }], discriminator: {} }'),
    'discriminator',
    'with const',
  ],
  ['several types', returns('{ type: [string, integer] }'), 'type', 'write oneOf'],
  ['a schema without a type', returns('{ minLength: 1 }'), 'schema', 'no type'],
  [
    'alternatives beside each other',
    returns(`{ oneOf: [${text}], anyOf: [${text}] }`),
    'anyOf',
    'oneOf and anyOf',
  ],
  [
    'a property in two parts of allOf',
    returns(`{ allOf: [${['{ minLength: 3, type: string }', text].map(objectWith)}] }`),
    'allOf',
    'in one of them',
  ],
  [
    'properties with the same words',
    returns(`{ type: object, properties: { aB: ${text}, a_b: ${text} } }`),
    'properties',
    'rename one',
  ],
  [
    'an enum of another type',
    returns('{ type: string, enum: [a, 1] }'),
    '1',
    'values of that type',
  ],
  [
    'an allOf of numbers',
    returns('{ allOf: [{ type: integer }, { type: integer }] }'),
    'allOf',
    'write one schema',
  ],
  [
    'a required property that is none',
    returns('{ type: object, required: [z] }'),
    'z',
    'declare it in properties',
  ],
  ['an array without items', returns('{ type: array }'), 'schema', 'write both'],
  [
    'an integer that YAML rounds',
    returns('{ type: integer, maximum: 9223372036854775807 }'),
    'maximum',
    'int64',
  ],
  [
    'a pattern that does not compile',
    returns("{ type: string, pattern: '[' }"),
    'pattern',
    'compiles',
  ],
  [
    'another file',
    returns("{ $ref: 'pets.yaml#/Pet' }"),
    '$ref',
    'refer to a component of this document',
  ],
  [
    'a keyword beside a reference',
    returns(`${to('A').slice(0, -2)}, minLength: 1 }`) + schemas(`A: ${text}`),
    'minLength',
    'move it to the target',
  ],
  ['a misspelt extension', get(`x-comand: a list\n${done}`), 'x-comand', 'or correct its name'],
  [
    'a misspelt part of x-pagination',
    paged('{ curser: after }'),
    'x-pagination',
    'which are query parameters',
  ],
  [
    'paging by no parameter',
    paged('{ cursor: after, key: id, limit: limit }'),
    'x-pagination',
    'query parameters',
  ],
  [
    'pages of what is no list',
    query('{ type: integer }').replace(
      'parameters:',
      'x-pagination: { cursor: q, key: id, limit: q }\n      parameters:',
    ),
    'x-pagination',
    'with an array',
  ],
  [
    'a date that is none',
    get(`deprecated: true\nx-sunset: "2030-02-31"\n${done}`),
    'x-sunset',
    'write a date',
  ],
  [
    'a format of texts',
    post('{ type: string, format: date-time }'),
    'format',
    'pattern for a string',
  ],
  [
    'a sunset without deprecated',
    get(`x-sunset: "2030-12-31"\n${done}`),
    'x-sunset',
    'add deprecated: true',
  ],
  [
    'a successor that is none',
    get(`deprecated: true\nx-successor: z\n${done}`),
    'x-successor',
    'another operation',
  ],
  ['a command of one word', get(`x-command: drop\n${done}`), 'x-command', 'two words'],
  [
    'a command of petctl itself',
    get(done).replace('tags: [a]', 'tags: [auth]'),
    'get',
    'petctl itself',
  ],
  [
    'one command twice',
    twoPaths(`/b:\n    get: { operationId: other, x-command: a op, ${done} }`),
    'get',
    'that of op',
  ],
  [
    'one name in two places',
    item(`${id}, { name: ID, in: query, schema: ${text} }`),
    'parameters',
    'rename one of them',
  ],
  [
    'an optional path parameter',
    item(id.replace('required: true', 'required: false')),
    'name',
    'write required: true',
  ],
  [
    'paths that only names tell apart',
    `${item(id)}\n  /a/{y}:\n    put: { operationId: other, parameters: [${id.replace('name: id', 'name: y')}], ${done} }`,
    '/a/{y',
    'use the same names',
  ],
  [
    'an endless schema',
    returns(to('J')) + schemas(`J: { anyOf: [${text}, ${to('J')}] }`),
    'J',
    'a part of itself',
  ],
  [
    'a name that an operation has',
    returns(to('OpData')) + schemas(`OpData: ${text}`),
    'operationId',
    'rename one',
  ],
  [
    'a reference into a component',
    returns(to('A/properties/b')) + schemas(`A: { type: object, properties: { b: ${text} } }`),
    '$ref',
    'a component',
  ],
  [
    'another version',
    documentOf(get(done)).replace('3.1.0', '3.0.3'),
    'openapi',
    'write openapi: 3.1.0',
  ],
  [
    'servers with different paths',
    documentOf(get(done)).replace(
      'servers: [',
      'servers: [{ url: https://b.example.com/v2, x-deployment: b }, ',
    ),
    'servers',
    'the same one',
  ],
  [
    'an address that is no URL',
    documentOf(get(done)).replace('api.example.com', 'a b'),
    'servers',
    'write a URL',
  ],
  [
    'basic authentication',
    documentOf(get(done)).replace('scheme: bearer', 'scheme: basic'),
    'scheme',
    'scheme: bearer',
  ],
];

test.each(cases)('%s is refused', async (_, part, place, message) => {
  const document = part.startsWith('openapi') ? part : documentOf(part);
  const lines = document.split('\n');
  const found = await refusalsOf(document, '/spec.yaml');
  // The text at the place is what the message is about.
  expect(
    found.map(({ line, column }) => lines[line - 1]?.slice(column - 1).split(/[:,}\] ]/)[0]),
  ).toEqual([place]);
  expect(found[0]?.message).toContain(message);
  expect(found[0]?.message).toMatch(/; .+\.$/);
});

test('YAML that cannot be parsed is refused where the parser stopped', async () => {
  expect(await refusalsOf('openapi: 3.1.0\npaths\ninfo: {}\n', '/spec.yaml')).toMatchObject([
    {
      line: 3,
      column: 5,
      message: expect.stringContaining('implicit key; correct the YAML'),
    },
  ]);
});

test('a list in place of a schema is refused', async () => {
  const found = await refusalsOf(documentOf(returns('[]')), '/spec.yaml');
  expect(found[0]?.message).toContain('a schema with no type is not supported');
});

test('all constructs are refused in one run', async () => {
  const document = documentOf(
    query('{ type: string, format: byte, nullable: true }').replace('in: query', 'in: cookie'),
  );
  const found = await refusalsOf(document, '/spec.yaml');
  expect(found.map(({ message }) => message.split(' ')[0])).toEqual(['in:', 'format:', 'nullable']);
});

test('every keyword of JSON Schema and OpenAPI that is not generated for is refused', async () => {
  const keywords = `
    not if then else propertyNames patternProperties prefixItems contains minContains maxContains
    dependentRequired dependentSchemas unevaluatedProperties unevaluatedItems $anchor $dynamicRef
    $comment contentEncoding contentMediaType writeOnly externalDocs xml minProperties maxProperties
  `;
  // `not in Schema is not supported; …` is ours; the linter refuses what no schema may have.
  const anyRefusal = /^\S+ in Schema is not supported; |is not expected here|expected type/i;
  for (const keyword of keywords.trim().split(/\s+/)) {
    const document = documentOf(get(done) + schemas(`A:\n  type: object\n  ${keyword}: {}`));
    const [refusal] = await refusalsOf(document, '/spec.yaml');
    expect(refusal?.message, keyword).toMatch(anyRefusal);
  }
});
