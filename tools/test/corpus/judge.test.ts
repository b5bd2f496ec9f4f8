import fc from 'fast-check';
import { sample as librarySample } from 'openapi-sampler';
import { parseTemplate } from 'url-template';
import { describe, expect, test } from 'vitest';
import type { Body, Part } from '../../openapi/body.ts';
import { differences, type SentRequest } from '../../openapi/compare.ts';
import { operationsOf, resolve } from '../../openapi/document.ts';
import { exampleValue } from '../../openapi/examples.ts';
import type { ExpectedRequest } from '../../openapi/serialize.ts';
import { encodeAll, expand, expandPairs } from '../../openapi/styles.ts';
import { valueCheck } from '../../openapi/validate.ts';
import { constructs } from './cases.ts';
import { publicDocuments } from './documents.ts';
import { readDocument } from './read-document.ts';

const word = fc.string({ unit: 'grapheme', maxLength: 8 }).filter((text) => text.isWellFormed());
const filled = fc.oneof(
  word.filter((text) => text !== ''),
  fc.integer(),
  fc.boolean(),
);
const primitive = fc.oneof(word, filled);
// For an empty value in an exploded list or object the library writes `;name=`, RFC 6570 says `;name`.
const list = fc.array(filled, { minLength: 1, maxLength: 4 });
const object = fc.dictionary(
  word.filter((key) => key !== '' && !(key in {})),
  filled,
  { minKeys: 1, maxKeys: 4 },
);
const anyValue = fc.oneof(primitive, list, object);

describe('a library for RFC 6570 agrees on', () => {
  test.each([
    ['simple', false, '{name}'],
    ['simple', true, '{name*}'],
    ['label', false, '{.name}'],
    ['label', true, '{.name*}'],
    ['matrix', false, '{;name}'],
    ['matrix', true, '{;name*}'],
  ] as const)('%s, explode %s', (style, explode, template) =>
    fc.assert(
      fc.property(anyValue, (value) => {
        expect(expand(style, explode, 'name', value, encodeAll)).toBe(
          parseTemplate(template).expand({ name: value as never }),
        );
      }),
    ),
  );

  test.each([
    [false, '{?name}'],
    [true, '{?name*}'],
  ] as const)('form, explode %s', (explode, template) =>
    fc.assert(
      fc.property(anyValue, (value) => {
        const pairs = expandPairs('form', explode, 'name', value, encodeAll);
        expect(`?${pairs.map((pair) => pair.join('=')).join('&')}`).toBe(
          parseTemplate(template).expand({ name: value as never }),
        );
      }),
    ),
  );
});

test('a library for example values gives bodies the same properties', async () => {
  const others: string[] = [];
  let compared = 0;
  for (const { name, file, isLarge } of publicDocuments) {
    if (isLarge) continue;
    const document = await readDocument(file);
    const fits = valueCheck(document);
    for (const { id, body } of operationsOf(document)) {
      const schema = Object.values(body?.content ?? {})[0]?.schema;
      const { properties } = schema ? resolve(document, schema) : {};
      if (!schema || !properties) continue;
      const theirs = librarySample(schema as never, { skipReadOnly: true, quiet: true }, document.root);
      // Where alternatives exclude each other, the library's value may be invalid.
      if (!fits(schema, theirs)) continue;
      compared += 1;
      const ours = exampleValue(document, schema, true);
      const keys = (value: unknown) => Object.keys(value as object).sort();
      if (keys(theirs).join() !== keys(ours).join()) others.push(`${name} ${id}: ${keys(theirs)} | ${keys(ours)}`);
    }
  }
  expect(compared).toBeGreaterThan(30);
  expect(others).toEqual([]);
});

