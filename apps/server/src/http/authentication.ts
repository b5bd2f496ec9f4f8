import type { IncomingMessage } from 'node:http';
import type { RequestHandler } from 'express';
import type { KeyCheck } from '../keys/check-keys.ts';
import { HttpError } from './http-error.ts';
import { contextOf, type RequestContext } from './request-context.ts';

/** Rejects a request without the required key. It comes before every other check of a well-formed request. */
export function authenticate(nameOf: KeyCheck): RequestHandler {
  return (request, response, next) => {
    const context = contextOf(response);
    const name = callerOf(request, context, nameOf);
    if (name === undefined) throw unauthorized();
    context.keyName = name === '' ? undefined : name;
    next();
  };
}

/** The error for a request without a valid key. */
export function unauthorized(): HttpError {
  const headers = { 'WWW-Authenticate': 'Bearer' };
  return new HttpError('unauthorized', 'The API key is missing or invalid.', { headers });
}

/** The name of the request's valid API key. Without a valid key, it is empty if the operation needs none, else undefined. */
export function callerOf(
  { headers }: IncomingMessage,
  { operation }: RequestContext,
  nameOf: KeyCheck,
): string | undefined {
  // A valid key counts even if the operation needs none.
  const name = nameOf(tokenOf(headers.authorization ?? '') ?? '');
  if (name !== undefined || operation === undefined) return name;
  const { security } = operation;
  const isPublic = security.length === 0 || security.some((schemes) => schemes.length === 0);
  return isPublic ? '' : undefined;
}

/** The bearer token. A header in the usual form needs no regular expression with groups, which is slower. */
function tokenOf(authorization: string): string | undefined {
  const token = authorization.slice(BEARER_PREFIX.length);
  const isPlain = authorization.startsWith(BEARER_PREFIX) && !/[^!-~]/.test(token);
  return isPlain ? token : /^Bearer +([!-~]+) *$/i.exec(authorization)?.[1];
}

const BEARER_PREFIX = 'Bearer ';
