import type { RequestHandler } from 'express';
import type { KeyCheck } from '../keys.ts';
import { Failure } from './failure.ts';

/** Lets a request through only with a known key as its bearer token, before anything else of it is read. */
export function authenticate(known: KeyCheck): RequestHandler {
  return (request, _response, next) => {
    const [, key] = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '') ?? [];
    if (!key || !known(key)) {
      throw new Failure('unauthorized', 'The API key is missing or invalid.', {
        headers: { 'WWW-Authenticate': 'Bearer' },
      });
    }
    next();
  };
}
