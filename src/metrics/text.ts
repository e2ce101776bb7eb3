// Families -> text in either format. Samples are the same in both; only HELP and TYPE differ.
//
// It does not use prom-client's renderer, which reads a registry at each scrape: here, samples of a target are rendered once per poll.

import { type Described, type Family, helpText } from './family.ts';

export type Format = 'text' | 'openmetrics';

/** HELP and TYPE. In OpenMetrics, the name of a counter has no suffix `_total`. */
export const headText = (family: Described, format: Format): string => {
  const name = format === 'openmetrics' && family.type === 'counter' ? family.name.replace(/_total$/, '') : family.name;
  const help = helpText(family).replace(/\\/g, '\\\\').replace(/\n/g, '\\n');
  return `# HELP ${name} ${help}\n# TYPE ${name} ${family.type}\n`;
};

export const render = (families: readonly Family[], format: Format): string =>
  families.map(({ definition, samples }) => headText(definition, format) + samples).join('');
