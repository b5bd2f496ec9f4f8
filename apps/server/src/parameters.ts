// Reads the parameters of a request strictly: nothing is coerced or dropped.
import type { IncomingHttpHeaders } from 'node:http';
import { type Operation, operations, parseScalar, typeIn } from '@petstore/types';
import { HttpError, invalid } from './errors.ts';
import type { Exchange } from './exchange.ts';
import type { Input, Values } from './input.ts';
import type { Target } from './target.ts';

/** The parameters of a request. Throws for unknown and repeated ones. */
export function inputOf({ target, request }: Exchange, operation: Operation): Input {
  if (!inTarget.has(operation)) return readInput(target, request.headers, operation);
  // Requests repeat their targets, so what is in a target is read once.
  target.input ??= readInput(target, request.headers, operation);
  return target.input;
}

function readInput(target: Target, headers: IncomingHttpHeaders, operation: Operation): Input {
  const fields = fieldsOf(operation);
  return {
    query: readQuery(target.query, fields),
    path: readPath(target.params, fields),
    header: readHeaders(headers, fields),
    idempotencyKey: readIdempotencyKey(operation, headers),
  };
}

/** A parameter, with its type or that of its items. */
interface Parameter {
  readonly name: string;
  readonly place: string;
  readonly isList: boolean;
  readonly type: string;
}

const parameters = new Map(
  Object.values<Operation>(operations).map((operation) => [operation, declaredIn(operation)]),
);

const fieldsOf = (operation: Operation) => parameters.get(operation) ?? [];

/** Whether all that requests of an operation say is in their targets. */
function isInTarget(operation: Operation): boolean {
  if (operation.method !== 'GET' || operation.body) return false;
  return fieldsOf(operation).every(({ place }) => place !== 'header');
}

const inTarget = new Set(Object.values<Operation>(operations).filter(isInTarget));

function declaredIn({ fields }: Operation): readonly Parameter[] {
  return Object.entries(fields)
    .filter(([, field]) => field.in !== 'body')
    .map(([name, { in: place, schema }]) => {
      const isList = typeIn(schema) === 'array';
      const type = typeIn(isList ? (schema.items ?? {}) : schema) ?? 'string';
      return { name, place, isList, type };
    });
}

function readPath(params: ReadonlyMap<string, string>, fields: readonly Parameter[]): Values {
  const path: Record<string, unknown> = {};
  for (const { name, place, type } of fields)
    if (place === 'path') path[name] = typedValue('path', name, type, params.get(name) ?? '');
  return path;
}

function readHeaders(headers: IncomingHttpHeaders, fields: readonly Parameter[]): Values {
  const values: Record<string, unknown> = {};
  for (const { name, place, type } of fields) {
    const text = place === 'header' ? headers[name.toLowerCase()] : undefined;
    if (text !== undefined) values[name] = typedValue('header', name, type, String(text));
  }
  return values;
}

function readQuery(
  pairs: readonly (readonly [string, string])[],
  fields: readonly Parameter[],
): Values {
  const query: Record<string, unknown> = {};
  for (const [name, text] of pairs) {
    const field = fields.find((each) => each.place === 'query' && each.name === name);
    if (!field) throw invalid(`query '${name}': there is no such parameter`);
    const value = typedValue('query', name, field.type, text);
    if (field.isList) query[name] = [...listIn(query, name), value];
    else if (Object.hasOwn(query, name))
      throw invalid(`query '${name}': it appears more than once`);
    else query[name] = value;
  }
  return query;
}

function listIn(query: Values, name: string): readonly unknown[] {
  const list = Object.hasOwn(query, name) ? query[name] : undefined;
  return Array.isArray(list) ? list : [];
}

const DECIMAL = /^-?[1-9]\d*$/;

/** The value of a string. An integer of more than 64 bits stays a string, which no validator accepts. */
function typedValue(place: string, name: string, type: string, text: string): unknown {
  const value = type === 'string' ? text : parseScalar(text, type);
  if (value !== undefined) return value;
  if (DECIMAL.test(text)) return text;
  // No pet can have an invalid identifier, so the path leads nowhere.
  const code = place === 'path' ? 'not_found' : 'invalid_request';
  throw new HttpError(code, `${place} '${name}': must be ${type}`);
}

/** The form of the keys of each operation that takes them. */
const keyForms = new Map(
  Object.values<Operation>(operations).flatMap((operation) => {
    const { idempotencyKey } = operation;
    if (!idempotencyKey) return [];
    const { header, schema } = idempotencyKey;
    const pattern = new RegExp(schema.pattern ?? '');
    return [[operation, { header, name: header.toLowerCase(), pattern }] as const];
  }),
);

function readIdempotencyKey(
  operation: Operation,
  headers: IncomingHttpHeaders,
): string | undefined {
  const form = keyForms.get(operation);
  const text = form && headers[form.name];
  if (!form || typeof text !== 'string') return undefined;
  if (!form.pattern.test(text))
    throw invalid(
      `header '${form.header}': it is not a valid key: send a UUID, or what the spec allows`,
    );
  // Without the quotes of a structured field (RFC 9651).
  return text.startsWith('"') ? text.slice(1, -1).replace(/\\(.)/g, '$1') : text;
}
