import { METRICS_CACHE_MS, WORKER_METRICS_MS } from '../limits.ts';
import type { MetricsData } from './messages.ts';
import type { WorkerProcess } from './process.ts';

/** How the values of several processes become one, where the library says something else. */
const aggregators: readonly [name: RegExp, aggregator: string][] = [
  // A mean would hide one process that hangs behind others that do nothing.
  [/^nodejs_eventloop_lag_(?!min)/, 'max'],
  [/^process_start_time_seconds$/, 'min'],
  [/^process_max_fds$/, 'min'],
];

/** The exited workers whose metrics are stored separately. */
const MAX_PAST = 16;

/** The metrics of all processes of a server as one text. What is counted never gets less, also when workers are replaced. */
export class SharedMetrics {
  readonly #ofPrimary: () => Promise<MetricsData>;
  readonly #workers: () => readonly WorkerProcess[];
  /** What was counted by workers that have ended. */
  #past: MetricsData[] = [];
  #isFolding = false;
  #collecting = new Map<number, (worker: WorkerProcess) => void>();
  #last = 0;
  #text: Promise<string> | undefined;
  #until = 0;

  constructor(ofPrimary: () => Promise<MetricsData>, workers: () => readonly WorkerProcess[]) {
    this.#ofPrimary = ofPrimary;
    this.#workers = workers;
  }

  /** The text, made at most once a second. */
  text(): Promise<string> {
    if (!this.#text || performance.now() >= this.#until) {
      this.#until = performance.now() + METRICS_CACHE_MS;
      this.#text = this.#newText();
      this.#text.catch(() => {
        this.#text = undefined;
      });
    }
    return this.#text;
  }

  /** A worker has sent its metrics. */
  collected(worker: WorkerProcess, id: number, metrics: MetricsData): void {
    worker.metrics = metrics;
    this.#collecting.get(id)?.(worker);
  }

  /** A worker has ended. */
  end(worker: WorkerProcess): void {
    this.#past.push(worker.metrics.filter(({ type }) => ['counter', 'histogram', 'summary'].includes(String(type))));
    if (this.#past.length > MAX_PAST) void this.#fold();
  }

  /** Makes one of all that was counted by workers that have ended. */
  async #fold(): Promise<void> {
    if (this.#isFolding) return;
    this.#isFolding = true;
    const { length } = this.#past;
    this.#past.splice(0, length, await (await aggregate(this.#past)).getMetricsAsJSON());
    this.#isFolding = false;
  }

  async #newText(): Promise<string> {
    const [own] = await Promise.all([this.#ofPrimary(), this.#collect()]);
    const all = [own, ...this.#workers().map(({ metrics }) => metrics), ...this.#past];
    return (await aggregate(all)).metrics();
  }

  /** Has each worker send its metrics, and waits for a while. */
  #collect(): Promise<void> {
    const id = ++this.#last;
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
  const changed = all.map((metrics) =>
    metrics.map((metric) => ({
      ...metric,
      // What nothing was measured of is NaN, which JSON has not.
      values: metric.values.filter(({ value }) => Number.isFinite(value)),
      ...ownAggregator(metric.name),
    })),
  );
  return AggregatorRegistry.aggregate(changed);
}

function ownAggregator(name: string) {
  const aggregator = aggregators.find(([pattern]) => pattern.test(name))?.[1];
  return aggregator && { aggregator };
}
