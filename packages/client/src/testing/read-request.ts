// Reads a request as the service does, by the operations of the spec.
import { type Operation, type Schema, typesOf } from '@petstore/types';
import { faultOf } from '../check.ts';
import { exactInteger } from '../parse-response.ts';

/** An error response of the fake service. */
export class HttpError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** The operation that a request is for, and what its path says. Throws an HttpError if there is none. */
export function matchRoute(operations: readonly Operation[], method: string, path: string) {
  const found = operations.flatMap((operation) => {
    const names: string[] = [];
    const pattern = operation.path
      .split(/\{([^}]+)\}/)
      .map((part, i) => (i % 2 === 0 ? part.replace(/[.*+?^$()|[\]\\]/g, '\\$&') : names.push(part) && '([^/]+)'))
      .join('');
    const match = new RegExp(`^${pattern}$`).exec(path);
    return match
      ? [{ operation, words: new Map(names.map((name, i) => [name, decodeURIComponent(match[i + 1] ?? '')])) }]
      : [];
  });
  if (found.length === 0) throw new HttpError(404, 'There is no such path.');
  // A path without parameters goes before one that it would match.
  const [route] = found
    .filter(({ operation }) => operation.method === method)
    .sort((one, other) => one.words.size - other.words.size);
  if (!route) throw new HttpError(405, `This path has ${found.map(({ operation }) => operation.method).join(', ')}.`);
  return route;
}

/** The inputs of an operation. Throws an HttpError for an input that the spec does not allow. */
export async function readInputs(
  { fields, body }: Operation,
  words: ReadonlyMap<string, string>,
  query: URLSearchParams,
  request: Request,
): Promise<Record<string, unknown>> {
  const input: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(fields)) {
    const { in: place, required, schema } = field;
    if (place === 'body') continue;
    const given =
      place === 'query'
        ? query.getAll(name)
        : [(place === 'path' ? words.get(name) : request.headers.get(name)) ?? []].flat();
    const isList = typesOf(schema).includes('array');
    if (given.length > 1 && !isList) throw new HttpError(400, `query '${name}' appears more than once`);
    if (given.length === 0 && required) throw new HttpError(400, `${place} '${name}' is missing`);
    if (given.length === 0) continue;
    const values = given.map((word) => valueFrom(word, isList ? (schema.items ?? {}) : schema));
    const value = isList ? values : values[0];
    const fault = faultOf(value, schema, 'request');
    // No document has an identifier that breaks the rules.
    if (fault !== undefined) throw new HttpError(place === 'path' ? 404 : 400, `${place} '${name}' is ${fault}`);
    input[name] = value;
  }
  for (const name of query.keys())
    if (fields[name]?.in !== 'query') throw new HttpError(400, `query '${name}': there is no such parameter`);
  return body ? { ...input, ...(await readBody({ fields, body }, request)) } : input;
}

async function readBody(
  { fields, body }: Required<Pick<Operation, 'fields' | 'body'>>,
  request: Request,
): Promise<Record<string, unknown>> {
  if (body.kind !== 'json') return { body: body.kind === 'text' ? await request.text() : await request.blob() };
  const type = request.headers.get('content-type') ?? '';
  const text = await request.text();
  if (text === '' && !body.required) return {};
  if (!/[/+]json\b/i.test(type)) throw new HttpError(415, `the body has to be ${body.mediaType}`);
  let value: unknown;
  try {
    value = JSON.parse(text, exactInteger);
  } catch {
    throw new HttpError(400, 'the body is no JSON');
  }
  if (body.whole) {
    const fault = faultOf(value, fields.body?.schema ?? {}, 'request');
    if (fault !== undefined) throw new HttpError(400, `the body is ${fault}`);
    return { body: value };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new HttpError(400, 'the body is no object');
  const given = new Map<string, unknown>(Object.entries(value));
  for (const [name, field] of Object.entries(fields).filter(([, one]) => one.in === 'body')) {
    if (field.required && !given.has(name)) throw new HttpError(400, `body '${name}' is missing`);
    const fault = given.has(name) ? faultOf(given.get(name), field.schema, 'request') : undefined;
    if (fault !== undefined) throw new HttpError(400, `body '${name}' is ${fault}`);
  }
  for (const name of given.keys())
    if (fields[name]?.in !== 'body' && !body.additional)
      throw new HttpError(400, `body '${name}': there is no such property`);
  return Object.fromEntries(given);
}

/** A word of a request as the value that its schema says. */
function valueFrom(word: string, schema: Schema): unknown {
  const types = typesOf(schema);
  if (types.includes('integer') && /^-?\d+$/.test(word)) {
    const value = Number(word);
    return Number.isSafeInteger(value) ? value : BigInt(word);
  }
  if (types.includes('number') && /^-?[\d.]+(e[+-]?\d+)?$/i.test(word)) return Number(word);
  if (types.includes('boolean') && /^(true|false)$/.test(word)) return word === 'true';
  return word;
}
