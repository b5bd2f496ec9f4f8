import type { IncomingMessage } from 'node:http';
import type { RequestHandler } from 'express';
import type { KeyCheck } from '../keys.ts';
import { exchangeOf } from './exchange.ts';
import { Failure } from './failure.ts';

/** The name of the known key that a request carries as its bearer token. */
export function callerOf({ headers }: IncomingMessage, nameOf: KeyCheck): string | undefined {
  return nameOf(/^Bearer +([!-~]+) *$/i.exec(headers.authorization ?? '')?.[1] ?? '');
}

/** Lets a request through only with a known key, before anything else of it is looked at. */
export function authenticate(nameOf: KeyCheck): RequestHandler {
  return (request, response, next) => {
    const name = callerOf(request, nameOf);
    if (!name) {
      throw new Failure('unauthorized', 'The API key is missing or invalid.', {
        headers: { 'WWW-Authenticate': 'Bearer' },
      });
    }
    exchangeOf(response).keyName = name;
    next();
  };
}
