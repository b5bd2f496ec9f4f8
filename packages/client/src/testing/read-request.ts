// Reads requests as the service does, by the operations of the spec.
import { type Field, type Operation, pathFieldsOf, typeIn, typesOf } from '../old.ts';
import { HttpError, type Inputs, readBody, validate, valueFrom } from './read-body.ts';

/** An operation, and the percent-encoded parameters in the path that matches it. */
export interface Route {
  readonly operation: Operation;
  readonly segments: ReadonlyMap<string, string>;
}

/** The operations with this path, the most specific first: `/things/all` before `/things/{id}`. */
export function routesOf(operations: readonly Operation[], path: string): Route[] {
  const routes = operations.flatMap((operation) => {
    const names = pathFieldsOf(operation);
    const literals = operation.path.split(/\{[^}]+\}/).map((text) => text.replace(/[.*+?^$()|[\]\\]/g, '\\$&'));
    const match = new RegExp(`^${literals.join('([^/]+)')}$`).exec(path);
    return match ? [{ operation, segments: new Map(names.map((name, i) => [name, match[i + 1] ?? ''])) }] : [];
  });
  const literalLength = ({ operation }: Route) => operation.path.replace(/\{[^}]+\}/g, '').length;
  return routes.sort((left, right) => literalLength(right) - literalLength(left));
}

/** The inputs in a request. Throws an HttpError for an input that the spec does not allow. */
export async function readInputs(route: Route, query: URLSearchParams, request: Request): Promise<Inputs> {
  const { fields, body } = route.operation;
  const input: Inputs = {};
  const parameters = Object.entries(fields).filter(([, field]) => field.in !== 'body');
  for (const [name, field] of parameters) {
    const { in: location, required, schema } = field;
    const texts = location === 'query' ? query.getAll(name) : textsOf(location, name, route.segments, request.headers);
    if (texts.length === 0) {
      if (required && isReadable(field)) throw new HttpError(400, `${location} '${name}' is missing`);
      continue;
    }
    if (!isReadable(field)) throw unreadable(name);
    const isList = typesOf(schema).includes('array');
    if (texts.length > 1 && !isList) throw new HttpError(400, `query '${name}' appears more than once`);
    const values = texts.map((text) => valueFrom(text, isList ? (schema.items ?? {}) : schema));
    const value = isList ? values : values[0];
    // No document has an identifier that violates the spec.
    validate(`${location} '${name}'`, value, schema, location === 'path' ? 404 : 400);
    input[name] = value;
  }
  for (const name of query.keys()) {
    if (fields[name]?.in === 'query') continue;
    // The name may belong to a parameter in another style, for example `color[R]` to `color`.
    const [unread] = parameters.find(([, field]) => field.in === 'query' && !isReadable(field)) ?? [];
    throw unread ? unreadable(unread) : new HttpError(400, `query '${name}': there is no such parameter`);
  }
  return body ? { ...input, ...(await readBody({ fields, body }, request)) } : input;
}

/** The idempotency key in a request, without the quotes of a structured field. Throws an HttpError for an invalid key. */
export function idempotencyKeyOf({ idempotencyKey }: Operation, { headers }: Request): string | undefined {
  const text = idempotencyKey && headers.get(idempotencyKey.header);
  if (!idempotencyKey || typeof text !== 'string') return undefined;
  validate(`header '${idempotencyKey.header}'`, text, idempotencyKey.schema);
  return text.startsWith('"') ? text.slice(1, -1).replace(/\\(.)/g, '$1') : text;
}

/** A text that is the same for equal inputs, whatever the order of their properties. */
export async function fingerprintOf(input: unknown): Promise<string> {
  if (typeof input !== 'object' || input === null) return `${typeof input} ${JSON.stringify(String(input))}`;
  const entries = Object.entries(input).sort(([left], [right]) => (left < right ? -1 : 1));
  const texts = entries.map(async ([name, value]) => `${JSON.stringify(name)}: ${await fingerprintOf(value)}`);
  return `{${await Promise.all(texts)}}`;
}

/** The text of a parameter in the path or a header; none if there is none. */
function textsOf(location: Field['in'], name: string, segments: Route['segments'], headers: Headers): string[] {
  const text = location === 'path' ? decoded(segments.get(name)) : headers.get(name);
  return text === null ? [] : [text];
}

/** Whether the fake service can read a parameter: one text, or a list in a query that repeats its name. */
function isReadable({ in: location, style, explode, contentType, schema }: Field): boolean {
  if (location === 'cookie' || (style ?? explode ?? contentType) !== undefined) return false;
  return typeIn(schema) !== 'object' && (location === 'query' || typeIn(schema) !== 'array');
}

function unreadable(name: string): HttpError {
  return new HttpError(501, `The fake service cannot read '${name}': it is a cookie, or not in the default style.`);
}

function decoded(segment = ''): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new HttpError(400, 'The target of the request is not a well-formed path.');
  }
}
