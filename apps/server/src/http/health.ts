import { Router } from 'express';
import type { Store } from '../store/store.ts';
import { Failure } from './failure.ts';

/** What those who run the server ask of it: whether it lives, whether it can serve, and how it fares. */
export function health(
  isReady: () => Promise<boolean>,
  metrics: () => Promise<string>,
  connections?: Store['connections'],
): Router {
  const router = Router({ caseSensitive: true, strict: true });
  router.get('/healthz', (_request, response) => void response.json({ status: 'ok' }));
  router.get('/readyz', async (_request, response) => {
    if (!(await isReady()))
      throw new Failure('unavailable', 'The server cannot serve now.', { headers: { 'Retry-After': '1' } });
    response.json({ status: 'ok', ...(connections && { connections: connections() }) });
  });
  router.get('/metrics', async (_request, response) => {
    response.type('text/plain; version=0.0.4').send(await metrics());
  });
  return router;
}
