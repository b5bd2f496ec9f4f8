// Reads bodies and texts as the service does.

import { parseIfJson } from '../errors.ts';
import {
  isInt64,
  type Operation,
  parseExact,
  parseScalar,
  type RequestBody,
  repeatedKey,
  roundedNumber,
  type Schema,
  typeIn,
  typesOf,
  violationOf,
} from '../old.ts';

/** An error response of the fake service. */
export class HttpError extends Error {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.status = status;
    this.headers = headers;
  }
}

/** The inputs of an operation by name. */
export type Inputs = Record<string, unknown>;

/** The operation of a request with a body. */
type WithBody = Required<Pick<Operation, 'fields' | 'body'>>;

/** The limit of the real service by default. */
const MAX_BODY_BYTES = 2 ** 20;

/** The inputs in the body of a request. Throws an HttpError for a body that the spec does not allow. */
export async function readBody({ fields, body }: WithBody, request: Request): Promise<Inputs> {
  const { size } = await request.clone().blob();
  if (size > MAX_BODY_BYTES) throw new HttpError(413, `the body is larger than ${MAX_BODY_BYTES} bytes`);
  if (!/^(identity)?$/i.test(request.headers.get('content-encoding') ?? ''))
    throw new HttpError(415, 'the body is compressed');
  if (request.body === null && !body.required) return {};
  const value = await readValue({ fields, body }, request);
  if (body.whole) {
    validate('the body', value, fields.body?.schema ?? {});
    return { body: value };
  }
  if (!isObject(value)) throw new HttpError(400, 'the body is not an object');
  const properties = new Map(Object.entries(value));
  for (const [name, field] of Object.entries(fields)) {
    if (field.in !== 'body') continue;
    if (field.required && !properties.has(name)) throw new HttpError(400, `body '${name}' is missing`);
    if (properties.has(name)) validate(`body '${name}'`, properties.get(name), field.schema);
  }
  for (const name of properties.keys())
    if (fields[name]?.in !== 'body' && !body.additional)
      throw new HttpError(400, `body '${name}': there is no such property`);
  // An additional property does not become the parameter of the same name.
  return Object.fromEntries([...properties].filter(([name]) => (fields[name]?.in ?? 'body') === 'body'));
}

/** The value of a body in the declared media type. */
async function readValue({ body }: WithBody, request: Request): Promise<unknown> {
  if (!isAccepted(request.headers.get('content-type') ?? '', body))
    throw new HttpError(415, `the body must be ${body.mediaType} in UTF-8`);
  return parseJson(utf8Of(await request.arrayBuffer()));
}

/** Whether a `Content-Type` matches the declared media type. Text has to be UTF-8. */
function isAccepted(contentType: string, { mediaType }: RequestBody): boolean {
  const [type = '', ...parameters] = contentType.toLowerCase().split(/ *; */);
  const [expected = ''] = mediaType.toLowerCase().split(';');
  return type === expected && !parameters.some((parameter) => /^charset=(?!"?(utf-8|us-ascii)"?$)/.test(parameter));
}

function utf8Of(bytes: ArrayBuffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new HttpError(400, 'the body is not UTF-8');
  }
}

function parseJson(text: string): unknown {
  let value: unknown;
  try {
    value = parseExact(text);
  } catch {
    throw new HttpError(400, 'the body is not JSON');
  }
  const repeated = repeatedKey(text);
  if (repeated !== undefined) throw new HttpError(400, `body '${repeated}': it appears more than once`);
  const rounded = roundedNumber(text);
  if (rounded !== undefined) throw new HttpError(400, `body: ${rounded} cannot be represented exactly`);
  const problem = problemIn(value);
  if (problem !== undefined) throw new HttpError(400, `body: ${problem}`);
  return value;
}

/** Why the service cannot store a value: a lone surrogate, or an integer beyond 64 bits. */
function problemIn(value: unknown): string | undefined {
  if (typeof value === 'string' && /\p{Surrogate}/u.test(value)) return 'it is not well-formed Unicode';
  if (typeof value === 'bigint' && !isInt64(value)) return `${value} cannot be represented exactly`;
  if (typeof value !== 'object' || value === null) return undefined;
  for (const part of Object.entries(value).flat()) {
    const problem = problemIn(part);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** Throws an HttpError if a value violates its schema. */
export function validate(name: string, value: unknown, schema: Schema, status = 400): void {
  const violation = violationOf(value, schema, 'request');
  if (violation === undefined) return;
  // A violation within the value begins with its location, such as `[0]`.
  throw new HttpError(status, `${name}${/^[.[]/.test(violation) ? '' : ' is '}${violation}`);
}

/** The text of a parameter as a value of the type in its schema. */
export function valueFrom(text: string, schema: Schema): unknown {
  for (const type of typesOf(schema)) {
    const value = parseScalar(text, type);
    if (value !== undefined) return value;
  }
  return typeIn(schema) === 'object' ? parseIfJson(text) : text;
}

/** Whether a JSON value is an object. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
