import type { IncomingHttpHeaders } from 'node:http';
import { type Field, type Operation, operations, parseScalar, typeIn } from '@petstore/types';
import { HttpError, invalid } from './errors.ts';

/** The values of the parameters by where they are. A text that is no value of its type stays a text, which the validator rejects. */
export interface Parameters {
  readonly query: Readonly<Record<string, unknown>>;
  readonly path: Readonly<Record<string, unknown>>;
  readonly header: Readonly<Record<string, unknown>>;
}

const fieldsOf = new Map(
  Object.values<Operation>(operations).map((operation) => {
    const fieldsIn = (place: Field['in']) =>
      new Map(Object.entries(operation.fields).filter(([, field]) => field.in === place));
    return [operation, { query: fieldsIn('query'), path: fieldsIn('path'), header: fieldsIn('header') }] as const;
  }),
);

/** Reads the parameters of a request. Throws for unknown and repeated ones, and for escapes that are not UTF-8. */
export function readParameters(
  operation: Operation,
  params: Readonly<Record<string, string>>,
  query: string,
  headers: IncomingHttpHeaders,
): Parameters {
  const fields = fieldsOf.get(operation);
  const values = { query: Object.create(null), path: Object.create(null), header: Object.create(null) };
  if (!fields) return values;
  for (const [name, field] of fields.path) values.path[name] = parameterOf(field, decode(params[name] ?? ''));
  for (const pair of query === '' ? [] : query.split('&')) {
    if (pair === '') continue;
    const [before, after] = splitOnce(pair.replaceAll('+', ' '));
    const name = decode(before);
    const text = decode(after);
    const field = fields.query.get(name);
    if (!field) throw invalid(`query '${name}': there is no such parameter`);
    if (typeIn(field.schema) === 'array') {
      values.query[name] = [...(values.query[name] ?? []), itemOf(field, text)];
    } else {
      if (name in values.query) throw invalid(`query '${name}': it appears more than once`);
      values.query[name] = parameterOf(field, text);
    }
  }
  for (const [name, field] of fields.header) {
    const text = headers[name.toLowerCase()];
    if (text !== undefined) values.header[name] = parameterOf(field, String(text));
  }
  const { idempotencyKey } = operation;
  const key = idempotencyKey && headers[idempotencyKey.header.toLowerCase()];
  if (idempotencyKey && key !== undefined && !new RegExp(idempotencyKey.schema.pattern ?? '').test(String(key))) {
    const problem = 'it is not a valid key: send a UUID, or another text that the spec allows';
    throw invalid(`header '${idempotencyKey.header}': ${problem}`);
  }
  return values;
}

function parameterOf({ schema }: Field, text: string): unknown {
  return scalarOf(typeIn(schema), text);
}

function itemOf({ schema }: Field, text: string): unknown {
  return scalarOf(schema.items && typeIn(schema.items), text);
}

function scalarOf(type: string | undefined, text: string): unknown {
  return type === undefined || type === 'string' ? text : (parseScalar(text, type) ?? text);
}

function splitOnce(pair: string): [string, string] {
  const at = pair.indexOf('=');
  return at < 0 ? [pair, ''] : [pair.slice(0, at), pair.slice(at + 1)];
}

export function decode(text: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch (cause) {
    throw new HttpError('invalid_request', 'The target of the request has an escape that is not UTF-8.', { cause });
  }
}
