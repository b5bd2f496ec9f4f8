// Specs that the generator rejects, with the place and the fix.
import { describe, expect, test } from 'vitest';
import type { SpecError } from '../generate/document.ts';
import { readModel } from '../generate/generate.ts';
import { done, get, header, parameter, ref, specOf, withJson } from './support/spec.ts';

function messagesOf(text: string): readonly string[] {
  try {
    readModel(text, '/x/spec.yaml');
    return [];
  } catch (error) {
    return (error as SpecError).messages;
  }
}

test('a server URL that is invalid is rejected', () => {
  const [message] = messagesOf(specOf({}, { servers: [{ url: 'http://' }] }));
  expect(message).toBe("servers.0: the server URL 'http://' is invalid; write a URL or a path.");
});

const inPath = (name: string) => ({ ...parameter, name, in: 'path', required: true });

test.each<[problem: string, paths: object, message: string]>([
  [
    'an unknown kind of paging',
    get({ 'x-pagination': { by: 'lst' } }),
    "paths./a.get.x-pagination: by is 'lst'; write by: last, or nothing for the Link header.",
  ],
  [
    'paging of several successes',
    get({ 'x-pagination': {}, responses: { ...done, '200': { description: 'A page.' } } }),
    'paths./a.get.x-pagination: the operation has several successes; declare one.',
  ],
  [
    'an unknown stability level',
    get({ 'x-stability-level': 'alpha' }),
    "paths./a.get.x-stability-level: 'alpha' is not a stability level; write experimental or beta.",
  ],
  [
    'a malformed reference',
    get({ parameters: [{ $ref: '#/components/parameters/100%' }] }),
    "paths./a.get.parameters: $ref '#/components/parameters/100%' cannot be resolved; correct the reference.",
  ],
  [
    'a reference with the name of a property of every object',
    get({ parameters: [{ $ref: '#/components/parameters/constructor' }] }),
    "paths./a.get.parameters: $ref '#/components/parameters/constructor' cannot be resolved; correct the reference.",
  ],
  [
    'a reference to a file with a malformed name',
    get({ parameters: [{ $ref: '100%.yaml' }] }),
    'spec.yaml: the file 100%.yaml does not exist; correct the $ref to it.',
  ],
  [
    'a default that is larger than an exact number',
    get({ parameters: [{ ...parameter, schema: { type: 'integer', default: 2n ** 53n + 1n } }] }),
    'paths./a.get.parameters.id.schema: 9007199254740992 may have been rounded; write a default, const or enum within ±(2^53−1).',
  ],
  ['TRACE', { '/a': { trace: { responses: done } } }, 'paths./a.trace: fetch cannot send TRACE; remove the operation.'],
  [
    'a path parameter that is not in the path',
    get({ parameters: [inPath('id')] }),
    'paths./a.get.parameters.id: the path does not contain {id}; add it, or remove the parameter.',
  ],
  [
    'a successor that is not an operation',
    get({ deprecated: true, 'x-successor': 'getB' }),
    "paths./a.get.x-successor: 'getB' is not an operation; write the operationId of another operation.",
  ],
  [
    'a parameter without a name',
    get({ parameters: [{ in: 'query', schema: {} }] }),
    'paths./a.get.parameters: a parameter has no name; write its name.',
  ],
  [
    'a parameter that is twice in a path',
    { '/a/{id}/b/{id}': { get: { parameters: [inPath('id')], responses: done } } },
    'paths./a/{id}/b/{id}.get: the path contains {id} twice; rename one of them.',
  ],
  [
    'a date that is none',
    get({ deprecated: true, 'x-sunset': '2030-13-01' }),
    'paths./a.get.x-sunset: \'2030-13-01\' is not a date; write a date such as "2030-12-31".',
  ],
  [
    'a header that is declared twice',
    get({ parameters: [header('X-A'), header('x-a')] }),
    "paths./a.get.parameters.x-a: the header parameter 'x-a' is declared twice, because names of headers ignore case; remove one of them.",
  ],
  [
    'a parameter that is declared twice',
    get({ parameters: [parameter, parameter] }),
    "paths./a.get.parameters.id: the query parameter 'id' is declared twice; remove one of them.",
  ],
  [
    'a path that differs from another only in names',
    {
      '/a/{id}': { get: { parameters: [inPath('id')], responses: done } },
      '/a/{other}': { put: { parameters: [inPath('other')], responses: done } },
    },
    'paths./a/{other}: the path differs from /a/{id} only in names of parameters; declare all operations below one of them.',
  ],
])('%s is rejected', (_, paths, message) => {
  expect(messagesOf(specOf(paths))).toEqual([message]);
});

