import { type Field, type Operation, operations, type RequestBody, type Schema } from '@petstore/types';
import { expect, test } from 'vitest';
import { isAccepted, parseBody } from '../../src/http/body-content.ts';
import { HttpError } from '../../src/http/http-error.ts';
import { parseParameters } from '../../src/http/parameters.ts';
import { parseTarget } from '../../src/http/target-cache.ts';
import { MAX_FORM_VALUES, MAX_PART_HEAD_BYTES } from '../../src/limits.ts';

const schema: Schema = {
  type: 'object',
  properties: {
    file: { type: 'string', format: 'binary' },
    tags: { type: 'array', items: { type: 'string' } },
    order: { type: 'integer', format: 'int64' },
    place: { type: 'object', properties: { city: { type: 'string' } } },
  },
};
const multipart: RequestBody = { required: true, mediaType: 'multipart/form-data', kind: 'multipart' };
const form: RequestBody = { required: true, mediaType: 'application/x-www-form-urlencoded', kind: 'form' };
const TYPE = 'multipart/form-data; boundary=b';

const read = (text: string | Uint8Array, body = multipart, type = TYPE) =>
  parseBody(Buffer.from(text), body, schema, type) as Record<string, unknown>;
const part = (head: string, content: string) => `--b\r\n${head}\r\n\r\n${content}\r\n`;
const named = (name: string, content: string) => part(`Content-Disposition: form-data; name="${name}"`, content);

test('a part is parsed by its schema; files have name, type and bytes', async () => {
  const bytes = Buffer.from([0xff, 0x0d, 0x0a, 0x2d, 0x2d, 0x00]);
  const head = 'content-disposition: FORM-DATA; filename="a%22b.png"; name="file"\r\nContent-Type: image/png';
  const body = Buffer.concat([
    Buffer.from(`preamble\r\n${named('tags', 'é')}${named('tags', '')}${named('order', '9007199254740993')}`),
    Buffer.from(`${named('place', '{"city":"Bonn"}')}--b \r\n${head}\r\n\r\n`),
    bytes,
    Buffer.from('\r\n--b--\r\nepilogue'),
  ]);
  const { file, ...values } = read(body, multipart, 'multipart/form-data; charset=utf-8; boundary="b"');
  expect(values).toEqual({ tags: ['é', ''], order: 9007199254740993n, place: { city: 'Bonn' } });
  expect([(file as File).name, (file as File).type]).toEqual(['a"b.png', 'image/png']);
  expect(Buffer.from(await (file as File).arrayBuffer())).toEqual(bytes);
});

test.each([
  ['no boundary in its type', `${named('order', '1')}--b--`, 'multipart/form-data'],
  ['another boundary', `${named('order', '1')}--b--`, 'multipart/form-data; boundary=c'],
  ['no end', named('order', '1'), TYPE],
  ['a part without a name', `${part('Content-Disposition: form-data', '1')}--b--`, TYPE],
  ['a part that is no form data', `${part('Content-Disposition: attachment; name="a"', '1')}--b--`, TYPE],
  ['a part without a head', '--b\r\nx\r\n--b--', TYPE],
  ['text after a boundary', `--bc\r\n${named('order', '1')}--b--`, TYPE],
  ['a value twice', `${named('order', '1')}${named('order', '2')}--b--`, TYPE],
  ['text that is no UTF-8', Buffer.from(`${named('order', '\xff')}--b--`, 'latin1'), TYPE],
  ['too long a head', `${part(`A: ${'a'.repeat(MAX_PART_HEAD_BYTES)}`, '')}--b--`, TYPE],
  ['too many parts', `${named('tags', '').repeat(MAX_FORM_VALUES + 1)}--b--`, TYPE],
])('a multipart body with %s is rejected', (_, body, type) => {
  expect(() => read(body, multipart, type)).toThrow(HttpError);
});

test('malformed JSON in a part or a parameter is reported with its name', () => {
  expect(() => read(`${named('place', '{')}--b--`)).toThrow("body 'place': its value: it is not JSON");
  const field: Field = { in: 'query', required: false, description: '', schema: {}, contentType: 'application/json' };
  const operation: Operation = { ...operations.listPets, fields: { near: field } };
  const parse = () => parseParameters(operation, parseTarget('/v1/pets?near=%7B'), {});
  expect(parse).toThrow("query 'near': its value: it is not JSON");
});

test('the maximal number of values is accepted, one more is rejected', () => {
  expect(read(`${named('tags', '').repeat(MAX_FORM_VALUES)}--b--`).tags).toHaveLength(MAX_FORM_VALUES);
  const pairs = (count: number) => Array<string>(count).fill('tags=').join('&');
  expect(read(pairs(MAX_FORM_VALUES), form).tags).toHaveLength(MAX_FORM_VALUES);
  expect(() => read(pairs(MAX_FORM_VALUES + 1), form)).toThrow(HttpError);
});

test('a form is parsed by its schema', () => {
  expect(read('tags=a+b&order=-1&tags=%2B&place=%7B%22city%22%3A%22Bonn%22%7D&more=1', form)).toEqual({
    ...{ tags: ['a b', '+'], order: -1, place: { city: 'Bonn' }, more: '1' },
  });
  expect(() => read('order=1&order=2', form)).toThrow("body 'order': it appears more than once");
  expect(() => read('place=x', form)).toThrow("body 'place': its value: it is not JSON");
});

test.each<[string, string, RequestBody['kind'], boolean]>([
  ['application/json', 'application/json', 'json', true],
  ['Application/JSON; charset="UTF-8"', 'application/json', 'json', true],
  ['application/json; charset=utf-16', 'application/json', 'json', false],
  ['application/merge-patch+json', 'application/json', 'json', false],
  ['application/merge-patch+json', 'application/merge-patch+json', 'json', true],
  ['application/json', 'application/json; charset=utf-8', 'json', true],
  ['image/png', 'image/*', 'bytes', true],
  ['text/html', 'image/*', 'bytes', false],
  ['text/html; charset=latin1', 'text/html', 'text', false],
])('the type %s is accepted for a body of %s as %s: %s', (type, mediaType, kind, expected) => {
  expect(isAccepted(type, { required: true, mediaType, kind })).toBe(expected);
});
