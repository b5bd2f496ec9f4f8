import type { RequestHandler } from 'express';
import { announced } from './announce.ts';
import { exchangeFor } from './exchange.ts';

/** Notes what is asked for, before anything is decided, and has every answer from here on say it. */
export const identify: RequestHandler = (request, response, next) => {
  const exchange = exchangeFor(request);
  Object.assign(response.locals, exchange);
  response.set('X-Request-Id', exchange.requestId);
  const headers = announced(exchange.operation);
  for (let i = 0; i < headers.length; i += 2) response.append(headers[i] ?? '', headers[i + 1] ?? '');
  next();
};
