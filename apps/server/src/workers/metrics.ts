import { cached } from '../metrics.ts';
import type { MetricsData, WorkerProcess } from './worker-process.ts';

/** The metrics whose values of several processes are not aggregated by the library's default, and their aggregators. */
const aggregators: readonly [name: RegExp, aggregator: string][] = [
  // A mean would hide one process that hangs among idle ones.
  [/^nodejs_eventloop_lag_(?!min)/, 'max'],
  [/^process_start_time_seconds$/, 'min'],
  [/^process_max_fds$/, 'min'],
];

/** The metrics of all processes of a server as one text. Counters never decrease, also if workers are replaced. */
export class AggregatedMetrics {
  /** Returns the metrics as text, and collects them at most once per METRICS_CACHE_MS. */
  readonly text: () => Promise<string>;
  /** The sums of the counters of workers that have exited. */
  #exited: Promise<MetricsData> = Promise.resolve([]);

  constructor(ofPrimary: () => Promise<MetricsData>, workers: () => readonly WorkerProcess[]) {
    this.text = cached(async () => {
      const [primaryMetrics] = await Promise.all([ofPrimary(), ...workers().map((worker) => worker.updateMetrics())]);
      // Each worker is in one of the two lists, because both are read at the same time.
      const [running, exited] = [workers().map(({ metrics }) => metrics), this.#exited];
      return (await aggregate([primaryMetrics, ...running, await exited])).metrics();
    });
  }

  /** Keeps the counters of a worker that has exited. */
  addExited({ metrics }: WorkerProcess): void {
    const counters = metrics.filter(({ type }) => ['counter', 'histogram', 'summary'].includes(String(type)));
    this.#exited = this.#exited.then(async (exited) => (await aggregate([exited, counters])).getMetricsAsJSON());
  }
}

async function aggregate(all: readonly MetricsData[]) {
  const { AggregatorRegistry } = await import('prom-client');
  const prepared = all.map((metrics) =>
    metrics.map((metric) => ({
      ...metric,
      // A value without a measurement is NaN, which JSON does not have.
      values: metric.values.filter(({ value }) => Number.isFinite(value)),
      ...aggregatorOf(metric.name),
    })),
  );
  return AggregatorRegistry.aggregate(prepared);
}

function aggregatorOf(name: string) {
  const aggregator = aggregators.find(([pattern]) => pattern.test(name))?.[1];
  return aggregator && { aggregator };
}
