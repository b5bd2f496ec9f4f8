import { rounds } from '@petstore/testing';
import { type Field, isWide, type Operation, operations, typeIn } from '@petstore/types';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { undeclared } from '../drift/checks/conformance/undeclared.ts';
import { basePathOf } from '../drift/openapi.ts';
import { openProject } from '../drift/project.ts';
import { type Server, startServer } from './support/server.ts';

const { spec } = openProject();
const basePath = basePathOf(spec);

let server: Server;
beforeAll(async () => {
  server = await startServer();
  return server.stop;
});

/** Expects a response as the spec declares it for the operation: its status, its headers, and its body. */
async function expectDeclared({ method, path }: Operation, response: Response): Promise<void> {
  const described = spec.operations.get(`${method} ${path}`);
  expect(described && (await undeclared(spec, described, response))).toEqual([]);
}

const everyOperation = Object.values<Operation>(operations);

/** The input of a request: text in path and query, any JSON in the body. */
type Input = Record<string, unknown>;

describe.each(everyOperation.map((operation) => [operation.id, operation] as const))('%s', (_, operation) => {
  test('accepts every valid request, with a declared response', () =>
    fc.assert(
      fc.asyncProperty(validInput(operation), async (input) => {
        const response = await send(operation, input);
        // There may be no pet with the identifier.
        const allowed = operation.path.includes('{') ? [operation.success, 404] : [operation.success];
        expect(allowed).toContain(response.status);
        await expectDeclared(operation, response);
      }),
      { numRuns: rounds(100, 300) },
    ));

  test('refuses every invalid request, with a declared response', () =>
    fc.assert(
      fc.asyncProperty(invalidInput(operation), async ({ input, wrong }) => {
        const response = await send(operation, input);
        expect([wrong, response.status]).toEqual([wrong, operation.fields[wrong]?.in === 'path' ? 404 : 400]);
        await expectDeclared(operation, response);
      }),
      { numRuns: rounds(100, 300) },
    ));

  test('refuses every request without an accepted key', () =>
    fc.assert(
      fc.asyncProperty(
        fc.oneof(
          validInput(operation),
          invalidInput(operation).map(({ input }) => input),
        ),
        async (input) => {
          const response = await send(operation, input, { authorization: 'Bearer some-other-key' });
          expect(response.status).toBe(401);
          await expectDeclared(operation, response);
        },
      ),
      { numRuns: rounds(10, 20) },
    ));
});

async function send(
  operation: Operation,
  input: Input,
  headers = { authorization: `Bearer ${server.key}` },
): Promise<Response> {
  const places = { query: new URLSearchParams(), body: {} as Input };
  let path = operation.path;
  for (const [name, value] of Object.entries(input)) {
    const place = operation.fields[name]?.in ?? (operation.body ? 'body' : 'query');
    if (place === 'path') path = path.replace(`{${name}}`, encodeURIComponent(String(value)));
    else if (place === 'query') for (const one of [value].flat()) places.query.append(name, String(one));
    else Object.defineProperty(places.body, name, { value, enumerable: true });
  }
  return fetch(`${server.origin}${basePath}${path}?${places.query}`, {
    method: operation.method,
    headers: operation.body ? { ...headers, 'content-type': operation.body.mediaType } : headers,
    ...(operation.body && { body: encode(places.body) }),
  });
}

/** JSON in which a bigint has all its digits. */
function encode(value: unknown): string {
  // TypeScript's library does not know it yet.
  const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown };
  return JSON.stringify(value, (_, one) => (typeof one === 'bigint' ? rawJSON(String(one)) : one));
}

function validInput({ fields }: Operation): fc.Arbitrary<Input> {
  const required = Object.keys(fields).filter((name) => fields[name]?.required);
  const values = Object.entries(fields).map(([name, field]) => [name, validValue(field)] as const);
  return fc.record(Object.fromEntries(values), { requiredKeys: required }) as fc.Arbitrary<Input>;
}

/** A valid input in which one thing is wrong. */
function invalidInput(operation: Operation): fc.Arbitrary<{ input: Input; wrong: string }> {
  const names = Object.keys(operation.fields);
  const aField = names.map((wrong) => {
    const field = operation.fields[wrong] as Field;
    const left = field.required && field.in !== 'path' ? [fc.constant(undefined)] : [];
    const twice = field.in === 'query' ? [validValue(field).map((value) => [value, value])] : [];
    return fc.record({ wrong: fc.constant(wrong), value: fc.oneof(invalidValue(field), ...left, ...twice) });
  });
  const unknown = fc.record({
    wrong: fc.oneof(
      fc.constantFrom('__proto__', 'constructor', 'id', 'toString', 'limit[]'),
      fc.string({ minLength: 1 }),
    ),
    value: fc.oneof(fc.string(), fc.integer()),
  });
  const mistake = fc.oneof(
    ...aField,
    unknown.filter(({ wrong }) => !names.includes(wrong)),
  );
  return fc.tuple(validInput(operation), mistake).map(([valid, { wrong, value }]) => {
    const input: Input = Object.fromEntries(Object.entries(valid).filter(([name]) => name !== wrong));
    if (value !== undefined) Object.defineProperty(input, wrong, { value, enumerable: true });
    return { input, wrong };
  });
}

/** Any character that a name may have. fast-check's own `binary` is nearly the same, and takes seconds to be made. */
const character = fc
  .oneof(fc.integer({ min: 0, max: 0xd7ff }), fc.integer({ min: 0xe000, max: 0x10ffff }))
  .map((code) => String.fromCodePoint(code));

function validValue({ schema }: Field): fc.Arbitrary<unknown> {
  const { enum: values, minimum, maximum } = schema;
  const type = typeIn(schema);
  if (values) return fc.constantFrom(...values);
  if (isWide(schema)) return fc.oneof(fc.maxSafeInteger(), fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }));
  if (type === 'integer') return fc.maxSafeInteger().map((n) => clamp(n, minimum, maximum));
  if (type === 'string') return fc.string({ unit: character });
  throw new Error(`this test has no valid ${type}`);
}

function invalidValue({ in: place, schema }: Field): fc.Arbitrary<unknown> {
  const { enum: values, minimum, maximum } = schema;
  const type = typeIn(schema);
  const other =
    place === 'body'
      ? [
          fc.constant(null),
          fc.boolean(),
          fc.constant([]),
          fc.constant({}),
          fc.double({ noInteger: true, noNaN: true, noDefaultInfinity: true }),
        ]
      : [];
  if (values)
    return fc.oneof(
      fc.string({ minLength: 1 }).filter((text) => !values.includes(text)),
      ...other,
    );
  if (type === 'integer') {
    const beyond = isWide(schema)
      ? fc.constantFrom(-(2n ** 63n) - 1n, 2n ** 63n)
      : fc.constantFrom((minimum ?? Number.MIN_SAFE_INTEGER) - 1, (maximum ?? Number.MAX_SAFE_INTEGER) + 1);
    const text = fc.constantFrom('1e1', '0x10', ' 5', '05', '1.0', 'Infinity', 'NaN', '-0', '+1', 'abc', '１');
    return fc.oneof(beyond, text, ...other);
  }
  const broken = fc.constantFrom('\ud800', 'a\udfff');
  return fc.oneof(broken, fc.integer(), ...other);
}

function clamp(value: number, minimum = value, maximum = value): number {
  return Math.min(Math.max(value, minimum), maximum);
}
