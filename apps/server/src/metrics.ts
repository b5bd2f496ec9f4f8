import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { requestTimes } from './request-times.ts';
import type { Commit, Store } from './store/store.ts';

export type Metrics = ReturnType<typeof createMetrics>;

/** What is counted, in a registry of its own, so that two servers in one process do not mix. */
export function createMetrics() {
  const registry = new Registry();
  const registers = [registry];
  // Brings the event loop's lag, memory and CPU time.
  collectDefaultMetrics({ register: registry });
  const times = requestTimes(registry);
  /** By operation and status; the library's own counting costs a lookup by name. */
  const answered = new Map<string, number[]>();
  new Counter({
    name: 'petstore_requests_total',
    help: 'Requests answered, by operation and status.',
    labelNames: ['operation', 'status'],
    registers,
    collect() {
      this.reset();
      for (const [operation, counts] of answered) {
        counts.forEach((count, status) => void this.inc({ operation, status }, count));
      }
    },
  });
  const commit = new Histogram({
    name: 'petstore_store_commit_duration_seconds',
    help: 'Time to commit one group of writes durably.',
    buckets: [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 2.5],
    registers,
  });
  const batch = new Histogram({
    name: 'petstore_store_commit_writes',
    help: 'Writes in one commit.',
    buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256, 1024],
    registers,
  });

  return {
    text: () => registry.metrics(),
    answered(operation: string, status: number, milliseconds: number) {
      const counts = answered.get(operation) ?? [];
      if (counts.length === 0) answered.set(operation, counts);
      counts[status] = (counts[status] ?? 0) + 1;
      times(operation, milliseconds / 1000);
    },
    committed({ writes, milliseconds }: Commit) {
      commit.observe(milliseconds / 1000);
      batch.observe(writes);
    },
    /** Shows how many lines the log has lost. */
    watchLog(lost: () => number) {
      new Counter({
        name: 'petstore_log_lines_lost_total',
        help: 'Lines of the log that could not be written.',
        registers,
        collect() {
          this.reset();
          this.inc(lost());
        },
      });
    },
    /** Shows the connections of a store, as they are when somebody looks. */
    watch(connections: NonNullable<Store['connections']>) {
      new Gauge({
        name: 'petstore_store_connections',
        help: 'Connections to the database, and requests that wait for one.',
        labelNames: ['purpose', 'state'],
        registers,
        collect() {
          for (const [purpose, states] of Object.entries(connections())) {
            for (const [state, count] of Object.entries(states)) this.set({ purpose, state }, count);
          }
        },
      });
    },
  };
}
