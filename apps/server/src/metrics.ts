// Metrics for Prometheus. prom-client knows the numbers of the process; those of the service are written here.
import type { Registry } from 'prom-client';
import type { Exchange } from './exchange.ts';
import type { Stats } from './store/store.ts';

/** The same text is served for this long, so that a flood of requests costs nothing. */
export const MAX_AGE_MS = 1000;

/** Returns a number, or numbers by label: `{collection="pets"}`. Undefined is left out. */
type Read = () => number | undefined | ReadonlyMap<string, number>;

/** The metrics of a server. */
export class Metrics {
  readonly contentType = 'text/plain; version=0.0.4; charset=utf-8';
  readonly #families: { readonly head: string; readonly name: string; readonly read: Read }[] = [];
  /** The responses of each operation. */
  readonly #responses = new Map<string, Durations>();
  /** The numbers of the process. */
  #process: Registry | undefined;
  #text: Promise<string> | undefined;
  #madeAt = 0;

  constructor(stats: () => Stats | undefined) {
    this.add('counter', 'petstore_requests_total', 'Responses by operation and status.', () =>
      this.#countsByStatus(),
    );
    this.add(
      'gauge',
      'petstore_documents',
      'Stored documents by collection. PostgreSQL does not count them.',
      () => {
        const documents = Object.entries(stats()?.documents ?? {});
        return new Map(documents.map(([name, count]) => [`{collection="${name}"}`, count]));
      },
    );
    this.add(
      'gauge',
      'petstore_journal_bytes',
      'Length of the journal of the data folder.',
      () => stats()?.journalBytes,
    );
    this.add(
      'gauge',
      'petstore_store_room_bytes',
      'How much the documents of the embedded store may still grow.',
      () => stats()?.roomBytes,
    );
    this.add(
      'counter',
      'petstore_idempotency_keys_forgotten_total',
      'Idempotency keys that were forgotten before their time, because there were too many.',
      () => stats()?.forgottenKeys ?? 0,
    );
  }

  /** Adds a number that only rises, or one that can fall, too. */
  add(type: 'counter' | 'gauge', name: string, help: string, read: Read): void {
    this.#families.push({ head: headOf(type, name, help), name, read });
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
    // Loaded by the first request for metrics, because that takes longer than a start of Node.
    const { collectDefaultMetrics, Registry } = await import('prom-client');
    if (!this.#process) {
      this.#process = new Registry();
      collectDefaultMetrics({ register: this.#process });
    }
    let text = await this.#process.metrics();
    for (const { head, name, read } of this.#families) {
      text += head;
      const value = read();
      if (typeof value === 'number') text += `${name} ${value}\n`;
      else for (const [labels, count] of value ?? []) text += `${name}${labels} ${count}\n`;
    }
    const name = 'petstore_request_duration_seconds';
    const help = 'Time from the head of a request to the end of its response, by operation.';
    text += headOf('histogram', name, help);
    for (const [operation, durations] of this.#responses) text += durations.lines(name, operation);
    return text;
  }

  #countsByStatus(): ReadonlyMap<string, number> {
    const counts = new Map<string, number>();
    for (const [operation, { statuses }] of this.#responses)
      for (const [status, count] of statuses)
        counts.set(`{operation="${operation}",status="${status}"}`, count);
    return counts;
  }
}

function headOf(type: string, name: string, help: string): string {
  return `\n# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`;
}

/** The upper bounds of the buckets, in seconds. */
const BOUNDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

/** How long the responses of an operation took. */
class Durations {
  /** How many responses had each status. */
  readonly statuses = new Map<number, number>();
  /** How many responses took at most each bound. */
  readonly #buckets = new Array<number>(BOUNDS.length).fill(0);
  #sum = 0;
  #count = 0;

  add(status: number, seconds: number): void {
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
    this.#sum += seconds;
    this.#count += 1;
    for (const [i, bound] of BOUNDS.entries())
      if (seconds <= bound) this.#buckets[i] = (this.#buckets[i] ?? 0) + 1;
  }

  /** The lines of the histogram with this name and this value of its label `operation`. */
  lines(name: string, operation: string): string {
    let text = '';
    for (const [i, bound] of BOUNDS.entries())
      text += `${name}_bucket{le="${bound}",operation="${operation}"} ${this.#buckets[i]}\n`;
    text += `${name}_bucket{le="+Inf",operation="${operation}"} ${this.#count}\n`;
    text += `${name}_sum{operation="${operation}"} ${this.#sum}\n`;
    return `${text}${name}_count{operation="${operation}"} ${this.#count}\n`;
  }
}
