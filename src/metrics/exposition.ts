// The process' own metrics, which prom-client collects and renders: the only file that imports it.

import { existsSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
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
import type { Format } from './text.ts';

export const contentTypes: Readonly<Record<Format, string>> = {
  text: prometheusContentType,
  openmetrics: openMetricsContentType,
};

/** What closes a page, once: who renders a part leaves it to whoever joins them. */
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
    // Its metrics are registered empty and answer with the values as given: what was left out of them stays out.
    const family = format === 'openmetrics' && type === 'counter' ? name.replace(/_total$/, '') : name;
    const answer = async () => ({ name: family, help, type, values });
    Object.assign(new kinds[type]({ name, help, registers: [registry] }), { get: answer, getForPromString: answer });
  }
  const text = await registry.metrics();
  return text.endsWith(endOf[format]) ? text.slice(0, text.length - endOf[format].length) : text;
};

export interface ProcessMetrics {
  /** process_* and nodejs_* as they are now; text without `endOf`. */
  readonly render: (format: Format, chosen?: (name: string) => boolean) => Promise<string>;
}

// Gauges named _total, which promtool refuses.
const misnamed = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total'];

/** What the event loop's monitor says before it has seen a turn: not a number, and a minimum of 292 years. */
const unseen = (name: string, value: number): boolean =>
  !Number.isFinite(value) || (name === 'nodejs_eventloop_lag_min_seconds' && value > 9e9);

// Typed as an enum, which it is not.
const kindOf = (type: string): Metric['type'] => (type === 'counter' || type === 'histogram' ? type : 'gauge');

const openFiles = 'process_open_fds';
const folder = '/proc/self/fd';

/** prom-client lists them in the turn of a scrape, milliseconds where there is a connection for each of a thousand targets. */
const countFiles = (registry: Registry): void => {
  // Not on Linux, or without /proc.
  if (registry.getSingleMetric(openFiles) === undefined || !existsSync(folder)) return;
  registry.removeSingleMetric(openFiles);
  new Gauge({
    name: openFiles,
    help: 'Number of open file descriptors.',
    registers: [registry],
    async collect() {
      // Linux says how many there are since 6.2; before, they are listed, and the one that lists them is among them.
      const { size } = await stat(folder);
      this.set(size > 0 ? size : (await readdir(folder)).length - 1);
    },
  });
};

/** Starts the observers of the event loop and the garbage collector, which last as long as the process: call it once. */
export const createProcessMetrics = (): ProcessMetrics => {
  const registry = new Registry();
  // The monitor wakes the process at this interval, in milliseconds.
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 100 });
  for (const name of misnamed) registry.removeSingleMetric(name);
  countFiles(registry);
  return {
    render: async (format, chosen = () => true) => {
      const metrics = await registry.getMetricsAsJSON();
      const given = metrics.map(({ name, help, type, values }): Metric => {
        return { name, help, type: kindOf(`${type}`), values: values.filter(({ value }) => !unseen(name, value)) };
      });
      const shown = given.filter(({ name, values }) => values.length > 0 && chosen(name));
      return shown.length === 0 ? '' : renderMetrics(shown, format);
    },
  };
};
