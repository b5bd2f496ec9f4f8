import type { Registry } from 'prom-client';
import { histogram } from './histogram.ts';
import type { Commit, Store } from './store/store.ts';

export type Metrics = ReturnType<typeof createMetrics>;

/** The counts of worker processes. */
export interface WorkerCounts {
  states(): Record<string, number>;
  deaths(): number;
}

/** Creates the metrics. `open` loads the library that formats them, because that takes a tenth of a start. */
export function createMetrics() {
  const times = histogram({
    name: 'petstore_request_duration_seconds',
    help: 'Time from the head of a request to the end of its response, by operation.',
    bounds: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    label: 'operation',
  });
  const commit = histogram({
    name: 'petstore_store_commit_duration_seconds',
    help: 'Time to commit one group of writes durably.',
    bounds: [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 2.5],
  });
  const batch = histogram({
    name: 'petstore_store_commit_writes',
    help: 'Writes in one commit.',
    bounds: [1, 2, 4, 8, 16, 32, 64, 128, 256, 1024],
  });
  /** The number of responses by operation, then by status. */
  const responses = new Map<string, number[]>();
  let linesLost: (() => number) | undefined;
  let connections: Store['connections'];
  let idempotency: Store['idempotency'] | undefined;
  let workers: WorkerCounts | undefined;
  let registry: Promise<Registry> | undefined;

  /** Creates a registry of its own, so two servers in one process do not share metrics. */
  async function newRegistry(): Promise<Registry> {
    const { Counter, collectDefaultMetrics, Gauge, Registry } = await import('prom-client');
    const created = new Registry();
    const registers = [created];
    // Adds event loop lag, memory and CPU time.
    collectDefaultMetrics({ register: created });
    for (const { metric } of [times, commit, batch]) created.registerMetric(metric);
    new Counter({
      name: 'petstore_requests_total',
      help: 'Responses by operation and status.',
      labelNames: ['operation', 'status'],
      registers,
      collect() {
        this.reset();
        for (const [operation, counts] of responses) {
          counts.forEach((count, status) => void this.inc({ operation, status }, count));
        }
      },
    });
    const lost = linesLost;
    if (lost) {
      new Counter({
        name: 'petstore_log_lines_lost_total',
        help: 'Lines of the log that could not be written.',
        registers,
        collect() {
          this.reset();
          this.inc(lost());
        },
      });
    }
    const states = connections;
    if (states) {
      new Gauge({
        name: 'petstore_store_connections',
        help: 'Connections to the database, and requests that wait for one.',
        labelNames: ['purpose', 'state'],
        registers,
        collect() {
          for (const [purpose, counts] of Object.entries(states())) {
            for (const [state, count] of Object.entries(counts)) this.set({ purpose, state }, count);
          }
        },
      });
    }
    const keys = idempotency;
    if (keys) {
      new Gauge({
        name: 'petstore_idempotency_keys',
        help: 'Stored idempotency keys.',
        registers,
        // All workers count the keys of the same store, so their counts must not be added.
        aggregator: 'max',
        collect() {
          this.set(keys().keys);
        },
      });
      new Counter({
        name: 'petstore_idempotency_keys_forgotten_total',
        help: 'Idempotency keys evicted before they expired, because there were too many.',
        registers,
        collect() {
          this.reset();
          this.inc(keys().forgotten);
        },
      });
    }
    const counts = workers;
    if (counts) {
      new Gauge({
        name: 'petstore_workers',
        help: 'Processes that serve requests, by state.',
        labelNames: ['state'],
        registers,
        collect() {
          for (const [state, count] of Object.entries(counts.states())) this.set({ state }, count);
        },
      });
      new Counter({
        name: 'petstore_worker_deaths_total',
        help: 'Workers that exited unexpectedly.',
        registers,
        collect() {
          this.reset();
          this.inc(counts.deaths());
        },
      });
    }
    return created;
  }

  const open = () => (registry ??= newRegistry());
  return {
    /** Loads the library, and begins to measure the process. Call the `watch` methods before. */
    open,
    text: async () => (await open()).metrics(),
    /** The metrics as data, which the processes of a server exchange. */
    json: async () => (await open()).getMetricsAsJSON(),
    responded(operation: string, status: number, milliseconds: number) {
      const counts = responses.get(operation) ?? [];
      if (counts.length === 0) responses.set(operation, counts);
      counts[status] = (counts[status] ?? 0) + 1;
      times.observe(milliseconds / 1000, operation);
    },
    committed({ writes, milliseconds }: Commit) {
      commit.observe(milliseconds / 1000);
      batch.observe(writes);
    },
    /** Adds the number of lost log lines. */
    watchLog(lost: () => number) {
      linesLost = lost;
    },
    /** Adds the counts of worker processes. */
    watchWorkers(counts: WorkerCounts) {
      workers = counts;
    },
    /** Adds the connections and idempotency keys of a store. */
    watch(store: Pick<Store, 'connections' | 'idempotency'>) {
      ({ connections, idempotency } = store);
    },
  };
}
