import type { RequestHandler } from 'express';
import type { KeyCheck } from '../keys.ts';
import { exchangeOf } from './exchange.ts';
import { Failure } from './failure.ts';

/** Lets a request through only with a known key as its bearer token, before anything else of it is looked at. */
export function authenticate(nameOf: KeyCheck): RequestHandler {
  return (request, response, next) => {
    const [, key = ''] = /^Bearer +([!-~]+) *$/i.exec(request.headers.authorization ?? '') ?? [];
    const name = nameOf(key);
    if (!name) {
      throw new Failure('unauthorized', 'The API key is missing or invalid.', {
        headers: { 'WWW-Authenticate': 'Bearer' },
      });
    }
    exchangeOf(response).keyName = name;
    next();
  };
}
