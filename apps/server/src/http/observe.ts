import type { ServerResponse } from 'node:http';
import type { RequestHandler } from 'express';
import type { Logger } from 'pino';
import type { Metrics } from '../metrics.ts';
import { type Exchange, exchangeOf } from './exchange.ts';

/** Counts a request and logs it in one line, when its answer has ended in whatever way. */
export type Observe = (response: ServerResponse, method: string, started: number, exchange: Exchange) => void;

export function observer(log: Logger, metrics: Metrics): Observe {
  return (response, method, started, { requestId, path, operation, keyName }) => {
    const milliseconds = performance.now() - started;
    // Without a status the client went away before it had one.
    const status = response.headersSent ? response.statusCode : 0;
    metrics.answered(operation?.id ?? 'none', status, milliseconds);
    log.info({
      requestId,
      method,
      path,
      operation: operation?.id,
      key: keyName,
      status,
      ms: Math.round(milliseconds * 1000) / 1000,
      ...(!response.writableFinished && { aborted: true }),
    });
  };
}

/** Observes every request that comes along. */
export function observed(observe: Observe): RequestHandler {
  return (request, response, next) => {
    const { method } = request;
    const started = performance.now();
    response.once('close', () => observe(response, method, started, exchangeOf(response)));
    next();
  };
}
