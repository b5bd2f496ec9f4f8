import { METRICS_CACHE_MS, WORKER_METRICS_MS } from '../limits.ts';
import type { MetricsData, WorkerProcess } from './worker-process.ts';

/** The metrics whose values of several processes are not aggregated by the library's default, and their aggregators. */
const aggregators: readonly [name: RegExp, aggregator: string][] = [
  // A mean would hide one process that hangs among idle ones.
  [/^nodejs_eventloop_lag_(?!min)/, 'max'],
  [/^process_start_time_seconds$/, 'min'],
  [/^process_max_fds$/, 'min'],
];

/** The number of exited workers whose metrics are stored separately. Beyond it, the metrics are merged. */
const MAX_EXITED = 16;

/** The metrics of all processes of a server as one text. Counters never decrease, also if workers are replaced. */
export class AggregatedMetrics {
  readonly #ofPrimary: () => Promise<MetricsData>;
  readonly #workers: () => readonly WorkerProcess[];
  /** The counters of workers that have exited. */
  #exited: MetricsData[] = [];
  #isMerging = false;
  #collecting = new Map<number, (worker: WorkerProcess) => void>();
  #lastId = 0;
  #text: Promise<string> | undefined;
  #cachedUntil = 0;

  constructor(ofPrimary: () => Promise<MetricsData>, workers: () => readonly WorkerProcess[]) {
    this.#ofPrimary = ofPrimary;
    this.#workers = workers;
  }

  /** Returns the metrics as text, and collects them at most once per METRICS_CACHE_MS. */
  text(): Promise<string> {
    if (!this.#text || performance.now() >= this.#cachedUntil) {
      this.#cachedUntil = performance.now() + METRICS_CACHE_MS;
      this.#text = this.#newText();
      this.#text.catch(() => {
        this.#text = undefined;
      });
    }
    return this.#text;
  }

  /** Stores the metrics that a worker has sent. */
  collected(worker: WorkerProcess, id: number, metrics: MetricsData): void {
    worker.metrics = metrics;
    this.#collecting.get(id)?.(worker);
  }

  /** Keeps the counters of a worker that has exited. */
  addExited(worker: WorkerProcess): void {
    this.#exited.push(worker.metrics.filter(({ type }) => ['counter', 'histogram', 'summary'].includes(String(type))));
    if (this.#exited.length > MAX_EXITED) void this.#mergeExited();
  }

  /** Merges the counters of the workers that have exited. */
  async #mergeExited(): Promise<void> {
    if (this.#isMerging) return;
    this.#isMerging = true;
    const { length } = this.#exited;
    this.#exited.splice(0, length, await (await aggregate(this.#exited)).getMetricsAsJSON());
    this.#isMerging = false;
  }

  async #newText(): Promise<string> {
    const [primaryMetrics] = await Promise.all([this.#ofPrimary(), this.#collect()]);
    const all = [primaryMetrics, ...this.#workers().map(({ metrics }) => metrics), ...this.#exited];
    return (await aggregate(all)).metrics();
  }

  /** Requests the metrics of each worker, and waits for them up to a timeout. */
  #collect(): Promise<void> {
    const id = ++this.#lastId;
    const missing = new Set(this.#workers().filter(({ state }) => state !== 'starting'));
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        this.#collecting.delete(id);
        resolve();
      };
      const timer = setTimeout(end, WORKER_METRICS_MS);
      this.#collecting.set(id, (worker) => {
        missing.delete(worker);
        if (missing.size === 0) end();
      });
      for (const worker of missing) worker.send({ type: 'collect', id });
      if (missing.size === 0) end();
    });
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
