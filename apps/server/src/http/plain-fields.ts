import type { Field, Operation } from '@petstore/types';
import type { RequestHandler } from 'express';
import { exchangeOf } from './exchange.ts';
import { Failure } from './failure.ts';

/**
 * Holds path and query to what the validator's parsing and coercion let slip: fields that are known and given once,
 * integers in decimal digits that can be carried exactly, escapes that are well-formed UTF-8.
 */
export const plainFields: RequestHandler = (_request, response, next) => {
  const { operation, pathFields, query } = exchangeOf(response);
  if (!operation) return next();

  for (const [name, text] of Object.entries(pathFields)) {
    const value = decoded(text);
    if (breaks(operation.fields[name], value)) throw new Failure('not_found', `There is no ${name} '${value}'.`);
  }

  const seen = new Set<string>();
  for (const pair of query.split('&').filter((one) => one !== '')) {
    const end = pair.includes('=') ? pair.indexOf('=') : pair.length;
    const name = decoded(pair.slice(0, end).replaceAll('+', ' '));
    const value = decoded(pair.slice(end + 1).replaceAll('+', ' '));
    const field = inQuery(operation, name);
    if (!field) throw refused(name, 'there is no such parameter');
    if (seen.has(name) && field.type !== 'array') throw refused(name, 'it is given more than once');
    if (breaks(field, value)) throw refused(name, `'${value}' is not an integer in decimal digits`);
    seen.add(name);
  }
  next();
};

/** The field of that name that an operation takes in its query. */
export function inQuery({ fields }: Operation, name: string): Field | undefined {
  const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
  return field?.in === 'query' ? field : undefined;
}

/** Whether a field's text is one that the validator would take for another value than is written there. */
export function breaks(field: Field | undefined, text: string): boolean {
  return field?.type === 'integer' && !(/^(0|-?[1-9]\d*)$/.test(text) && Number.isSafeInteger(Number(text)));
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (cause) {
    throw new Failure('invalid_request', `'${text}' is not percent-encoded UTF-8`, { cause });
  }
}

function refused(name: string, reason: string): Failure {
  return new Failure('invalid_request', `query '${name}': ${reason}`);
}
