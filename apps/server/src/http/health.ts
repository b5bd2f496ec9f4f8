import { type RequestHandler, Router } from 'express';
import { cached } from '../cached.ts';
import { METRICS_CACHE_MS } from '../limits.ts';
import type { Store } from '../store/store.ts';
import { HttpError, unavailable } from './http-error.ts';

/** The functions that the routes for operators call. */
export interface HealthChecks {
  isReady: () => Promise<boolean>;
  metrics: () => Promise<string>;
  hasFailed: Store['hasFailed'];
  connections: Store['connections'];
}

/** The routes for operators: liveness, readiness and metrics. */
export function health({ isReady, metrics, hasFailed, connections }: HealthChecks): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const text = cached(metrics, METRICS_CACHE_MS);
  readOnly(router, '/healthz', (_request, response) => {
    // A failed store needs a restart, which a failing liveness probe triggers.
    if (hasFailed()) throw unavailable('The store has failed: restart the server.');
    response.json({ status: 'ok' });
  });
  readOnly(router, '/readyz', async (_request, response) => {
    if (!(await isReady())) throw unavailable('The server cannot serve requests now. Retry later.');
    response.json({ status: 'ok', ...(connections && { connections: connections() }) });
  });
  readOnly(router, '/metrics', async (_request, response) => {
    response.type('text/plain; version=0.0.4').send(await text());
  });
  return router;
}

/** Serves a path to GET and HEAD. Any other method gets 405. */
export function readOnly(router: Router, path: string, ...handlers: RequestHandler[]): void {
  router
    .route(path)
    .get(...handlers)
    .all((request) => {
      const message = `${request.path} supports only GET and HEAD.`;
      throw new HttpError('method_not_allowed', message, { headers: { Allow: 'GET, HEAD' } });
    });
}
