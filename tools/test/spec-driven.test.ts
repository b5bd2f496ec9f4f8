import { rounds } from '@petstore/testing';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { responseViolations } from '../drift/checks/conformance/responses.ts';
import { requestFor } from '../drift/checks/conformance/service.ts';
import { isRejection, isSuccess } from '../drift/checks/conformance/test-requests.ts';
import { openProject } from '../drift/project.ts';
import { isJson } from '../openapi/body.ts';
import { type Operation, type Parameter, resolve, type Schema } from '../openapi/document.ts';
import type { Inputs, WireRequest } from '../openapi/serialize.ts';
import { encodeAll, UnspecifiedError } from '../openapi/styles.ts';
import { valueCheck } from '../openapi/validate.ts';
import { arbitraryValue, isWide } from './support/arbitrary.ts';
import { type Server, startServer } from './support/server.ts';

const { spec } = openProject();
const { basePath } = spec.model.service;
const fits = valueCheck(spec);

let server: Server;
beforeAll(async () => {
  server = await startServer();
  return server.stop;
});

const send = ({ target, ...init }: WireRequest) => fetch(server.origin + basePath + target, init);

const accepts = (operation: Operation, status: number) =>
  isSuccess(operation, status) || isRejection(operation, status);

/** A request with one thing wrong. */
interface Mistake {
  readonly request: WireRequest;
  readonly wrong: string;
  readonly status: 400 | 404;
}

describe.each([...spec.operations])('%s', (_, operation) => {
  const requestOf = (inputs: Inputs, key = server.key) => requestOrSkip(operation, inputs, key);

  test('accepts every valid request, with a declared response', () =>
    fc.assert(
      fc.asyncProperty(validInputs(operation), async (inputs) => {
        const response = await send(requestOf(inputs));
        // The resource in the path may not exist.
        const isMissing = operation.path.includes('{') && response.status === 404;
        expect([response.status, isMissing || accepts(operation, response.status)]).toEqual([response.status, true]);
        expect(await responseViolations(spec, operation, response)).toEqual([]);
      }),
      { numRuns: rounds(100, 300) },
    ));

  test('rejects every invalid request, with a declared response', () =>
    fc.assert(
      fc.asyncProperty(invalidRequest(operation, requestOf), async (made) => {
        const { request, wrong, status } = made();
        const response = await send(request);
        expect([wrong, response.status]).toEqual([wrong, status]);
        expect(await responseViolations(spec, operation, response)).toEqual([]);
      }),
      { numRuns: rounds(100, 300) },
    ));

  const needsKey = operation.security.length > 0 && operation.security.every((all) => Object.keys(all).length > 0);
  test.runIf(needsKey)('rejects every request without an accepted key', () =>
    fc.assert(
      fc.asyncProperty(validInputs(operation), async (inputs) => {
        const response = await send(requestOf(inputs, 'some-other-key'));
        expect(response.status).toBe(401);
        expect(await responseViolations(spec, operation, response)).toEqual([]);
      }),
      { numRuns: rounds(10, 20) },
    ),
  );
});

/** The request for these inputs. Inputs that OpenAPI cannot write are not tried. */
function requestOrSkip(operation: Operation, inputs: Inputs, apiKey: string): WireRequest {
  try {
    return requestFor({ spec, apiKey }, operation, inputs);
  } catch (error) {
    return fc.pre(!(error instanceof UnspecifiedError)) as never;
  }
}

function validInputs({ parameters, body }: Operation): fc.Arbitrary<Inputs> {
  const locations = (['path', 'query', 'header', 'cookie'] as const).map((location) => {
    const here = parameters.filter((parameter) => parameter.in === location);
    const values = Object.fromEntries(here.map((parameter) => [parameter.name, parameterValue(parameter)]));
    const requiredKeys = here.filter(({ required }) => required).map(({ name }) => name);
    return [location, fc.record(values, { requiredKeys })] as const;
  });
  const inputs: fc.Arbitrary<Pick<Inputs, 'path' | 'query' | 'header' | 'cookie'>> = fc.record(
    Object.fromEntries(locations),
  );
  const [contentType, media] = Object.entries(body?.content ?? {})[0] ?? [];
  if (contentType === undefined) return inputs;
  const value =
    isJson(contentType) || /form|^text/.test(contentType)
      ? arbitraryValue(spec, media?.schema ?? { type: 'string' })
      : fc.uint8Array().map((bytes) => ({ bytes: Uint8Array.from(bytes) }));
  return fc.tuple(inputs, value).map(([rest, body]) => ({ ...rest, contentType, body }));
}

const visible = fc.constantFrom(...'abcXYZ019-_');

function parameterValue(parameter: Parameter): fc.Arbitrary<unknown> {
  const isPlain = parameter.in === 'header' || parameter.in === 'cookie';
  return arbitraryValue(spec, schemaOf(parameter), isPlain ? visible : undefined);
}

function schemaOf({ schema, content = {} }: Parameter): Schema {
  return resolve(spec, schema ?? Object.values(content)[0]?.schema ?? {});
}

