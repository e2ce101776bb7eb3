// Metrics of the process, collected and rendered by prom-client: the only file that imports it.

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

/** The end of a page. Renderers of a part leave it out. */
export const endOf: Readonly<Record<Format, string>> = { text: '', openmetrics: '# EOF\n' };

/** The format of prom-client; for a histogram, buckets, sum and count have their own names. */
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
    // A registry whose metrics return the given values, so that those filtered out above do not come back.
    const family = format === 'openmetrics' && type === 'counter' ? name.replace(/_total$/, '') : name;
    const answer = async () => ({ name: family, help, type, values });
    Object.assign(new kinds[type]({ name, help, registers: [registry] }), { get: answer, getForPromString: answer });
  }
  const text = await registry.metrics();
  return text.endsWith(endOf[format]) ? text.slice(0, text.length - endOf[format].length) : text;
};

export interface ProcessMetrics {
  /** The current process_* and nodejs_* metrics as text, without `endOf`. */
  readonly render: (format: Format, chosen?: (name: string) => boolean) => Promise<string>;
}

// Gauges named _total, which promtool refuses.
const misnamed = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total'];

/** The values of the event loop monitor before its first measurement: NaN, and a minimum of 292 years. */
const unseen = (name: string, value: number): boolean =>
  !Number.isFinite(value) || (name === 'nodejs_eventloop_lag_min_seconds' && value > 9e9);

// Typed as an enum, which it is not.
const kindOf = (type: string): Metric['type'] => (type === 'counter' || type === 'histogram' ? type : 'gauge');

const openFiles = 'process_open_fds';
const folder = '/proc/self/fd';

/** prom-client lists open file descriptors synchronously in a scrape, which takes milliseconds with a thousand connections. */
const countFiles = (registry: Registry): void => {
  // Not on Linux, or without /proc.
  if (registry.getSingleMetric(openFiles) === undefined || !existsSync(folder)) return;
  registry.removeSingleMetric(openFiles);
  new Gauge({
    name: openFiles,
    help: 'Number of open file descriptors.',
    registers: [registry],
    async collect() {
      try {
        // Linux reports the number since 6.2. Older versions need a listing, which includes its own descriptor.
        const { size } = await stat(folder);
        this.set(size > 0 ? size : (await readdir(folder)).length - 1);
      } catch {
        // A listing fails if no descriptor is left. The other metrics are needed then most of all.
        this.remove();
      }
    },
  });
};

/** Starts the observers of the event loop and the garbage collector, which are never stopped: call it once. */
export const createProcessMetrics = (): ProcessMetrics => {
  const registry = new Registry();
  // The monitor wakes the process at this interval, ms.
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
