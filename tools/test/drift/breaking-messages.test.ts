import { expect, test } from 'vitest';
import { compareSpecs } from '../../drift/checks/breaking-changes/compare.ts';
import { changes, operation, specWith } from './breaking-specs.ts';

const string = { type: 'string' };
const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more });

const json = (schema: object) => ({ 'application/json': { schema } });
const received = (schema: object) => ({ description: '', content: json(schema) });
const sentAs = (type: string, media: object) => ({ requestBody: { content: { [type]: media } } });
const empty = { description: '' };

const callback = (schema: object, responses: object = { 200: empty }) => ({
  callbacks: { done: { '{$request.body#/url}': { post: { requestBody: { content: json(schema) }, responses } } } },
});
const query = (more: object) => ({
  parameters: [{ name: 'q', in: 'query', schema: { type: 'array', items: string }, ...more }],
});
const form = (encoding: object) => sentAs('multipart/form-data', { schema: object({ a: string }), encoding });
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
  [
    'the encoding of a part',
    form({}),
    form({ a: { contentType: 'image/png' } }),
    ['major: request encoding narrowed: PUT /a body a', 'minor: request encoding widened: PUT /a body a'],
  ],
  [
    'a media type',
    sentAs('application/json', {}),
    sentAs('text/plain', {}),
    ['major: request media type removed: PUT /a body', 'minor: request media type added: PUT /a body'],
  ],
  [
    'a range of media types that replaces one of its types',
    sentAs('text/plain', { schema: string }),
    sentAs('text/*', { schema: { ...string, maxLength: 9 } }),
    ['major: request bound narrowed: PUT /a body'],
  ],
  [
    'XML',
    sentAs('application/xml', { schema: object({}, { xml: { name: 'a' } }) }),
    sentAs('application/xml', { schema: object({}, { xml: { name: 'b' } }) }),
    ['major: request XML changed: PUT /a body'],
  ],
  [
    'a header that may be missing',
    header({ required: true }),
    header({}),
    ['major: header may be missing: PUT /a 200 X-A'],
  ],
  [
    'a range of success statuses',
    { responses: { 200: received(string) } },
    { responses: { '2XX': received(string) } },
    ['major: success status added: PUT /a 2XX', 'major: status removed: PUT /a 200'],
  ],
  [
    'an error status with another body than the default response',
    { responses: { default: received(string) } },
    { responses: { default: received(string), 404: received({ type: 'integer' }) } },
    ['major: response type changed: PUT /a 404', 'minor: status added: PUT /a 404'],
  ],
  [
    'the request of a callback',
    callback(object({ a: string }, { required: ['a'] })),
    callback(object({ a: string })),
    ['major: response property may be missing: PUT /a callback done POST {$request.body#/url} body.a'],
  ],
  [
    'the responses to a callback',
    callback({}, { 200: empty, 202: empty }),
    callback({}, { 200: empty, 204: empty }),
    [
      'major: status removed: PUT /a callback done POST {$request.body#/url} 202',
      'minor: status added: PUT /a callback done POST {$request.body#/url} 204',
    ],
  ],
  ['a stability', {}, { 'x-stability-level': 'beta' }, ['major: stability lowered: PUT /a']],
])('each change is found with its level: %s', (_, before, after, expected) => {
  const found = changes(specWith('operation', before), specWith('operation', after));
  expect(found.sort()).toEqual(expected.toSorted());
});

test('the detail names both stabilities, and says what a removed operation lacked', () => {
  const detailOf = (before: object, after: ReturnType<typeof specWith>) =>
    compareSpecs(specWith('operation', before), after, '2026-11-20').map(({ detail }) => detail)[0];
  expect(detailOf({}, specWith('operation', { 'x-stability-level': 'beta' }))).toBe('stable became beta');
  const none = specWith('document', { paths: {} });
  expect(detailOf({ 'x-sunset': '2020-01-01' }, none)).toBe('it was removed without being deprecated');
  expect(detailOf({ deprecated: true }, none)).toBe('it was removed without a sunset');
  const later = { deprecated: true, 'x-sunset': '2026-11-21' };
  expect(detailOf(later, none)).toBe('it was removed before its sunset on 2026-11-21');
});

test('another scheme or scope is a break, an alternative scheme is none', () => {
  const bearer = { type: 'http', scheme: 'bearer' };
  const apiKey = { type: 'apiKey', in: 'header', name: 'X-Key' };
  const spec = (security: object[], scheme: object = bearer) =>
    specWith('document', {
      ...operation({ security }),
      components: { securitySchemes: { a: scheme, b: { type: 'http', scheme: 'basic' } } },
    });
  const onlyA = spec([{ a: [] }]);
  expect(changes(onlyA, spec([{ a: [] }], apiKey))).toEqual(['major: security scheme changed: security scheme a']);
  expect(changes(onlyA, spec([{ a: ['write'] }]))).toEqual(['major: security scheme removed: PUT /a']);
  expect(changes(onlyA, spec([{ a: [] }, { b: [] }]))).toEqual(['minor: security relaxed: PUT /a']);
});