describe('the comparison', () => {
  const requests = constructs.flatMap(({ name, cases }) =>
    cases.flatMap(({ operation, request }) => (request ? [{ name, operation, request }] : [])),
  );

  test('finds no difference in any request of the cases', () => {
    for (const { name, operation, request } of requests)
      expect(differences(request, sent(request)), `${name} ${operation}`).toEqual([]);
  });

  test('finds no difference in what fetch makes of forms and files', async () => {
    const form = new FormData();
    form.append('photo', new File([Uint8Array.from([0, 255, 13, 10])], 'cat "1".png', { type: 'image/png' }));
    form.append('caption', 'é');
    const request = new Request('https://api.example.com/photos?a=b%20c', { method: 'POST', body: form });
    const parts: Part[] = [
      {
        name: 'photo',
        filename: 'cat %221%22.png',
        contentType: 'image/png',
        bytes: Uint8Array.from([0, 255, 13, 10]),
      },
      { name: 'caption', contentType: 'text/plain', text: 'é' },
    ];
    const actual: SentRequest = {
      method: request.method,
      target: '/photos?a=b%20c',
      headers: Object.fromEntries(request.headers),
      body: new Uint8Array(await request.arrayBuffer()),
    };
    const headers = { 'content-type': 'multipart/form-data' };
    const expected = { method: 'POST', server: '', target: '/photos?a=b%20c', headers, body: { parts } };
    expect(differences(expected, actual)).toEqual([]);
  });

  test.each<[string, string, number, (request: SentRequest) => SentRequest]>([
    [
      'a joined list that is repeated',
      'query-form',
      8,
      (request) => ({ ...request, target: '/list-joined?color=blue&color=black&color=brown' }),
    ],
    [
      'a repeated list in another order',
      'query-form',
      4,
      (request) => ({ ...request, target: '/list?color=black&color=blue&color=brown' }),
    ],
    [
      'an object as text',
      'query-deep-object',
      0,
      (request) => ({ ...request, target: '/pets?filter=[object%20Object]' }),
    ],
    [
      'a plus for a space in a query',
      'query-names',
      0,
      (request) => ({ ...request, target: '/pets?%24filter=age+gt+1' }),
    ],
    [
      'a slash of a value in the path',
      'path-simple',
      1,
      (request) => ({ ...request, target: '/primitive/a/b%20c%3F%C3%A9' }),
    ],
    [
      'a key where none is wanted',
      'security-none',
      0,
      (request) => withHeader(request, 'authorization', 'Bearer secret'),
    ],
    ['another key where none is wanted', 'security-none', 0, (request) => withHeader(request, 'x-api-key', 'secret')],
    ['a missing key', 'security-api-key', 0, (request) => withHeader(request, 'x-api-key', undefined)],
    [
      'another content type',
      'body-merge-patch',
      0,
      (request) => withHeader(request, 'content-type', 'application/json'),
    ],
    ['a body that is left out', 'body-nullable', 3, ({ body: _, ...request }) => request],
    [
      'a form sent as JSON',
      'body-urlencoded',
      0,
      (request) => ({ ...request, body: Buffer.from('{"grant_type":"password"}') }),
    ],
    [
      'a rounded integer',
      'schema-int64',
      0,
      (request) => ({ ...request, body: Buffer.from('{"big":9007199254740992,"bigs":[1,9223372036854775807]}') }),
    ],
    [
      'bytes that went through text',
      'body-bytes',
      0,
      (request) => ({ ...request, body: Buffer.from(Buffer.from(request.body ?? []).toString()) }),
    ],
    [
      'a JSON part sent as text',
      'body-multipart',
      2,
      (request) => ({
        ...request,
        body: Buffer.from(
          Buffer.from(request.body ?? [])
            .toString('latin1')
            .replace('application/json', 'text/plain'),
          'latin1',
        ),
      }),
    ],
    [
      'a lost part',
      'body-multipart-lists',
      0,
      (request) => ({
        ...request,
        body: Buffer.from(
          Buffer.from(request.body ?? [])
            .toString('latin1')
            .replace(/--form-boundary\r\n.*?(?=--form-boundary\r\n)/s, ''),
          'latin1',
        ),
      }),
    ],
  ])('finds %s', (_, name, index, change) => {
    const request = constructs.find((construct) => construct.name === name)?.cases[index]?.request;
    if (!request) throw new Error(`${name} has no case ${index}.`);
    expect(differences(request, change(sent(request)))).not.toEqual([]);
  });
});

function withHeader(request: SentRequest, name: string, value: string | undefined): SentRequest {
  const { [name]: _, ...headers } = request.headers;
  return { ...request, headers: value === undefined ? headers : { ...headers, [name]: value } };
}

/** The expected request as bytes, by the simplest means. */
function sent({ method, target, headers, body }: ExpectedRequest): SentRequest {
  if (!body) return { method, target, headers };
  const type = headers['content-type'] ?? '';
  const isMultipart = 'parts' in body;
  return {
    method,
    target,
    headers: isMultipart ? { ...headers, 'content-type': `${type}; boundary=form-boundary` } : headers,
    body: bytesOf(body),
  };
}

function bytesOf(body: Body): Uint8Array {
  if ('json' in body) return Buffer.from(jsonOf(body.json));
  if ('text' in body) return Buffer.from(body.text);
  if ('bytes' in body) return body.bytes;
  if ('form' in body) return Buffer.from(new URLSearchParams(body.form).toString());
  const parts = body.parts.flatMap(({ name, filename, contentType, headers = {}, ...part }) => {
    const file = filename === undefined ? '' : `; filename="${filename}"`;
    const lines = [
      `Content-Disposition: form-data; name="${name}"${file}`,
      `Content-Type: ${contentType}`,
      ...Object.entries(headers).map((header) => header.join(': ')),
    ];
    const content = 'json' in part ? Buffer.from(jsonOf(part.json)) : (part.bytes ?? Buffer.from(part.text ?? ''));
    return [Buffer.from(`--form-boundary\r\n${lines.join('\r\n')}\r\n\r\n`), content, Buffer.from('\r\n')];
  });
  return Buffer.concat([...parts, Buffer.from('--form-boundary--\r\n')]);
}

/** JSON text in which bigints are digits. */
function jsonOf(value: unknown): string {
  if (typeof value === 'bigint') return String(value);
  if (Array.isArray(value)) return `[${value.map(jsonOf).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{${Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}:${jsonOf(item)}`)}}`;
}
