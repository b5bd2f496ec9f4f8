import type { Aggregator } from 'prom-client';
import { cached } from '../cached.ts';
import { METRICS_CACHE_MS } from '../limits.ts';
import type { MetricsData, WorkerProcess } from './worker-process.ts';

/** Aggregators that replace the library's default for the values of several processes, by patterns of metric names. */
const aggregators: readonly [name: RegExp, aggregator: Aggregator][] = [
  // A mean would hide one process that hangs among idle ones.
  [/^nodejs_eventloop_lag_(?!min)/, 'max'],
  [/^process_start_time_seconds$/, 'min'],
  [/^process_max_fds$/, 'min'],
  // All workers count the keys of the same store.
  [/^petstore_idempotency_keys$/, 'max'],
];

/** The metrics of all processes of a server as one text. Counters never decrease, also if workers are replaced. */
export function aggregatedMetrics(ofPrimary: () => Promise<MetricsData>, workers: () => readonly WorkerProcess[]) {
  /** The sums of the counters of workers that have exited. */
  let countersOfExited: Promise<MetricsData> = Promise.resolve([]);
  return {
    /** Returns the metrics as text. The cache bounds how often requests make the processes collect them. */
    text: cached(async () => {
      const [primaryMetrics] = await Promise.all([ofPrimary(), ...workers().map((worker) => worker.updateMetrics())]);
      // Both are read at the same time, so that each worker is in one of them.
      const [ofRunning, ofExited] = [workers().map(({ metrics }) => metrics), countersOfExited];
      return (await aggregate([primaryMetrics, ...ofRunning, await ofExited])).metrics();
    }, METRICS_CACHE_MS),
    /** Keeps the counters of a worker that has exited. */
    addExited({ metrics }: WorkerProcess): void {
      const counters = metrics.filter(({ type }) => ['counter', 'histogram', 'summary'].includes(String(type)));
      countersOfExited = countersOfExited.then((before) =>
        aggregate([before, counters])
          .then((sums) => sums.getMetricsAsJSON())
          // If the library cannot be loaded now, the counters are added up later.
          .catch(() => [...before, ...counters]),
      );
    },
  };
}

async function aggregate(all: readonly MetricsData[]) {
  const { AggregatorRegistry } = await import('prom-client');
  const prepared = all.map((metrics) =>
    metrics.map((metric) => ({
      ...metric,
      // A value without a measurement is NaN, which JSON does not have.
      values: metric.values.filter(({ value }) => Number.isFinite(value)),
      aggregator: aggregators.find(([pattern]) => pattern.test(metric.name))?.[1] ?? metric.aggregator,
    })),
  );
  return AggregatorRegistry.aggregate(prepared);
}
