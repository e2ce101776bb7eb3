// Families -> text, by prom-client: the only file that imports it. And the process's own metrics, which it collects.

import {
  Counter,
  collectDefaultMetrics,
  Gauge,
  Histogram,
  type MetricValueWithName,
  type OpenMetricsContentType,
  openMetricsContentType,
  prometheusContentType,
  Registry,
} from 'prom-client';
import { type Family, helpText, type Sample } from './family.ts';

export type Format = 'text' | 'openmetrics';

export const contentTypes: Readonly<Record<Format, string>> = {
  text: prometheusContentType,
  openmetrics: openMetricsContentType,
};

/** What closes a page, once: the renderers below leave it to whoever joins their parts. */
export const endOf: Readonly<Record<Format, string>> = { text: '', openmetrics: '# EOF\n' };

/** As prom-client gives and takes it; of a histogram, the buckets, sum and count by their own names. */
interface Metric {
  readonly name: string;
  readonly help: string;
  readonly type: keyof typeof kinds;
  readonly values: readonly MetricValueWithName<string>[];
}

const kinds = { gauge: Gauge, counter: Counter, histogram: Histogram } as const;

const newRegistry = (format: Format) => {
  if (format === 'text') return new Registry();
  const registry = new Registry<OpenMetricsContentType>();
  registry.setContentType(openMetricsContentType);
  return registry;
};

const renderMetrics = async (metrics: readonly Metric[], format: Format): Promise<string> => {
  const registry = newRegistry(format);
  for (const { name, help, type, values } of metrics) {
    // prom-client files samples under a key that joins names and values with `:` and `,`, where two label sets can meet. So
    // its metrics are registered empty and answer with the values as given: its renderer is used, its bookkeeping is not.
    const family = format === 'openmetrics' && type === 'counter' ? name.replace(/_total$/, '') : name;
    const answer = async () => ({ name: family, help, type, values });
    Object.assign(new kinds[type]({ name, help, registers: [registry] }), { get: answer, getForPromString: answer });
  }
  const text = await registry.metrics();
  return text.endsWith(endOf[format]) ? text.slice(0, text.length - endOf[format].length) : text;
};

const labelled = ({ labels: names }: Family, values: readonly string[]): Record<string, string> =>
  Object.fromEntries(names.map((name, at) => [name, values[at] ?? '']));

const numberText = (bound: number): string => (bound === Number.POSITIVE_INFINITY ? '+Inf' : `${bound}`);

const histogramValues = (
  family: Family & { readonly type: 'histogram' },
  { labels, value }: (typeof family.samples)[number],
): readonly MetricValueWithName<string>[] => {
  const own = labelled(family, labels);
  let count = 0;
  const buckets = [...value.bounds, Number.POSITIVE_INFINITY].map((bound, at) => {
    count += value.counts[at] ?? 0;
    return { metricName: `${family.name}_bucket`, labels: { ...own, le: numberText(bound) }, value: count };
  });
  return [
    ...buckets,
    { metricName: `${family.name}_sum`, labels: own, value: value.sum },
    { metricName: `${family.name}_count`, labels: own, value: count },
  ];
};

const asMetric = (family: Family): Metric => ({
  name: family.name,
  help: helpText(family),
  type: family.type,
  values:
    family.type === 'histogram'
      ? family.samples.flatMap((sample) => histogramValues(family, sample))
      : family.samples.map(({ labels, value }: Sample<number>) => ({ labels: labelled(family, labels), value })),
});

/** Text without `endOf`. prom-client shows a family without samples as one at 0, so none must come here. */
export const render = (families: readonly Family[], format: Format): Promise<string> =>
  renderMetrics(families.map(asMetric), format);

export interface ProcessMetrics {
  /** process_* and nodejs_* as they are now; text without `endOf`. */
  readonly render: (format: Format) => Promise<string>;
}

// Gauges named _total, which promtool refuses.
const misnamed = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total'];

/** What the event loop's monitor says before it has seen a turn: not a number, and a minimum of 292 years. */
const unseen = (name: string, value: number): boolean =>
  !Number.isFinite(value) || (name === 'nodejs_eventloop_lag_min_seconds' && value > 9e9);

// Typed as an enum, which it is not.
const kindOf = (type: string): Metric['type'] => (type === 'counter' || type === 'histogram' ? type : 'gauge');

/** Starts the observers of the event loop and the garbage collector, which last as long as the process: call it once. */
export const createProcessMetrics = (): ProcessMetrics => {
  const registry = new Registry();
  // The monitor wakes the process at this interval, in milliseconds.
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 100 });
  for (const name of misnamed) registry.removeSingleMetric(name);
  return {
    render: async (format) => {
      const metrics = await registry.getMetricsAsJSON();
      const given = metrics.map(({ name, help, type, values }): Metric => {
        return { name, help, type: kindOf(`${type}`), values: values.filter(({ value }) => !unseen(name, value)) };
      });
      return renderMetrics(
        given.filter(({ values }) => values.length > 0),
        format,
      );
    },
  };
};
