import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { type Answer, fail, send } from './dispatch.ts';
import { notAllowed, nothingAt, unavailable } from './errors.ts';
import { constantHeaders, type Exchange } from './request.ts';

/** The paths for operators. They have no line in the log, which they would fill. */
export const probes: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/metrics']);

/** For how long the text of the metrics is served again, so that a flood of requests costs nothing. */
const CACHE_MS = 1000;
const BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

/** Liveness, readiness and metrics of a server. */
export class Health {
  readonly #ready: () => Promise<void>;
  readonly #registry = new Registry();
  readonly #requests: Counter<'operation' | 'status'>;
  readonly #durations: Histogram<'operation'>;
  /** By operation and status, because looking labels up takes long. */
  readonly #series = new Map<string, [Counter.Internal, Histogram.Internal<'operation'>]>();
  #text: Promise<string> | undefined;

  /** `ready` resolves if the server can serve requests, and rejects if not. */
  constructor(ready: () => Promise<void>, forgottenKeys: () => number | Promise<number>, lostLines = () => 0) {
    this.#ready = ready;
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
    const gauge = (name: string, help: string, read: () => number | Promise<number>) => {
      const made: Gauge = new Gauge({ name, help, registers, collect: async () => made.set(await read()) });
    };
    gauge('petstore_log_lines_lost_total', 'Lines of the log that could not be written.', lostLines);
    const forgotten = 'Idempotency keys that were forgotten before their time, because there were too many.';
    gauge('petstore_idempotency_keys_forgotten_total', forgotten, forgottenKeys);
  }

  /** Serves a request of an operator. */
  async serve(exchange: Exchange): Promise<void> {
    try {
      send(exchange, await this.#answer(exchange));
    } catch (error) {
      fail(exchange, error);
    }
  }

  /** Counts a response that has ended. */
  responded({ operation, started, response: { headersSent, statusCode } }: Exchange): void {
    const labels = { operation: operation?.id ?? 'none', status: headersSent ? statusCode : 0 };
    const id = `${labels.operation} ${labels.status}`;
    let series = this.#series.get(id);
    if (!series) {
      series = [this.#requests.labels(labels), this.#durations.labels({ operation: labels.operation })];
      this.#series.set(id, series);
    }
    series[0].inc();
    series[1].observe((performance.now() - started) / 1000);
  }

  async #answer({ method, target }: Exchange): Promise<Answer> {
    if (!probes.has(target.url)) throw nothingAt(target);
    if (method !== 'GET' && method !== 'HEAD') throw notAllowed(method, 'GET, HEAD');
    const answer = { status: 200, headers: Object.entries(constantHeaders()).flat() };
    if (target.url === '/metrics') return { ...answer, body: await this.#metrics(), type: this.#registry.contentType };
    if (target.url === '/readyz')
      await this.#ready().catch((cause: unknown) => {
        throw unavailable('The server cannot serve requests now. Retry later.', cause);
      });
    return { ...answer, body: '{"status":"ok"}' };
  }

  #metrics(): Promise<string> {
    if (!this.#text) setTimeout(() => (this.#text = undefined), CACHE_MS).unref();
    this.#text ??= this.#registry.metrics();
    return this.#text;
  }
}
