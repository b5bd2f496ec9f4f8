// Reads requests as the service does, by the operations of the spec.
import {
  type Field,
  type Operation,
  parseExact,
  propertiesOf,
  type RequestBody,
  type Schema,
  typeIn,
  typesOf,
} from '@petstore/types';
import { faultOf } from '../check.ts';
import { parseIfJson } from '../errors.ts';

/** An error response of the fake service. */
export class HttpError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

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

/** Whether a parameter is a text, or a list in a query that repeats its name, as by default. */
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

type WithBody = Required<Pick<Operation, 'fields' | 'body'>>;

async function readBody({ fields, body }: WithBody, request: Request): Promise<Record<string, unknown>> {
  if (body.kind === 'text') return { body: await request.text() };
  if (body.kind === 'bytes') return { body: await request.blob() };
  const value = body.kind === 'json' ? await readJson(body, request) : await readForm({ fields, body }, request);
  if (value === undefined) return {};
  if (body.whole) {
    const fault = faultOf(value, fields.body?.schema ?? {}, 'request');
    if (fault !== undefined) throw new HttpError(400, `the body is ${fault}`);
    return { body: value };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new HttpError(400, 'the body is not an object');
  const properties = new Map<string, unknown>(Object.entries(value));
  for (const [name, field] of Object.entries(fields).filter(([, one]) => one.in === 'body')) {
    if (field.required && !properties.has(name)) throw new HttpError(400, `body '${name}' is missing`);
    const fault = properties.has(name) ? faultOf(properties.get(name), field.schema, 'request') : undefined;
    if (fault !== undefined) throw new HttpError(400, `body '${name}' is ${fault}`);
  }
  for (const name of properties.keys())
    if (fields[name]?.in !== 'body' && !body.additional)
      throw new HttpError(400, `body '${name}': there is no such property`);
  return Object.fromEntries(properties);
}

/** The value of a JSON body; `undefined` if an optional body is missing. */
async function readJson(body: RequestBody, request: Request): Promise<unknown> {
  const text = await request.text();
  if (text === '' && !body.required) return undefined;
  if (!/[/+]json\b/i.test(request.headers.get('content-type') ?? ''))
    throw new HttpError(415, `the body must be ${body.mediaType}`);
  try {
    return parseExact(text);
  } catch {
    throw new HttpError(400, 'the body is not JSON');
  }
}

/** The properties of a form; `undefined` if an optional body is missing. A part that is a file is a `File`. */
async function readForm({ fields, body }: WithBody, request: Request): Promise<Record<string, unknown> | undefined> {
  if (request.body === null && !body.required) return undefined;
  const form = await request.formData().catch(() => {
    throw new HttpError(415, `the body must be ${body.mediaType}`);
  });
  const properties = body.whole ? propertiesOf(fields.body?.schema ?? {}) : {};
  const read = [...new Set(form.keys())].map((name) => {
    const schema = properties[name] ?? fields[name]?.schema ?? {};
    const isList = typeIn(schema) === 'array';
    const rule = isList ? (schema.items ?? {}) : schema;
    const values = form.getAll(name).map((part) => (typeof part === 'string' ? valueFrom(part, rule) : part));
    return [name, isList ? values : values[0]] as const;
  });
  return Object.fromEntries(read);
}

function decoded(segment = ''): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new HttpError(400, 'The target of the request is not a well-formed path.');
  }
}

/** The text of a parameter as a value of the type in its schema. */
function valueFrom(text: string, schema: Schema): unknown {
  const types = typesOf(schema);
  if (types.includes('integer') && /^-?(0|[1-9]\d*)$/.test(text)) {
    const value = Number(text);
    return Number.isSafeInteger(value) ? value : BigInt(text);
  }
  if (types.includes('number') && /^-?(0|[1-9]\d*)(\.\d+)?(e[+-]?\d+)?$/i.test(text)) return Number(text);
  if (typeIn(schema) === 'object') return parseIfJson(text, false, text);
  if (types.includes('boolean') && /^(true|false)$/.test(text)) return text === 'true';
  return text;
}
