import { readFileSync } from 'node:fs';
import { isDeep } from '@petstore/testing';
import { describe, expect, test } from 'vitest';
import { readSpec } from '../../drift/openapi.ts';
import { publicDocuments } from '../corpus/documents.ts';
import { changes, type Part, specWith } from './breaking-specs.ts';

const text = { type: 'string' };
const integer = { type: 'integer' };
const named = { $ref: '#/components/schemas/A' };

const kind = (name: string) => ({ type: 'object', required: ['kind'], properties: { kind: { const: name } } });

/** Two ways to write the same schema. */
const schemas: Record<string, readonly [object | boolean, object | boolean]> = {
  'a bound of integers': [
    { ...integer, maximum: 100 },
    { ...integer, exclusiveMaximum: 101 },
  ],
  'two bounds of which one is enough': [
    { ...integer, minimum: 1 },
    { ...integer, minimum: 1, exclusiveMinimum: -3 },
  ],
  'a length of zero': [text, { ...text, minLength: 0 }],
  'at least one contained element': [{ contains: text }, { contains: text, minContains: 1 }],
  'elements that may be equal': [{ type: 'array' }, { type: 'array', uniqueItems: false }],
  'a pattern that every text matches': [text, { ...text, pattern: '.*' }],
  'the type of all values': [{ enum: ['a', 'b'] }, { ...text, enum: ['a', 'b'] }],
  'values in another order': [{ enum: ['a', 'b'] }, { enum: ['b', 'a'] }],
  'required properties in another order': [{ required: ['a', 'b'] }, { required: ['b', 'a'] }],
  'properties in another order': [{ properties: { a: text, b: integer } }, { properties: { b: integer, a: text } }],
  'keys of a default in another order': [{ default: { a: 1, b: 2 } }, { default: { b: 2, a: 1 } }],
  'conditions in another order': [
    { dependentRequired: { a: ['b'], c: [] } },
    { dependentRequired: { c: [], a: ['b'] } },
  ],
  'every further property': [{ type: 'object' }, { type: 'object', additionalProperties: {} }],
  'every unevaluated property': [{ type: 'object' }, { type: 'object', unevaluatedProperties: true }],
  'every element': [{ type: 'array' }, { type: 'array', items: {} }],
  'every first element': [{ type: 'array' }, { type: 'array', prefixItems: [{}] }],
  'every name': [{ type: 'object' }, { type: 'object', propertyNames: {} }],
  'a value that is not deprecated': [text, { ...text, deprecated: false }],
  'a property that is neither read-only nor write-only': [
    { properties: { a: text } },
    { properties: { a: { ...text, readOnly: false, writeOnly: false } } },
  ],
  'the name of a schema': [text, named],
  'a reference with a description': [text, { ...named, description: 'A name.' }],
  'types in another order': [{ type: ['integer', 'null'] }, { type: ['null', 'integer'] }],
  'an alternative that is null': [{ type: ['string', 'null'] }, { anyOf: [text, { type: 'null' }] }],
  'one alternative': [text, { oneOf: [text] }],
  'alternatives in another order': [{ oneOf: [text, integer] }, { oneOf: [integer, text] }],
  'parts of an object': [
    { type: 'object', properties: { a: text, b: text } },
    {
      allOf: [
        { type: 'object', properties: { a: text } },
        { type: 'object', properties: { b: text } },
      ],
    },
  ],
  'the only value': [{ enum: ['a'] }, { const: 'a' }],
  'properties with the names of keywords': [
    { properties: { title: text } },
    { properties: { title: { ...text, title: 'A title' } } },
  ],
  'a part that is documentation': [text, { allOf: [text, { description: 'A text.' }] }],
  'parts that repeat a property': [
    { properties: { a: text } },
    { allOf: [{ properties: { a: text } }, { properties: { a: text } }] },
  ],
  'the discriminator value that the name implies': [
    { oneOf: [named], discriminator: { propertyName: 'kind' } },
    { oneOf: [named], discriminator: { propertyName: 'kind', mapping: { A: '#/components/schemas/A' } } },
  ],
  'alternatives of different types': [{ anyOf: [text, integer] }, { oneOf: [text, integer] }],
  'alternatives with different values of a property': [
    { anyOf: [kind('a'), kind('b')] },
    { oneOf: [kind('a'), kind('b')] },
  ],
  'the XML form of a JSON value': [text, { ...text, xml: { name: 'a' } }],
  'a comment, a title and an example': [text, { ...text, $comment: 'a', title: 'A', examples: ['a'] }],
};

const response = { 204: { description: '' } };
const query = { name: 'q', in: 'query', schema: text };
const other = { ...query, name: 'r' };
const header = { 'X-A': { schema: text } };

