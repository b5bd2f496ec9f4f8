// Metrics for Prometheus.
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { Durations } from './durations.ts';
import type { Exchange } from './exchange.ts';
import type { OpeningStore } from './opening-store.ts';
import type { Stats } from './store/store.ts';

/** The text is served again for so long, so that a flood of requests costs nothing. */
export const MAX_AGE_MS = 1000;

/** The metrics of a server. */
export class Metrics {
  readonly #registry = new Registry();
  /** The responses of each operation. */
  readonly #responses = new Map<string, Durations>();
  #text: Promise<string> | undefined;
  #madeAt = 0;

  constructor(store: OpeningStore) {
    collectDefaultMetrics({ register: this.#registry });
    this.#addRequests();
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
  count({ operation, response, milliseconds }: Exchange): void {
    const id = operation?.id ?? 'none';
    let durations = this.#responses.get(id);
    if (!durations) {
      durations = new Durations();
      this.#responses.set(id, durations);
    }
    const status = response.headersSent ? response.statusCode : 0;
    durations.add(status, milliseconds / 1000);
  }

  text(): Promise<string> {
    const now = performance.now();
    if (this.#text && now - this.#madeAt < MAX_AGE_MS) return this.#text;
    this.#madeAt = now;
    this.#text = this.#make();
    return this.#text;
  }

  async #make(): Promise<string> {
    const name = 'petstore_request_duration_seconds';
    const help = 'Time from the head of a request to the end of its response, by operation.';
    let text = `${await this.#registry.metrics()}\n# HELP ${name} ${help}\n# TYPE ${name} histogram\n`;
    for (const [operation, durations] of this.#responses) text += durations.lines(name, operation);
    return text;
  }

  #addRequests(): void {
    const requests = new Counter({
      name: 'petstore_requests_total',
      help: 'Responses by operation and status.',
      labelNames: ['operation', 'status'],
      registers: [this.#registry],
      collect: () => {
        requests.reset();
        for (const [operation, durations] of this.#responses)
          for (const [status, count] of durations.statuses)
            requests.inc({ operation, status }, count);
      },
    });
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
