import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Answer } from './dispatch.ts';
import { notAllowed, unavailable } from './errors.ts';
import { constantHeaders, type Exchange } from './request.ts';

/** For how long the text of the metrics is served again, so that a flood of requests costs nothing. */
const CACHE_MS = 1000;
const BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

/** Liveness, readiness and metrics of a server. */
export class Health {
  readonly #registry = new Registry();
  readonly #requests: Counter<'operation' | 'status'>;
  readonly #durations: Histogram<'operation'>;
  /** By operation and status, because looking labels up takes long. */
  readonly #series = new Map<string, [Counter.Internal, Histogram.Internal<'operation'>]>();
  readonly #bodies: Readonly<Record<string, () => Promise<string>>>;
  #text: { readonly value: Promise<string>; readonly until: number } | undefined;

  /** `ready` resolves if the server can serve requests, and rejects if not. */
  constructor(ready: () => Promise<void>, forgottenKeys: () => number, lostLines = () => 0) {
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
      const made: Gauge = new Gauge({ name, help, registers, collect: () => made.set(read()) });
    };
    gauge('petstore_log_lines_lost_total', 'Lines of the log that could not be written.', lostLines);
    const forgotten = 'Idempotency keys that were forgotten before their time, because there were too many.';
    gauge('petstore_idempotency_keys_forgotten_total', forgotten, forgottenKeys);
    const ok = '{"status":"ok"}';
    this.#bodies = {
      '/healthz': async () => ok,
      '/readyz': () =>
        ready().then(
          () => ok,
          (cause) => Promise.reject(unavailable('The server cannot serve requests now. Retry later.', cause)),
        ),
      '/metrics': () => this.#metrics(),
    };
  }

  /** Whether a path is one of those for operators. */
  has(path: string): boolean {
    return Object.hasOwn(this.#bodies, path);
  }

  /** The answer to an operator. */
  async answer({ method, target: { url } }: Exchange): Promise<Answer> {
    if (method !== 'GET' && method !== 'HEAD') throw notAllowed(method, 'GET, HEAD');
    const headers = Object.entries(constantHeaders()).flat();
    const body = await this.#bodies[url]?.();
    return { status: 200, headers, body, ...(url === '/metrics' && { type: this.#registry.contentType }) };
  }

  /** Counts a response that has ended. */
  responded({ operation, started, response: { headersSent, statusCode } }: Exchange): void {
    const labels = { operation: operation?.id ?? 'none', status: headersSent ? statusCode : 0 };
    const id = `${labels.operation} ${labels.status}`;
    const series = this.#series.get(id) ?? [
      this.#requests.labels(labels),
      this.#durations.labels({ operation: labels.operation }),
    ];
    this.#series.set(id, series);
    series[0].inc();
    series[1].observe((performance.now() - started) / 1000);
  }

  #metrics(): Promise<string> {
    if (!this.#text || performance.now() >= this.#text.until)
      this.#text = { value: this.#registry.metrics(), until: performance.now() + CACHE_MS };
    return this.#text.value;
  }
}
