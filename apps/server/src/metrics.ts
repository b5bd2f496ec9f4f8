// Metrics for Prometheus.
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Exchange } from './exchange.ts';
import type { OpeningStore } from './opening-store.ts';
import type { Stats } from './store/store.ts';

/** The text is served again for so long, so that a flood of requests costs nothing. */
export const MAX_AGE_MS = 1000;

/** The metrics of a server. */
export class Metrics {
  readonly #registry = new Registry();
  readonly #requests: Counter<'operation' | 'status'>;
  readonly #durations: Histogram<'operation'>;
  /** What counts a response of an operation and a status: to look labels up takes long. */
  readonly #counters = new Map<string, Counter.Internal>();
  readonly #observers = new Map<string, Histogram.Internal<'operation'>>();
  #text: Promise<string> | undefined;
  #madeAt = 0;

  constructor(store: OpeningStore) {
    const registers = [this.#registry];
    collectDefaultMetrics({ register: this.#registry });
    this.#requests = new Counter({
      name: 'petstore_requests_total',
      help: 'Responses by operation and status.',
      labelNames: ['operation', 'status'],
      registers,
    });
    this.#durations = new Histogram({
      name: 'petstore_request_duration_seconds',
      help: 'Time from the head of a request to the end of its response, by operation.',
      labelNames: ['operation'],
      buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
      registers,
    });
    this.#addStore(() => store.current?.stats() ?? { forgottenKeys: 0 });
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  /** Adds a number that can rise and fall. Undefined is left out. */
  gauge(name: string, help: string, read: () => number | undefined): void {
    const gauge = new Gauge({
      name,
      help,
      registers: [this.#registry],
      collect: () => {
        const value = read();
        if (value === undefined) gauge.remove();
        else gauge.set(value);
      },
    });
  }

  /** Adds a number that only rises. */
  counter(name: string, help: string, read: () => number): void {
    const counter = new Counter({
      name,
      help,
      registers: [this.#registry],
      collect: () => {
        counter.reset();
        counter.inc(read());
      },
    });
  }

  /** Counts a response that has ended. */
  count({ operation, response, startedAt }: Exchange): void {
    const id = operation?.id ?? 'none';
    const status = response.headersSent ? response.statusCode : 0;
    this.#counterOf(id, status).inc();
    this.#observerOf(id).observe((performance.now() - startedAt) / 1000);
  }

  text(): Promise<string> {
    const now = performance.now();
    if (this.#text && now - this.#madeAt < MAX_AGE_MS) return this.#text;
    this.#madeAt = now;
    this.#text = this.#registry.metrics();
    return this.#text;
  }

  #counterOf(operation: string, status: number): Counter.Internal {
    const name = `${operation} ${status}`;
    let counter = this.#counters.get(name);
    if (!counter) {
      counter = this.#requests.labels({ operation, status });
      this.#counters.set(name, counter);
    }
    return counter;
  }

  #observerOf(operation: string): Histogram.Internal<'operation'> {
    let observer = this.#observers.get(operation);
    if (!observer) {
      observer = this.#durations.labels({ operation });
      this.#observers.set(operation, observer);
    }
    return observer;
  }

  #addStore(stats: () => Stats): void {
    const documents = new Gauge({
      name: 'petstore_documents',
      help: 'Stored documents by collection. PostgreSQL does not count them.',
      labelNames: ['collection'],
      registers: [this.#registry],
      collect: () => {
        for (const [collection, count] of Object.entries(stats().documents ?? {}))
          documents.set({ collection }, count);
      },
    });
    this.gauge(
      'petstore_journal_bytes',
      'Length of the journal of the data folder.',
      () => stats().journalBytes,
    );
    this.gauge(
      'petstore_store_room_bytes',
      'How much the documents of the embedded store may still grow.',
      () => stats().roomBytes,
    );
    this.counter(
      'petstore_idempotency_keys_forgotten_total',
      'Idempotency keys that were forgotten before their time, because there were too many.',
      () => stats().forgottenKeys,
    );
  }
}
