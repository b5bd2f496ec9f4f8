import type { Registry } from 'prom-client';

/** Seconds up to which requests are counted together. */
const bounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

/** Of one operation. */
interface Times {
  /** How many took up to the bound of that place, and longer than the one before; the last place has no bound. */
  readonly counts: number[];
  sum: number;
}

/**
 * How long requests took, by operation, as a histogram. By hand, because every request pays for it: the library makes a
 * name of the labels and looks it up each time.
 */
export function requestTimes(registry: Registry): (operation: string, seconds: number) => void {
  const name = 'petstore_request_duration_seconds';
  const all = new Map<string, Times>();
  const histogram = {
    name,
    help: 'Time from the head of a request to the end of its answer, by operation.',
    type: 'histogram',
    aggregator: 'sum',
    get: async () => ({
      ...histogram,
      values: [...all].flatMap(([operation, times]) => values(name, operation, times)),
    }),
  };
  registry.registerMetric(histogram as unknown as Parameters<Registry['registerMetric']>[0]);

  return (operation, seconds) => {
    const times = all.get(operation) ?? { counts: [...bounds.map(() => 0), 0], sum: 0 };
    if (times.sum === 0) all.set(operation, times);
    let place = 0;
    while (seconds > (bounds[place] ?? Number.POSITIVE_INFINITY)) place++;
    times.counts[place] = (times.counts[place] ?? 0) + 1;
    times.sum += seconds;
  };
}

function values(name: string, operation: string, { counts, sum }: Times) {
  const upTo = counts.map((_, place) => counts.slice(0, place + 1).reduce((all, more) => all + more, 0));
  const series = (end: string, value: number, labels = {}) => ({
    metricName: name + end,
    labels: { ...labels, operation },
    value,
  });
  return [
    ...upTo.map((count, place) => series('_bucket', count, { le: bounds[place] ?? '+Inf' })),
    series('_sum', sum),
    series('_count', upTo.at(-1) ?? 0),
  ];
}
