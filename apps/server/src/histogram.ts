import type { Registry } from 'prom-client';

type Metric = Parameters<Registry['registerMetric']>[0];

export interface Histogram {
  observe(value: number, labelValue?: string): void;
  /** What a registry of the library takes. */
  readonly metric: Metric;
}

export interface HistogramOptions {
  name: string;
  help: string;
  /** Values up to each of these are counted together. */
  bounds: readonly number[];
  /** By which label values are told apart, if by one. */
  label?: string;
}

/** Of one value of the label. */
interface Series {
  /** How many values are at most the bound of that place, and above the one before; the last place has no bound. */
  readonly counts: number[];
  sum: number;
}

/**
 * A histogram by hand, because every request pays for it: the library makes a name of the labels and looks it up each
 * time, and has to be loaded for it.
 */
export function histogram({ name, help, bounds, label }: HistogramOptions): Histogram {
  const all = new Map<string, Series>();
  const seriesOf = (labelValue: string) => {
    const series = all.get(labelValue) ?? { counts: [...bounds.map(() => 0), 0], sum: 0 };
    if (series.sum === 0) all.set(labelValue, series);
    return series;
  };
  if (label === undefined) seriesOf('');

  const metric = {
    name,
    help,
    type: 'histogram',
    aggregator: 'sum',
    get: async () => ({ ...metric, values: [...all].flatMap(([value, series]) => samplesOf(value, series)) }),
  };

  function samplesOf(labelValue: string, { counts, sum }: Series) {
    const upTo = counts.map((_, place) => counts.slice(0, place + 1).reduce((total, more) => total + more, 0));
    const own = label === undefined ? {} : { [label]: labelValue };
    const sampleOf = (end: string, value: number, labels = {}) => ({
      metricName: name + end,
      labels: { ...labels, ...own },
      value,
    });
    return [
      ...upTo.map((count, place) => sampleOf('_bucket', count, { le: bounds[place] ?? '+Inf' })),
      sampleOf('_sum', sum),
      sampleOf('_count', upTo.at(-1) ?? 0),
    ];
  }

  return {
    observe(value, labelValue = '') {
      const series = seriesOf(labelValue);
      let place = 0;
      while (value > (bounds[place] ?? Number.POSITIVE_INFINITY)) place++;
      series.counts[place] = (series.counts[place] ?? 0) + 1;
      series.sum += value;
    },
    // The types of the library know only its own metrics; its registry asks for these members alone.
    metric: metric as unknown as Metric,
  };
}
