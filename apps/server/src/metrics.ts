// Metrics for Prometheus.
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { Exchange } from './exchange.ts';
import type { Stats } from './store/store.ts';

/** The same text is served for this long, so that a flood of requests costs nothing. */
export const MAX_AGE_MS = 1000;

/** The metrics of a server. */
export class Metrics {
  readonly #registry = new Registry();
  /** The responses of each operation. */
  readonly #responses = new Map<string, Durations>();
  #text: Promise<string> | undefined;
  #madeAt = 0;

  constructor(stats: () => Stats | undefined) {
    collectDefaultMetrics({ register: this.#registry });
    this.#addRequests();
    this.#addStore(() => stats() ?? { forgottenKeys: 0 });
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
    this.#text = this.#render();
    return this.#text;
  }

  async #render(): Promise<string> {
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

/** The upper bounds of the buckets, in seconds. */
const BOUNDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

/** How long the responses of an operation took. The histogram of prom-client takes more than ten times as long to count one. */
class Durations {
  /** How many responses had each status. */
  readonly statuses = new Map<number, number>();
  /** How many responses took at most each bound, and more than the bound before it. The last ones took more than all. */
  readonly #buckets = new Array<number>(BOUNDS.length + 1).fill(0);
  #sum = 0;

  add(status: number, seconds: number): void {
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
    this.#sum += seconds;
    let bucket = 0;
    while (seconds > (BOUNDS[bucket] ?? Number.POSITIVE_INFINITY)) bucket++;
    this.#buckets[bucket] = (this.#buckets[bucket] ?? 0) + 1;
  }

  /** The lines of the histogram with this name and this value of its label `operation`. */
  lines(name: string, operation: string): string {
    let text = '';
    let count = 0;
    for (const [i, more] of this.#buckets.entries()) {
      count += more;
      text += `${name}_bucket{le="${BOUNDS[i] ?? '+Inf'}",operation="${operation}"} ${count}\n`;
    }
    text += `${name}_sum{operation="${operation}"} ${this.#sum}\n`;
    return `${text}${name}_count{operation="${operation}"} ${count}\n`;
  }
}
