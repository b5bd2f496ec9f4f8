import { type Field, type Operation, operations, typeIn, typesOf } from '@petstore/types';
import type { RequestHandler } from 'express';
import { HttpError } from './http-error.ts';
import { contextOf, type RequestContext } from './request-context.ts';

/**
 * Checks in path and query what the validator's parsing and coercion let pass: parameters that are unknown or repeated,
 * integers in anything but decimal digits or beyond what a number holds exactly, escapes that are not UTF-8.
 */
export const checkParameters: RequestHandler = (_request, response, next) => {
  const { operation, pathParams, query } = contextOf(response);
  if (!operation) return next();

  for (const [name, text] of Object.entries(pathParams)) {
    const value = decode(text);
    if (isNonCanonicalInteger(operation.fields[name], value)) {
      throw new HttpError('not_found', `There is no ${name} '${value}'.`);
    }
  }

  const seen = new Set<string>();
  for (const pair of query.split('&').filter((one) => one !== '')) {
    const end = pair.includes('=') ? pair.indexOf('=') : pair.length;
    const name = decode(pair.slice(0, end).replaceAll('+', ' '));
    const value = decode(pair.slice(end + 1).replaceAll('+', ' '));
    const field = queryField(operation, name);
    if (!field) throw invalidQuery(name, 'there is no such parameter');
    if (seen.has(name) && typeIn(field.schema) !== 'array') throw invalidQuery(name, 'it is given more than once');
    if (isNonCanonicalInteger(field, value)) {
      throw invalidQuery(name, `'${value}' is not an integer in decimal digits`);
    }
    seen.add(name);
  }
  next();
};

/** Whether the fast path can read the parameters of an operation: single values in path and query. */
export function hasPlainParameters({ fields }: Operation): boolean {
  return Object.values(fields).every(
    ({ in: place, schema }) =>
      place === 'body' ||
      ((place === 'path' || place === 'query') &&
        !typesOf(schema).some((type) => type === 'array' || type === 'object')),
  );
}

/** Letters, digits, `_` and `-`: nothing that would have to be decoded. */
const PLAIN_TARGET = /^[\w/-]*(?:\?[\w&=-]*)?$/;

/** The parameters of a plain query, each known and given once; nothing for any other query, or path parameters that are not plain. */
export function plainQuery(
  operation: Operation,
  target: string | undefined,
  { query, pathParams }: RequestContext,
): Record<string, unknown> | undefined {
  if (!PLAIN_TARGET.test(target ?? '')) return undefined;
  for (const name in pathParams) {
    if (isNonCanonicalInteger(operation.fields[name], pathParams[name] ?? '')) return undefined;
  }

  const found: Record<string, unknown> = {};
  if (query === '') return found;
  for (const pair of query.split('&')) {
    const [name = '', value = '', more] = pair.split('=');
    const field = queryField(operation, name);
    if (!field || value === '' || more !== undefined || Object.hasOwn(found, name)) return undefined;
    if (isNonCanonicalInteger(field, value)) return undefined;
    found[name] = value;
  }
  return found;
}

function queryField({ fields }: Operation, name: string): Field | undefined {
  const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
  return field?.in === 'query' ? field : undefined;
}

const allFields = Object.values<Operation>(operations).flatMap(({ fields }) => Object.values(fields));
const integers = new Set(allFields.filter(({ schema }) => typeIn(schema) === 'integer'));

/** Whether the text of an integer is one that the validator would take for another value than is written there. */
function isNonCanonicalInteger(field: Field | undefined, text: string): boolean {
  return (
    field !== undefined && integers.has(field) && !(/^(0|-?[1-9]\d*)$/.test(text) && Number.isSafeInteger(Number(text)))
  );
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (cause) {
    throw new HttpError('invalid_request', `'${text}' is not percent-encoded UTF-8`, { cause });
  }
}

function invalidQuery(name: string, reason: string): HttpError {
  return new HttpError('invalid_request', `query '${name}': ${reason}`);
}
