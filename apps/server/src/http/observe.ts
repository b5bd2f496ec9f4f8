import type { RequestHandler } from 'express';
import type { Logger } from 'pino';
import type { Metrics } from '../metrics.ts';
import { exchangeOf } from './exchange.ts';

/** Counts each request and logs it in one line when its answer has ended, in whatever way. */
export function observe(log: Logger, metrics: Metrics): RequestHandler {
  return (request, response, next) => {
    const { method } = request;
    const started = performance.now();
    response.once('close', () => {
      const milliseconds = performance.now() - started;
      const { requestId, path, operation, keyName } = exchangeOf(response);
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
    });
    next();
  };
}
