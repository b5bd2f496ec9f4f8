import { expectLinear } from '@petstore/testing/linear';
import type { Field, RequestBody, Schema } from '@petstore/types';
import { describe, expect, test } from 'vitest';
import { parseBody } from '../../src/http/body-content.ts';
import { HttpError } from '../../src/http/http-error.ts';
import { parseText } from '../../src/http/styles.ts';

const list: Schema = { type: 'array', items: { type: 'string' } };
const schema: Schema = { type: 'object', properties: { list }, additionalProperties: { type: 'string' } };
const header: Field = { in: 'header', required: false, description: '', schema: list };
const form: RequestBody = {
  required: true,
  mediaType: 'application/x-www-form-urlencoded',
  kind: 'form',
  encoding: { list: { explode: false } },
};
const multipart: RequestBody = { required: true, mediaType: 'multipart/form-data', kind: 'multipart' };

/** The value of a body, or the message of its error. */
function read(body: RequestBody, text: string | Buffer, type = 'multipart/form-data; boundary=b'): unknown {
  try {
    return parseBody(Buffer.from(text), body, schema, type);
  } catch (error) {
    if (error instanceof HttpError) return error.message;
    throw error;
  }
}

const part = (parameters: string, value = 'x') =>
  `--b\r\nContent-Disposition: form-data; ${parameters}\r\n\r\n${value}\r\n`;
/** Parts whose heads are as long as they may be, and which have names of their own. */
const longParts = (n: number, parameters: (i: number) => string) =>
  `${Array.from({ length: n / 8192 }, (_, i) => part(parameters(i))).join('')}--b--`;

describe('the work is linear in the length:', () => {
  test.each<[string, (n: number) => string]>([
    ['blanks', (n) => `1${' '.repeat(n)}1`],
    ['commas', (n) => ','.repeat(n)],
    ['commas in blanks', (n) => ' ,\t'.repeat(n / 3)],
  ])('a header of %s', (_, text) => {
    expectLinear((n) => {
      const value = text(n);
      return () => parseText('X-List', header, value);
    });
  });

  test.each<[string, RequestBody, (n: number) => string]>([
    ['ampersands', form, (n) => '&'.repeat(n)],
    ['equals signs', form, (n) => '='.repeat(n)],
    ['brackets', form, (n) => '['.repeat(n)],
    ['plus signs', form, (n) => `list=${'+'.repeat(n)}`],
    ['pairs', form, (n) => 'a=1&'.repeat(n / 4)],
    ['commas', form, (n) => `list=${','.repeat(n)}`],
    ['escapes', form, (n) => `a=${'%41'.repeat(n / 3)}`],
    ['parts', multipart, (n) => part('name="list"').repeat(n / 56)],
    ['brackets in names', multipart, (n) => longParts(n, (i) => `name="${i}${'['.repeat(8000)}%0A"`)],
    ['blanks in heads', multipart, (n) => longParts(n, (i) => `name="${i}"${' '.repeat(8000)}`)],
    ['semicolons in heads', multipart, (n) => longParts(n, (i) => `name="${i}"${'; '.repeat(4000)}`)],
    ['quotes that never end', multipart, (n) => longParts(n, () => `name="${'\\"'.repeat(4000)}`)],
    ['beginnings of a boundary', multipart, (n) => `--b\r\n${'\r\n--'.repeat(n / 4)}`],
    ['empty lines', multipart, (n) => `--b${'\r\n'.repeat(n / 2)}--b--`],
  ])('a body of %s', (_, body, text) => {
    expectLinear((n) => {
      const bytes = Buffer.from(text(n));
      return () => void read(body, bytes);
    });
  });
});

test.each([
  ['name="a"', { a: 'x' }],
  ['name=a', { a: 'x' }],
  ['filename*=x; name="a"', { a: 'x' }],
  ['NAME="a;b=\\"c\\""', { 'a;b="c"': 'x' }],
  ['x="; name=b"; name="a"', { a: 'x' }],
  ['name="a"; name="b"', "body: 'name' appears more than once in a header"],
  ['name="a" b', 'body: a header has something that is no parameter'],
  ['x="a"', 'body: a part has no name'],
])('the head of a part has one meaning: %s', (parameters, expected) => {
  expect(read(multipart, `${part(parameters)}--b--`)).toEqual(expected);
});

test('a part with an ambiguous head is rejected', () => {
  const twice = `--b\r\nContent-Disposition: form-data; name="a"\r\ncontent-disposition: form-data; name="b"\r\n\r\nx\r\n--b--`;
  expect(read(multipart, twice)).toBe('body: a part gives a header more than once');
  const folded = `--b\r\nContent-Disposition: form-data; name="a"\r\n ; name="b"\r\n\r\nx\r\n--b--`;
  expect(read(multipart, folded)).toBe('body: a line in the head of a part is no header');
  const broken = Buffer.from(`${part('name="\xff"')}--b--`, 'latin1');
  expect(read(multipart, broken)).toBe('body: the head of a part: it is not UTF-8');
  const types = ['multipart/form-data; x="; boundary=b"; boundary=c', 'multipart/form-data; boundary=b; boundary=c'];
  expect(types.map((type) => read(multipart, `${part('name="a"')}--b--`, type))).toEqual([
    'body: its boundary is missing',
    "body: 'boundary' appears more than once in a header",
  ]);
});