/** Two ways to write the same part of a spec, and changes that affect no client. */
const objects: Record<string, readonly [part: Part, before: object, after: object]> = {
  'headers in another case': ['response', { headers: header }, { headers: { 'x-a': { schema: text } } }],
  'Content-Type, which the media types describe': ['response', {}, { headers: { 'Content-Type': { schema: text } } }],
  'a parameter that OpenAPI ignores': [
    'operation',
    {},
    { parameters: [{ name: 'Accept', in: 'header', required: true, schema: text }] },
  ],
  'parameters in another order': ['operation', { parameters: [query, other] }, { parameters: [other, query] }],
  'a style that is the default': ['parameter', {}, { style: 'form', explode: true, allowReserved: false }],
  'a style of a header that is the default': ['header', {}, { style: 'simple', explode: false }],
  'a style of a part that is the default': ['encoding', {}, { style: 'form', explode: true }],
  'a media type in another case': [
    'request-body',
    { content: { 'text/plain; charset=utf-8': {} } },
    { content: { 'Text/Plain;charset=utf-8': {} } },
  ],
  'part types in another order': [
    'encoding',
    { contentType: 'image/png, image/gif' },
    { contentType: 'image/gif,image/png' },
  ],
  'a description of a response': ['responses', response, { 204: { description: 'Nothing.' } }],
  'a description of a link': ['link', {}, { description: 'There.' }],
  'a description of a server': ['server', {}, { description: 'Here.' }],
  'a description of a server of an operation': [
    'operation',
    { servers: [{ url: 'https://b.test' }] },
    { servers: [{ url: 'https://b.test', description: 'There.' }] },
  ],
  'an empty list of servers': ['operation', {}, { servers: [] }],
  'a scheme that nothing uses': ['security-scheme', {}, { bearerFormat: 'JWT' }],
  'scopes in another order': ['operation', { security: [{ s: ['a', 'b'] }] }, { security: [{ s: ['b', 'a'] }] }],
  'alternatives in another order': [
    'operation',
    { security: [{ s: [] }, { t: [] }] },
    { security: [{ t: [] }, { s: [] }] },
  ],
  'an additional alternative that needs more credentials': [
    'operation',
    { security: [{ s: [] }] },
    { security: [{ s: [] }, { s: [], t: [] }] },
  ],
  'no security, in both spellings': ['operation', { security: [] }, { security: [{}] }],
  'parameters of all operations of a path': [
    'path-item',
    { put: { parameters: [query], responses: response } },
    { parameters: [query], put: { responses: response } },
  ],
  'a later sunset': [
    'operation',
    { deprecated: true, 'x-sunset': '2030-01-01' },
    { deprecated: true, 'x-sunset': '2031-01-01' },
  ],
  'a component that nothing uses': ['document', {}, { components: { schemas: { A: text, B: text } } }],
  'examples for pages of documentation': [
    'operation',
    { 'x-codeSamples': [] },
    { 'x-codeSamples': [{ lang: 'sh', source: 'a' }] },
  ],
  'paging with its keys in another order': [
    'operation',
    { 'x-pagination': { cursor: 'a', limit: 'b' } },
    { 'x-pagination': { limit: 'b', cursor: 'a' } },
  ],
};

describe('the same schema, written another way', () => {
  test.each(Object.entries(schemas))('%s', (_, [one, same]) => {
    for (const part of ['request schema', 'response schema', 'header', 'parameter'] as const) {
      const [before, after] = [one, same].map((schema) =>
        specWith(part, part.endsWith('schema') ? (schema as object) : { schema }),
      );
      if (!before || !after) throw new Error('there are not two');
      expect(changes(before, after)).toEqual([]);
      expect(changes(after, before)).toEqual([]);
    }
  });
});

describe('the same interface, written another way', () => {
  test.each(Object.entries(objects))('%s', (_, [part, before, after]) => {
    expect(changes(specWith(part, before), specWith(part, after))).toEqual([]);
  });
});

/** The same data, with the keys of each object in reverse order. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([key, one]) => [key, reversed(one)])
      .toReversed(),
  );
}

describe('a public document with its keys in reverse order', () => {
  const documents = publicDocuments.filter(({ isLarge }) => isDeep || !isLarge);
  test.each(documents.map(({ name, file }) => [name, file]))('%s', (_, file) => {
    const text = readFileSync(file, 'utf8');
    const other = JSON.stringify(reversed(JSON.parse(text)));
    expect(
      changes(
        readSpec(() => text),
        readSpec(() => other),
      ),
    ).toEqual([]);
  });
});
