import { type RequestHandler, Router } from 'express';
import { METRICS_CACHE_MS } from '../limits.ts';
import type { Store } from '../store/store.ts';
import { HttpError, unavailable } from './http-error.ts';

/** What the routes for operators ask. */
export interface HealthChecks {
  isReady: () => Promise<boolean>;
  metrics: () => Promise<string>;
  state: Store['state'];
  connections: Store['connections'];
}

/** The routes for operators: whether the server lives, whether it can serve, and how it fares. */
export function health({ isReady, metrics, state, connections }: HealthChecks): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const text = cached(metrics, METRICS_CACHE_MS);
  readOnly(router, '/healthz', (_request, response) => {
    // Only a restart helps then, and what asks for this is what restarts.
    if (state().status === 'failed') throw unavailable('The store has failed: restart the server.');
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

/** Serves a path to GET and HEAD; any other method is answered 405. */
export function readOnly(router: Router, path: string, ...handlers: RequestHandler[]): void {
  router
    .route(path)
    .get(...handlers)
    .all((request) => {
      const message = `${request.path} can only be read.`;
      throw new HttpError('method_not_allowed', message, { headers: { Allow: 'GET, HEAD' } });
    });
}

/** The same result for so many milliseconds: nobody can make the server compute it more often. */
function cached<T>(compute: () => Promise<T>, ms: number): () => Promise<T> {
  let result: Promise<T> | undefined;
  let until = 0;
  return () => {
    if (!result || performance.now() >= until) {
      until = performance.now() + ms;
      result = compute();
      result.catch(() => {
        result = undefined;
      });
    }
    return result;
  };
}
