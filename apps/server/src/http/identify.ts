import { randomUUID } from 'node:crypto';
import type { RequestHandler } from 'express';
import { deprecation } from './announce.ts';
import type { Exchange } from './exchange.ts';
import { placeAt } from './places.ts';

/**
 * Finds out what is asked for, before anything is decided: the request's own identifier or a new one, and the operation.
 * Every answer from here on carries the identifier, and tells of the operation's end if it has one.
 */
export const identify: RequestHandler = (request, response, next) => {
  const [path = '', ...rest] = request.url.split('?');
  const place = placeAt(path);
  const operation = place?.methods.get(request.method === 'HEAD' ? 'GET' : request.method);
  const requestId = /^[\x21-\x7e]{1,128}$/.exec(request.get('x-request-id') ?? '')?.[0] ?? randomUUID();
  const exchange: Exchange = { requestId, path, query: rest.join('?'), place, operation, keyName: undefined };
  Object.assign(response.locals, exchange);
  response.set('X-Request-Id', requestId);
  if (operation) response.set(deprecation(operation));
  next();
};
