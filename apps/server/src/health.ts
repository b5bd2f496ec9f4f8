import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { type Answer, fail, send } from './dispatch.ts';
import { notAllowed, nothingAt, unavailable } from './errors.ts';
import { constantHeaders, type Exchange } from './request.ts';
import type { Store } from './store/store.ts';

/** The paths for operators. They have no line in the log, which they would fill. */
export const probes: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/metrics']);

/** Liveness, readiness and metrics of a server. */
export type Health = ReturnType<typeof createHealth>;

/** Creates the health of a server, which is ready once its store is open, until it is draining. */
export function createHealth(store: Store | Promise<Store>, lostLines = () => 0) {
  let opened: Store | undefined;
  (async () => (opened = await store))().catch(() => {});
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const [name, help] = ['petstore_requests_total', 'Responses by operation and status.'];
  const requests = new Counter({ name, help, labelNames: ['operation', 'status'], registers });
  const durations = new Histogram({
    name: 'petstore_request_duration_seconds',
    help: 'Time from the head of a request to the end of its response, by operation.',
    labelNames: ['operation'],
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers,
  });
  const gauge = (name: string, help: string, read: () => number) => {
    const made: Gauge = new Gauge({ name, help, registers, collect: () => made.set(read()) });
  };
  gauge('petstore_log_lines_lost_total', 'Lines of the log that could not be written.', lostLines);
  const forgotten =
    'Idempotency keys that were forgotten before their time, because there were too many.';
  gauge(
    'petstore_idempotency_keys_forgotten_total',
    forgotten,
    () => opened?.stats().forgottenKeys ?? 0,
  );
  /** By operation and status, because looking labels up takes long. */
  const series = new Map<string, [Counter.Internal, Histogram.Internal<'operation'>]>();
  let text: Promise<string> | undefined;

  /** The text is served again for a second, so that a flood of requests costs nothing. */
  const metrics = () => {
    if (!text) setTimeout(() => (text = undefined), 1000).unref();
    text ??= registry.metrics();
    return text;
  };
  const answer = async ({ method, target }: Exchange): Promise<Answer> => {
    if (!probes.has(target.url)) throw nothingAt(target);
    if (method !== 'GET' && method !== 'HEAD') throw notAllowed(method, 'GET, HEAD');
    const headers = Object.entries(constantHeaders()).flat();
    if (target.url === '/metrics')
      return { status: 200, headers, body: await metrics(), type: registry.contentType };
    if (target.url === '/readyz') {
      if (health.isDraining) throw unavailable('The server stops.');
      if (!opened) throw unavailable('The store is still being opened. Retry later.');
      await opened.check();
    }
    return { status: 200, headers, body: '{"status":"ok"}' };
  };
  const health = {
    isDraining: false,
    /** Serves a request of an operator. */
    serve: (exchange: Exchange) =>
      answer(exchange)
        .then((answer) => send(exchange, answer))
        .catch((error: unknown) => fail(exchange, error)),
    /** Counts a response that has ended. */
    responded({ operation: asked, started, response }: Exchange): void {
      const operation = asked?.id ?? 'none';
      const status = response.headersSent ? response.statusCode : 0;
      const id = `${operation} ${status}`;
      const found = series.get(id) ?? [
        requests.labels({ operation, status }),
        durations.labels({ operation }),
      ];
      series.set(id, found);
      const [count, duration] = found;
      count.inc();
      duration.observe((performance.now() - started) / 1000);
    },
  };
  return health;
}
