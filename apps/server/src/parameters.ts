// Reads the parameters of a request strictly: nothing is coerced or dropped.
import type { IncomingHttpHeaders } from 'node:http';
import { type Operation, operations, parseScalar, typeIn } from '@petstore/types';
import { HttpError, invalid } from './errors.ts';
import type { Exchange } from './exchange.ts';

type Values = Readonly<Record<string, unknown>>;

/** The parameters of a request. A number that no type of ours holds stays a string, which the validators reject. */
export interface Parameters {
  readonly query: Values;
  readonly path: Values;
  readonly header: Values;
}

/** The content of a request. */
export interface Input extends Parameters {
  readonly idempotencyKey: string | undefined;
  /** The parsed body; undefined without one. */
  body?: unknown;
  /** The body with numbers instead of bigints, for validators. */
  plainBody?: unknown;
}

/** Reads the parameters of an operation. Throws for unknown and repeated ones. */
export function readParameters(exchange: Exchange, operation: Operation): Input {
  const { target, request } = exchange;
  const fields = fieldsOf(operation);
  // Requests repeat their targets, so what a target says is read once.
  const remembered = operation.method === 'GET' ? target.parameters : undefined;
  const { path, query } = remembered ?? {
    path: readPath(target.params, fields),
    query: readQuery(target.query, fields),
    header: {},
  };
  if (operation.method === 'GET') target.parameters ??= { path, query, header: {} };
  const header = readHeaders(request.headers, fields);
  return { query, path, header, idempotencyKey: readIdempotencyKey(operation, request.headers) };
}

/** A parameter, with its type or that of its items. */
interface Parameter {
  readonly name: string;
  readonly place: string;
  readonly isList: boolean;
  readonly type: string;
}

const parameters = new Map(
  Object.values<Operation>(operations).map((operation) => [operation, parametersOf(operation)]),
);

const fieldsOf = (operation: Operation) => parameters.get(operation) ?? [];

function parametersOf({ fields }: Operation): readonly Parameter[] {
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
    if (place === 'path') path[name] = valueOf('path', name, type, params.get(name) ?? '');
  return path;
}

function readHeaders(headers: IncomingHttpHeaders, fields: readonly Parameter[]): Values {
  const values: Record<string, unknown> = {};
  for (const { name, place, type } of fields) {
    const text = place === 'header' ? headers[name.toLowerCase()] : undefined;
    if (text !== undefined) values[name] = valueOf('header', name, type, String(text));
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
    const value = valueOf('query', name, field.type, text);
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
function valueOf(place: string, name: string, type: string, text: string): unknown {
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
    return [[operation, { header, pattern: new RegExp(schema.pattern ?? '') }] as const];
  }),
);

function readIdempotencyKey(
  operation: Operation,
  headers: IncomingHttpHeaders,
): string | undefined {
  const form = keyForms.get(operation);
  const text = form && headers[form.header.toLowerCase()];
  if (!form || typeof text !== 'string') return undefined;
  if (!form.pattern.test(text))
    throw invalid(
      `header '${form.header}': it is not a valid key: send a UUID, or what the spec allows`,
    );
  // Without the quotes of a structured field (RFC 9651).
  return text.startsWith('"') ? text.slice(1, -1).replace(/\\(.)/g, '$1') : text;
}
