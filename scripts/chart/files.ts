// The generated files of the chart: Helm cannot read files outside of it, so shared files are copied into it.

import { chartRules } from './rules.ts';
import { valuesSchema } from './schema.ts';

const chart = 'charts/snowgauge';

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

/** @param others the other generated files, of which the dashboards are copied. */
export const chartFiles = (others: Readonly<Record<string, string>>): Readonly<Record<string, string>> => ({
  [`${chart}/values.schema.json`]: json(valuesSchema()),
  [`${chart}/files/rules.json`]: json(chartRules()),
  ...Object.fromEntries(
    Object.entries(others).flatMap(([path, text]) => {
      const name = /^deploy\/grafana\/([a-z]+\.json)$/.exec(path)?.[1];
      return name === undefined ? [] : [[`${chart}/files/dashboards/snowgauge-${name}`, text] as const];
    }),
  ),
});
