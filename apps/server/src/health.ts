import type { ServerResponse } from 'node:http';
import { type RequestHandler, Router } from 'express';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { HttpError, unavailable } from './errors.ts';
import type { Context } from './request.ts';

/** For how long the text of the metrics is served again, so that a flood of requests costs nothing. */
const CACHE_MS = 1000;
const BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

/** Liveness, readiness and metrics of a server. */
export class Health {
  /** Resolves if the server can serve requests; rejects if not. */
  readonly ready: () => Promise<void>;
  readonly #registry = new Registry();
  readonly #requests: Counter<'operation' | 'status'>;
  readonly #durations: Histogram<'operation'>;
  /** By operation and status, because looking labels up takes long. */
  readonly #series = new Map<string, { count: Counter.Internal; time: Histogram.Internal<'operation'> }>();
  #text: { value: Promise<string>; until: number } | undefined;

  constructor(ready: () => Promise<void>, forgottenKeys: () => number, lostLines = () => 0) {
    this.ready = ready;
    const registers = [this.#registry];
    collectDefaultMetrics({ register: this.#registry });
    const [name, help] = ['petstore_requests_total', 'Responses by operation and status.'];
    this.#requests = new Counter({ name, help, labelNames: ['operation', 'status'], registers });
    this.#durations = new Histogram({
      name: 'petstore_request_duration_seconds',
      help: 'Time from the head of a request to the end of its response, by operation.',
      labelNames: ['operation'],
      buckets: BUCKETS,
      registers,
    });
    const gauge = (name: string, help: string, read: () => number) => {
      const collect = () => made.set(read());
      const made: Gauge = new Gauge({ name, help, registers, collect });
    };
    gauge('petstore_log_lines_lost_total', 'Lines of the log that could not be written.', lostLines);
    const forgotten = 'Idempotency keys that were forgotten before their time, because there were too many.';
    gauge('petstore_idempotency_keys_forgotten_total', forgotten, forgottenKeys);
  }

  responded({ target: { operation }, started }: Context, { headersSent, statusCode }: ServerResponse): void {
    const id = operation?.id ?? 'none';
    const status = headersSent ? statusCode : 0;
    const key = `${id} ${status}`;
    let series = this.#series.get(key);
    if (!series) {
      const count = this.#requests.labels({ operation: id, status });
      series = { count, time: this.#durations.labels({ operation: id }) };
      this.#series.set(key, series);
    }
    series.count.inc();
    series.time.observe((performance.now() - started) / 1000);
  }

  metrics(): Promise<string> {
    if (this.#text && performance.now() < this.#text.until) return this.#text.value;
    const value = this.#registry.metrics();
    this.#text = { value, until: performance.now() + CACHE_MS };
    return value;
  }
}

/** The routes for operators. */
export function healthRoutes(health: Health): Router {
  const router = Router({ caseSensitive: true, strict: true });
  readOnly(router, '/healthz', (_request, response) => {
    response.json({ status: 'ok' });
  });
  readOnly(router, '/readyz', async (_request, response) => {
    await health.ready().catch((cause: unknown) => {
      throw unavailable('The server cannot serve requests now. Retry later.', cause);
    });
    response.json({ status: 'ok' });
  });
  readOnly(router, '/metrics', async (_request, response) => {
    response.type('text/plain; version=0.0.4').send(await health.metrics());
  });
  return router;
}

/** Serves a path to GET and HEAD. Any other method gets 405. */
export function readOnly(router: Router, path: string, handler: RequestHandler): void {
  const refuse: RequestHandler = (request) => {
    const message = `${request.path} supports only GET and HEAD.`;
    throw new HttpError('method_not_allowed', message, { headers: { Allow: 'GET, HEAD' } });
  };
  router.route(path).get(handler).all(refuse);
}