/** Functions that return a request with one mistake. */
function invalidRequest(operation: Operation, requestOf: (inputs: Inputs) => WireRequest): fc.Arbitrary<() => Mistake> {
  const mistakes: fc.Arbitrary<(inputs: Inputs) => Mistake>[] = [
    fc
      .oneof(fc.constantFrom('__proto__', 'constructor', 'toString', 'limit[]'), fc.string({ minLength: 1 }))
      .filter((name) => name.isWellFormed() && !operation.parameters.some((parameter) => parameter.name === name))
      .map((name) => (inputs) => withQuery(requestOf(inputs), name, '1', `query ${name}`)),
  ];
  for (const parameter of operation.parameters) {
    const { in: location, name } = parameter;
    const status = location === 'path' ? 404 : 400;
    const schema = schemaOf(parameter);
    const put = (value: unknown) => (inputs: Inputs) => ({
      request: requestOf({ ...inputs, [location]: { ...inputs[location], [name]: value } }),
      wrong: `${location} ${name} ${value}`,
      status: status as 400 | 404,
    });
    const words = wrongWords(schema);
    if (words) mistakes.push(words.map(put));
    if (location === 'query' && !['array', 'object'].includes(String(schema.type)))
      mistakes.push(
        parameterValue(parameter).map((value) => (inputs) => {
          const once = requestOf({ ...inputs, query: { ...inputs.query, [name]: value } });
          return withQuery(once, name, String(value), `${name} twice`);
        }),
      );
  }
  const [contentType = '', media] = Object.entries(operation.body?.content ?? {})[0] ?? [];
  if (isJson(contentType))
    mistakes.push(
      wrongBody(media?.schema ?? {}).map((change) => (inputs) => {
        const body = change(inputs.body);
        return {
          request: requestOf({ ...inputs, body }),
          wrong: `body ${String(JSON.stringify(body, asText))}`,
          status: 400,
        };
      }),
    );
  return fc.tuple(validInputs(operation), fc.oneof(...mistakes)).map(
    ([inputs, make]) =>
      () =>
        make(inputs),
  );
}

function withQuery(request: WireRequest, name: string, value: string, wrong: string): Mistake {
  const mark = request.target.includes('?') ? '&' : '?';
  return {
    request: { ...request, target: `${request.target}${mark}${encodeAll(name)}=${encodeAll(value)}` },
    wrong,
    status: 400,
  };
}

/** Texts that the schema of a parameter does not allow; undefined if it allows every text. */
function wrongWords(schema: Schema): fc.Arbitrary<string> | undefined {
  const { enum: values, minimum, maximum } = schema;
  if (values) return fc.string({ minLength: 1 }).filter((text) => text.isWellFormed() && !values.includes(text));
  if (schema.type !== 'integer') return undefined;
  const beyond = isWide(schema)
    ? [-(2n ** 63n) - 1n, 2n ** 63n]
    : [(minimum ?? Number.MIN_SAFE_INTEGER) - 1, (maximum ?? Number.MAX_SAFE_INTEGER) + 1];
  const other = ['1e1', '0x10', ' 5', '05', '1.0', 'Infinity', 'NaN', '-0', '+1', 'abc', '１'];
  return fc.constantFrom(...beyond.map(String), ...other);
}

const wrongValues = fc.oneof(
  fc.constantFrom(null, true, [], {}, '', '\ud800', 'a\udfff', undefined, 2n ** 63n, -(2n ** 63n) - 1n),
  fc.integer(),
  fc.string(),
  fc.double({ noInteger: true, noNaN: true, noDefaultInfinity: true }),
);

/** Makes a valid body invalid: replaces it, or changes, adds or removes one of its properties. */
function wrongBody(schema: Schema): fc.Arbitrary<(body: unknown) => unknown> {
  const isWrong = (value: unknown) => !fits(schema, value) || isBroken(value) || isBeyond(value);
  return fc
    .tuple(wrongValues, fc.nat(), fc.constantFrom('no-such-property', '__proto__', 'id'))
    .map(([value, index, unknown]) => (body) => {
      const entries = Object.entries(Object(body));
      const names = [...entries.map(([name]) => name), unknown];
      const changed = Object.fromEntries(entries);
      Object.defineProperty(changed, names[index % names.length] ?? '', {
        value,
        enumerable: true,
        configurable: true,
      });
      const all = [JSON.parse(JSON.stringify(changed, keepDigits), bigintOf), value].filter(
        (body) => body !== undefined,
      );
      const wrong = all.find(isWrong);
      fc.pre(wrong !== undefined);
      return wrong;
    });
}

const keepDigits = (_: string, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value);
const bigintOf = (_: string, value: unknown) =>
  typeof value === 'string' && /^-?\d{16,}n$/.test(value) ? BigInt(value.slice(0, -1)) : value;
const asText = (_: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value);

/** Whether there is text in a value that is not well-formed. */
function isBroken(value: unknown): boolean {
  if (typeof value === 'string') return !value.isWellFormed();
  return Object(value) === value && Object.values(value as object).some(isBroken);
}

/** Whether a value contains an integer that is neither an int64 nor a double: it is rejected even without a schema. */
function isBeyond(value: unknown): boolean {
  if (typeof value === 'bigint') return BigInt.asIntN(64, value) !== value && BigInt(Number(value)) !== value;
  return Object(value) === value && Object.values(value as object).some(isBeyond);
}