describe('an invalid value of a keyword is rejected with its place:', () => {
  const integers = ['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties'];
  test.each<[schema: object, place: string, message: string]>([
    [
      { pattern: '([' },
      'pattern',
      "'([' is not a regular expression with the flag u (Unterminated character class); correct the pattern.",
    ],
    [
      { pattern: '\\_' },
      'pattern',
      "'\\_' is not a regular expression with the flag u (Invalid escape); correct the pattern.",
    ],
    [
      { patternProperties: { '(': {} } },
      'patternProperties',
      "'(' is not a regular expression with the flag u (Unterminated group); correct the pattern.",
    ],
    [{ pattern: 5 }, 'pattern', 'the value is 5; write a string.'],
    [{ multipleOf: 0 }, 'multipleOf', 'the value is 0; write a number above 0.'],
    [{ minimum: '1' }, 'minimum', 'the value is "1"; write a number.'],
    [{ exclusiveMaximum: true }, 'exclusiveMaximum', 'the value is true; write a number.'],
    ...integers.map((name): [object, string, string] => [
      { [name]: -1 },
      name,
      'the value is -1; write an integer from 0.',
    ]),
    [{ uniqueItems: 'yes' }, 'uniqueItems', 'the value is "yes"; write true or false.'],
    [{ enum: [] }, 'enum', 'the value is []; write a list of values.'],
    [{ required: true }, 'required', 'the value is true; write a list of names.'],
    [{ allOf: {} }, 'allOf', 'the value is {}; write a list.'],
    [{ properties: ['a'] }, 'properties', 'the value is ["a"]; write an object.'],
    [
      { dependentRequired: { a: 'b' } },
      'dependentRequired',
      'the value is {"a":"b"}; write an object with lists of names.',
    ],
    [{ format: 5 }, 'format', 'the value is 5; write a string.'],
    [{ $ref: 5 }, '$ref', 'the value is 5; write a string.'],
    [
      { type: 'strng' },
      'type',
      'the value is "strng"; write string, number, integer, boolean, object, array or null, or a list of these.',
    ],
  ])('%j', (schema, place, message) => {
    const post = { requestBody: withJson({ properties: { a: { items: schema } } }), responses: done };
    expect(messagesOf(specOf({ '/a': { post } }))).toEqual([
      `paths./a.post.requestBody.content.application/json.schema.properties.a.items.${place}: ${message}`,
    ]);
    const inComponent = { requestBody: withJson(ref('A')), responses: done };
    const more = { components: { schemas: { A: { items: { anyOf: [schema] } } } } };
    expect(messagesOf(specOf({ '/a': { post: inComponent } }, more))).toEqual([
      `components.schemas.A.items.anyOf[0].${place}: ${message}`,
    ]);
  });
});

describe('a reference that leads back to itself without passing a property or an element is rejected with its place:', () => {
  test.each<[keyword: string, a: object, b: object, place: string]>([
    ['$ref', ref('B'), ref('A'), 'B'],
    ['oneOf and anyOf', { oneOf: [{}, ref('B')] }, { anyOf: [{ type: 'boolean' }, ref('A')] }, 'B.anyOf[1]'],
    ['allOf', { allOf: [{ allOf: [ref('A')] }] }, {}, 'A.allOf[0].allOf[0]'],
    ['else and not', { else: ref('B') }, { dependentSchemas: { a: { not: ref('A') } } }, 'B.dependentSchemas.a.not'],
  ])('%s', (_, a, b, place) => {
    const post = { requestBody: withJson({ properties: { a: ref('A') } }), responses: done };
    expect(messagesOf(specOf({ '/a': { post } }, { components: { schemas: { A: a, B: b } } }))).toEqual([
      `components.schemas.${place}: $ref '#/components/schemas/A' is circular; correct it, or move it into a property or an element.`,
    ]);
  });

  test('a parameter', () => {
    const $ref = '#/components/parameters/id';
    const more = { components: { parameters: { id: { $ref } } } };
    expect(messagesOf(specOf(get({ parameters: [{ $ref }] }), more))).toEqual([
      `components.parameters.id: $ref '${$ref}' is circular; correct it, or move it into a property or an element.`,
    ]);
  });
});

test('a schema may contain itself in its properties and elements, and an example may contain any reference', () => {
  const properties = { not: ref('A'), next: { anyOf: [ref('A'), { type: 'null' }] }, list: { items: ref('A') } };
  const example = { $ref: '#/components/schemas/A/example' };
  const more = { components: { schemas: { A: { properties, additionalProperties: ref('A'), example } } } };
  expect(messagesOf(specOf({ '/a': { post: { requestBody: withJson(ref('A')), responses: done } } }, more))).toEqual(
    [],
  );
});

test('an alias to a node that contains the alias is rejected', () => {
  expect(messagesOf('openapi: 3.1.0\npaths: {}\nx-a: &a\n  b: *a\n')).toEqual([
    'spec.yaml: the file is neither YAML nor JSON (Converting circular structure to JSON); correct the file.',
  ]);
});
