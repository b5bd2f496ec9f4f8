// Reads requests as the service does, by the operations of the spec.
import { type Field, type Operation, typeIn, typesOf } from '@petstore/types';
import { faultOf } from '../check.ts';
import { HttpError, readBody, valueFrom } from './read-body.ts';

/** An operation, and the percent-encoded parameters in the path that matches it. */
export interface Route {
  readonly operation: Operation;
  readonly segments: ReadonlyMap<string, string>;
}

/** The operations with this path. A path without parameters goes before one with parameters. */
export function routesOf(operations: readonly Operation[], path: string): Route[] {
  const routes = operations.flatMap((operation) => {
    const names: string[] = [];
    const pattern = operation.path
      .split(/\{([^}]+)\}/)
      .map((part, i) => (i % 2 === 0 ? part.replace(/[.*+?^$()|[\]\\]/g, '\\$&') : names.push(part) && '([^/]+)'))
      .join('');
    const match = new RegExp(`^${pattern}$`).exec(path);
    return match ? [{ operation, segments: new Map(names.map((name, i) => [name, match[i + 1] ?? ''])) }] : [];
  });
  return routes.sort((one, other) => one.segments.size - other.segments.size);
}

/** The inputs in a request. Throws an HttpError for an input that the spec does not allow. */
export async function readInputs(
  { operation: { fields, body }, segments }: Route,
  query: URLSearchParams,
  request: Request,
): Promise<Record<string, unknown>> {
  const input: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(fields)) {
    const { in: place, required, schema } = field;
    if (place === 'body') continue;
    const texts =
      place === 'query'
        ? query.getAll(name)
        : [(place === 'path' ? decoded(segments.get(name)) : request.headers.get(name)) ?? []].flat();
    if (!isReadable(field) && (texts.length > 0 || (place === 'cookie' && request.headers.has('cookie'))))
      throw unreadable(name);
    const isList = typesOf(schema).includes('array');
    if (texts.length > 1 && !isList) throw new HttpError(400, `query '${name}' appears more than once`);
    if (texts.length === 0 && required && isReadable(field)) throw new HttpError(400, `${place} '${name}' is missing`);
    if (texts.length === 0) continue;
    const values = texts.map((text) => valueFrom(text, isList ? (schema.items ?? {}) : schema));
    const value = isList ? values : values[0];
    const fault = faultOf(value, schema, 'request');
    // No document has an identifier that violates the spec.
    if (fault !== undefined) throw new HttpError(place === 'path' ? 404 : 400, `${place} '${name}' is ${fault}`);
    input[name] = value;
  }
  for (const name of query.keys())
    if (fields[name]?.in !== 'query') {
      const other = Object.keys(fields).find((one) => fields[one]?.in === 'query' && !isReadable(fields[one]));
      throw other ? unreadable(other) : new HttpError(400, `query '${name}': there is no such parameter`);
    }
  return body ? { ...input, ...(await readBody({ fields, body }, request)) } : input;
}

/** The idempotency key in a request, without the quotes of a structured field. Throws an HttpError for an invalid key. */
export function idempotencyKeyOf({ idempotencyKey }: Operation, { headers }: Request): string | undefined {
  const text = idempotencyKey && headers.get(idempotencyKey.header);
  if (!idempotencyKey || typeof text !== 'string') return undefined;
  const fault = faultOf(text, idempotencyKey.schema, 'request');
  if (fault !== undefined) throw new HttpError(400, `header '${idempotencyKey.header}' is ${fault}`);
  return text.startsWith('"') ? text.slice(1, -1).replace(/\\(.)/g, '$1') : text;
}

/** A text that is the same for equal inputs, whatever the order of their properties. */
export async function fingerprintOf(input: unknown): Promise<string> {
  if (input instanceof Blob) return JSON.stringify([input.type, (input as File).name, await input.text()]);
  if (typeof input !== 'object' || input === null) return `${typeof input} ${JSON.stringify(String(input))}`;
  const entries = Object.entries(input).sort(([one], [other]) => (one < other ? -1 : 1));
  const texts = entries.map(async ([name, value]) => `${JSON.stringify(name)}: ${await fingerprintOf(value)}`);
  return `{${await Promise.all(texts)}}`;
}

/** Whether the fake service can read a parameter: one text, or a list in a query that repeats its name. */
function isReadable({ in: place, style, explode, contentType, schema }: Field): boolean {
  if (place === 'cookie' || (style ?? explode ?? contentType) !== undefined) return false;
  return typeIn(schema) !== 'object' && (place === 'query' || typeIn(schema) !== 'array');
}

function unreadable(name: string): HttpError {
  return new HttpError(
    501,
    `The fake service cannot read '${name}', which is a cookie or in another style than the default.`,
  );
}

function decoded(segment = ''): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new HttpError(400, 'The target of the request is not a well-formed path.');
  }
}
