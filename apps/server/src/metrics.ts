import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { cached } from './cached.ts';
import { LATE_LOAD_MS } from './limits.ts';
import type { Commit, Store } from './store/store.ts';

export type Metrics = ReturnType<typeof createMetrics>;

type Metric = Parameters<Registry['registerMetric']>[0];

/** A value of a metric. */
interface Sample {
  /** The name of the value, if it differs from the metric's. */
  readonly metricName?: string;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
}

/**
 * Creates the metrics, with the number of lost lines if there is a log. The library that formats them is not loaded before `openLate` or the
 * first request for them, because loading takes a tenth of a start.
 */
export function createMetrics(lostLines?: () => number) {
  const metrics: Metric[] = [];

  /** Adds a metric. `samples` returns its values whenever the metrics are requested. */
  function add(type: 'counter' | 'gauge' | 'histogram', name: string, help: string, samples: () => Sample[]): void {
    const metric = { name, help, type, aggregator: 'sum' as const };
    const get = async () => ({ ...metric, values: samples() });
    // The library's type is a class, but its registry uses only these members.
    metrics.push({ ...metric, get } as unknown as Metric);
  }

  /** Adds a histogram, and returns the function that adds a value to it. */
  function addHistogram(name: string, help: string, bounds: readonly number[], label?: string) {
    const { observe, samples } = histogram(name, bounds, label);
    add('histogram', name, help, samples);
    return observe;
  }

  const observeRequest = addHistogram(
    'petstore_request_duration_seconds',
    'Time from the head of a request to the end of its response, by operation.',
    [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    'operation',
  );
  const observeCommit = addHistogram(
    'petstore_store_commit_duration_seconds',
    'Time to commit one group of writes durably.',
    [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 2.5],
  );
  const observeWrites = addHistogram(
    'petstore_store_commit_writes',
    'Writes in one commit.',
    [1, 2, 4, 8, 16, 32, 64, 128, 256, 1024],
  );
  /** The number of responses by operation, then by status. */
  const responses = new Map<string, number[]>();
  add('counter', 'petstore_requests_total', 'Responses by operation and status.', () =>
    [...responses].flatMap(([operation, counts]) =>
      Object.entries(counts).map(([status, value]) => ({ labels: { operation, status }, value })),
    ),
  );
  if (lostLines) {
    const help = 'Lines of the log that could not be written.';
    add('counter', 'petstore_log_lines_lost_total', help, () => single(lostLines()));
  }

  const open = cached(async () => {
    const { collectDefaultMetrics, Registry } = await import('prom-client');
    // A registry of its own, so two servers in one process do not share metrics.
    const registry = new Registry();
    // Adds event loop lag, memory and CPU time.
    collectDefaultMetrics({ register: registry });
    for (const metric of metrics) registry.registerMetric(metric);
    return registry;
  });
  return {
    /** Loads the library after LATE_LOAD_MS, and begins to measure the process. Call the `watch` methods before. */
    openLate(log: Logger) {
      setTimeout(() => {
        open().catch((error) => log.error({ err: error }, 'the metrics cannot be loaded'));
      }, LATE_LOAD_MS).unref();
    },
    text: async () => (await open()).metrics(),
    responded(operation: string, status: number, milliseconds: number) {
      const counts = responses.get(operation) ?? [];
      if (counts.length === 0) responses.set(operation, counts);
      counts[status] = (counts[status] ?? 0) + 1;
      observeRequest(milliseconds / 1000, operation);
    },
    committed({ writes, milliseconds }: Commit) {
      observeCommit(milliseconds / 1000);
      observeWrites(writes);
    },
    /** Adds the connections and idempotency keys of a store. */
    watchStore({ connections, idempotency }: Pick<Store, 'connections' | 'idempotency'>) {
      if (connections)
        add('gauge', 'petstore_store_connections', 'Connections to the database, and requests that wait for one.', () =>
          Object.entries(connections()).flatMap(([purpose, counts]) =>
            Object.entries(counts).map(([state, value]) => ({ labels: { purpose, state }, value })),
          ),
        );
      add('gauge', 'petstore_idempotency_keys', 'Stored idempotency keys.', () => single(idempotency().keys));
      add(
        'counter',
        'petstore_idempotency_keys_forgotten_total',
        'Idempotency keys evicted before they expired, because there were too many.',
        () => single(idempotency().forgotten),
      );
    },
  };
}

/** The value of a metric without labels. */
const single = (value: number): Sample[] => [{ labels: {}, value }];

/** The counts for one value of the label. */
interface Series {
  /** The number of values per bucket. The last bucket has no upper bound. */
  readonly counts: number[];
  sum: number;
}

/**
 * A histogram for values of every request. It is faster than the library's histogram, and works before the library is loaded.
 * `bounds` are the upper bounds of the buckets.
 */
function histogram(name: string, bounds: readonly number[], label?: string) {
  const seriesByLabel = new Map<string, Series>();
  const seriesOf = (labelValue: string) => {
    const existing = seriesByLabel.get(labelValue);
    if (existing) return existing;
    const series = { counts: [...bounds.map(() => 0), 0], sum: 0 };
    seriesByLabel.set(labelValue, series);
    return series;
  };
  if (label === undefined) seriesOf('');

  function samplesOf(labelValue: string, { counts, sum }: Series): Sample[] {
    let total = 0;
    const cumulative = counts.map((count) => {
      total += count;
      return total;
    });
    const labels = label === undefined ? {} : { [label]: labelValue };
    return [
      ...cumulative.map((value, i) => ({
        metricName: `${name}_bucket`,
        labels: { le: bounds[i] ?? '+Inf', ...labels },
        value,
      })),
      { metricName: `${name}_sum`, labels, value: sum },
      { metricName: `${name}_count`, labels, value: total },
    ];
  }

  return {
    observe(value: number, labelValue = '') {
      const series = seriesOf(labelValue);
      let bucket = 0;
      while (value > (bounds[bucket] ?? Number.POSITIVE_INFINITY)) bucket++;
      series.counts[bucket] = (series.counts[bucket] ?? 0) + 1;
      series.sum += value;
    },
    samples: () => [...seriesByLabel].flatMap(([labelValue, series]) => samplesOf(labelValue, series)),
  };
}
