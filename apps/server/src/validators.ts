import { type Operation, operations, type Schema, schemas } from '@petstore/types';
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { HttpError } from './errors.ts';
import type { Parameters } from './parameters.ts';

/** A value as the validators see it, with numbers instead of bigints, which JSON Schema does not know. */
export interface Checked {
  readonly parameters: Parameters;
  readonly body: unknown;
}

// Types are strict: nothing is coerced. Annotations of OpenAPI are no keywords of JSON Schema.
const ajv = new Ajv2020({ strict: false, strictNumbers: true, allErrors: true, validateFormats: true });
const isIn = (low: number, high: number) => (value: number) => value >= low && value <= high;
// The highest number that is a double and fits into 64 bits stands for all bigints above it.
const HIGHEST = 2 ** 63 - 1024;
ajv.addFormat('int64', { type: 'number', validate: isIn(-(2 ** 63), HIGHEST) });
ajv.addFormat('int32', { type: 'number', validate: isIn(-(2 ** 31), 2 ** 31 - 1) });
for (const [name, schema] of Object.entries<Schema>(schemas)) ajv.addSchema(schema, `#/components/schemas/${name}`);

const requests = lazily((operation: Operation) => ajv.compile(requestSchema(operation)));
const responses = lazily((schema: Schema) => ajv.compile(schema));

/** Throws unless a request is valid. */
export function checkRequest(operation: Operation, { parameters, body }: Checked): void {
  const validate = requests(operation);
  if (!validate({ ...parameters, ...(body !== undefined && { body }) })) throw invalidRequest(violationsOf(validate));
}

/** Whether a request is valid. */
export function isValid(operation: Operation, { parameters, body }: Checked): boolean {
  return requests(operation)({ ...parameters, ...(body !== undefined && { body }) });
}

/** Throws unless the spec declares such a response. */
export function checkResponse({ id, responses: declared }: Operation, status: number, body: unknown): void {
  const { schema } = declared[status] ?? declared.default ?? {};
  if (!declared[status] && !declared.default) throw new Error(`${id} does not declare the status ${status}.`);
  if (!schema) return;
  const validate = responses(schema);
  if (!validate(plainNumbers(body)))
    throw new Error(
      `The response ${status} of ${id} breaks the spec: ${violationsOf(validate).map(textOf).join('; ')}`,
    );
}

/** Compiles all validators. */
export function compileValidators(): void {
  for (const operation of Object.values<Operation>(operations)) requests(operation);
}

function requestSchema({ fields, body }: Operation): Schema {
  const all = Object.entries(fields);
  const objectOf = (place: string): Schema => {
    const own = all.filter(([, field]) => field.in === place);
    return {
      type: 'object',
      additionalProperties: false,
      required: own.filter(([, { required }]) => required).map(([name]) => name),
      properties: Object.fromEntries(own.map(([name, { schema }]) => [name, schema])),
    };
  };
  const bodySchema = body && (body.whole ? fields.body?.schema : objectOf('body'));
  return {
    type: 'object',
    required: body?.required ? ['body'] : [],
    properties: {
      query: objectOf('query'),
      path: objectOf('path'),
      header: objectOf('header'),
      ...(bodySchema && { body: bodySchema }),
    },
  };
}

/** The value with numbers instead of bigints; the value itself if it has none. */
export function plainNumbers(value: unknown): unknown {
  if (!hasBigint(value)) return value;
  if (typeof value === 'bigint') return Math.min(Number(value), HIGHEST);
  if (Array.isArray(value)) return value.map(plainNumbers);
  return Object.fromEntries(Object.entries(Object(value)).map(([name, each]) => [name, plainNumbers(each)]));
}

function hasBigint(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return typeof value === 'bigint';
  for (const name in value) if (hasBigint((value as Record<string, unknown>)[name])) return true;
  return false;
}

/** What a request does wrong. */
export interface Violation {
  /** `query`, `path`, `header` or `body`, then the names that lead to the value. */
  readonly pointer: string;
  readonly keyword: string;
  readonly message: string;
}

function violationsOf({ errors }: ValidateFunction): Violation[] {
  return (errors ?? []).map(({ instancePath, keyword, message = '', params }: ErrorObject) => {
    const name = params.missingProperty ?? params.additionalProperty;
    const allowed = params.allowedValues ? `: ${params.allowedValues.join(', ')}` : '';
    const pointer = name === undefined ? instancePath : `${instancePath}/${escapePointer(name)}`;
    return { pointer, keyword, message: message + allowed };
  });
}

const escapePointer = (name: string) => name.replaceAll('~', '~0').replaceAll('/', '~1');

const MAX_NAMED = 10;

/** The error for violations. It names the first ten. */
export function invalidRequest(violations: readonly Violation[]): HttpError {
  const texts = [...new Set(violations.map(textOf))];
  const more = texts.length - MAX_NAMED;
  // No pet can have an invalid identifier, so the path leads nowhere.
  const code = violations.some(({ pointer }) => /^\/(path|params)\//.test(pointer)) ? 'not_found' : 'invalid_request';
  return new HttpError(code, [...texts.slice(0, MAX_NAMED), ...(more > 0 ? [`and ${more} more`] : [])].join('; '));
}

const wordings: Readonly<Record<string, string>> = {
  additionalProperties: 'there is no such property',
  required: 'it is missing',
};
const places: Readonly<Record<string, string>> = { params: 'path', headers: 'header' };

function textOf({ pointer, keyword, message }: Violation): string {
  const [, place = '', ...names] = pointer.split('/').map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
  const where = (places[place] ?? place) + (names.length > 0 ? ` '${names.join('.')}'` : '');
  return `${where}: ${wordings[keyword] ?? message}`;
}

function lazily<Key extends object, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const made = new WeakMap<Key, Value>();
  return (key) => {
    const existing = made.get(key) ?? make(key);
    made.set(key, existing);
    return existing;
  };
}
