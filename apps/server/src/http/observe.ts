import type { ServerResponse } from 'node:http';
import type { RequestHandler } from 'express';
import type { Log, RequestEntry } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import { type Exchange, exchangeOf } from './exchange.ts';

/** Counts a request and logs it, when its answer has ended in whatever way. */
export type Observe = (response: ServerResponse, method: string, started: number, exchange: Exchange) => void;

export function observer(logRequest: Log['logRequest'], metrics: Metrics): Observe {
  return (response, method, started, { requestId, path, operation, keyName }) => {
    const milliseconds = performance.now() - started;
    const status = response.headersSent ? response.statusCode : 0;
    metrics.answered(operation?.id ?? 'none', status, milliseconds);
    const entry: RequestEntry = {
      requestId,
      method,
      path,
      operation: operation?.id,
      key: keyName,
      status,
      ms: Math.round(milliseconds * 1000) / 1000,
    };
    if (!response.writableFinished) entry.aborted = true;
    logRequest(entry);
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
