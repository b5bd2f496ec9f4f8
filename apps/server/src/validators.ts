import { type Operation, operations, type Schema, schemas } from '@petstore/types';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { HttpError, invalid } from './errors.ts';
import type { Input } from './request.ts';

// Types are strict: nothing is coerced. Annotations of OpenAPI are no keywords of JSON Schema.
const ajv = new Ajv2020({ strict: false, strictNumbers: true });
const isIn = (low: number, high: number) => (value: number) => value >= low && value <= high;
// JSON Schema knows no bigints: the highest double that fits into 64 bits stands for those above it.
const HIGHEST = 2 ** 63 - 1024;
ajv.addFormat('int64', { type: 'number', validate: isIn(-(2 ** 63), HIGHEST) });
ajv.addFormat('int32', { type: 'number', validate: isIn(-(2 ** 31), 2 ** 31 - 1) });
for (const [name, schema] of Object.entries<Schema>(schemas)) ajv.addSchema(schema, `#/components/schemas/${name}`);

const requests = new Map(
  Object.values<Operation>(operations).map((operation) => [operation, ajv.compile(requestSchema(operation))]),
);
const responses = new Map<Schema, ValidateFunction>();

/** Whether a request is valid. */
export function isValid(operation: Operation, { query, path, header, body }: Input): boolean {
  const validate = requests.get(operation);
  const values = { query, path, header, body: plain(body) };
  // A bigint in a parameter has no type that the validator knows.
  return validate?.(values) === true || validate?.(plain(values)) === true;
}

/** Throws unless a request is valid. */
export function checkRequest(operation: Operation, input: Input): void {
  if (!isValid(operation, input)) throw invalidRequest(violationsOf(requests.get(operation)));
}

/** Throws unless the spec declares such a response. */
export function checkResponse({ id, responses: declared }: Operation, status: number, body: unknown): void {
  const response = declared[status] ?? declared.default;
  if (!response) throw new Error(`${id} does not declare the status ${status}.`);
  const { schema } = response;
  if (!schema) return;
  const validate = responses.get(schema) ?? ajv.compile(schema);
  responses.set(schema, validate);
  if (!validate(plain(body)))
    throw new Error(
      `The response ${status} of ${id} breaks the spec: ${violationsOf(validate).map(textOf).join('; ')}`,
    );
}

function requestSchema({ fields, body }: Operation): Schema {
  const objectOf = (place: string): Schema => {
    const own = Object.entries(fields).filter(([, field]) => field.in === place);
    return {
      type: 'object',
      additionalProperties: false,
      required: own.filter(([, { required }]) => required).map(([name]) => name),
      properties: Object.fromEntries(own.map(([name, { schema }]) => [name, schema])),
    };
  };
  const places = { query: objectOf('query'), path: objectOf('path'), header: objectOf('header') };
  const bodySchema = body && (body.whole ? fields.body?.schema : objectOf('body'));
  return { type: 'object', properties: { ...places, ...(bodySchema && { body: bodySchema }) } };
}

const MAX_DEPTH = 64;

/** A copy of a JSON value with numbers instead of bigints. Throws for deep nesting and for malformed Unicode. */
export function plain(value: unknown, name = 'body', depth = 0): unknown {
  if (typeof value === 'bigint') return Math.min(Number(value), HIGHEST);
  if (typeof value === 'string' && !value.isWellFormed()) throw invalid(`${name}: it is not well-formed Unicode`);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= MAX_DEPTH) throw invalid(`body: it is nested more than ${MAX_DEPTH} deep`);
  if (Array.isArray(value)) return value.map((each) => plain(each, name, depth + 1));
  const members = Object.entries(value).map(([member, each]) => {
    if (!member.isWellFormed()) throw invalid(`${name}: a name is not well-formed Unicode`);
    return [member, plain(each, `body '${member}'`, depth + 1)];
  });
  return Object.fromEntries(members);
}

/** What a request does wrong. */
export interface Violation {
  /** A JSON pointer, which begins with `query`, `path`, `header` or `body`. */
  readonly names: readonly string[];
  readonly keyword: string;
  readonly message: string;
}

function violationsOf(validate: ValidateFunction | undefined): Violation[] {
  return (validate?.errors ?? []).map(({ instancePath, keyword, message = '', params }) => ({
    names: [...namesIn(instancePath), params.missingProperty ?? params.additionalProperty ?? []].flat(),
    keyword,
    message: params.allowedValues ? `${message}: ${params.allowedValues.join(', ')}` : message,
  }));
}

/** The names of a JSON pointer. */
export function namesIn(pointer: string): string[] {
  const names = pointer.split('/').slice(1);
  return names.map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
}

const MAX_NAMED = 10;

/** The error for violations. It names the first ten. */
export function invalidRequest(violations: readonly Violation[]): HttpError {
  const texts = [...new Set(violations.map(textOf))];
  const more = texts.length - MAX_NAMED;
  // No pet can have an invalid identifier, so the path leads nowhere.
  const code = violations.some(({ names: [place] }) => place === 'path') ? 'not_found' : 'invalid_request';
  return new HttpError(code, [...texts.slice(0, MAX_NAMED), ...(more > 0 ? [`and ${more} more`] : [])].join('; '));
}

const wordings: Readonly<Record<string, string>> = {
  additionalProperties: 'there is no such property',
  required: 'it is missing',
};

function textOf({ names: [place, ...names], keyword, message }: Violation): string {
  return `${place}${names.length > 0 ? ` '${names.join('.')}'` : ''}: ${wordings[keyword] ?? message}`;
}
