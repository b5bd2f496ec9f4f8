import type { RequestHandler } from 'express';
import { exchangeOf } from './exchange.ts';
import { Failure } from './failure.ts';

/** What HTTP says of methods: OPTIONS names those of a path, HEAD is GET without the body, any other gets 405. */
export const methods: RequestHandler = (request, response, next) => {
  const { path, place, operation } = exchangeOf(response);
  if (!place) throw new Failure('not_found', `There is nothing at ${path}.`);
  if (request.method === 'OPTIONS') return void response.status(204).set('Allow', place.allow).end();
  if (!operation) {
    const message = `${request.method} is not possible here; ${place.allow} are.`;
    throw new Failure('method_not_allowed', message, { headers: { Allow: place.allow } });
  }
  // Node leaves out the body of the answer to a HEAD by itself.
  request.method = operation.method;
  next();
};
