// Families -> text in either format. Samples are spelled alike in both; only what stands above them differs.
//
// Not prom-client's renderer: it keeps samples in a registry to be read at each scrape, and what a target contributes is rendered once.

import { type Described, type Family, helpText } from './family.ts';

export type Format = 'text' | 'openmetrics';

/** HELP and TYPE. OpenMetrics names a counter without the ending of its samples. */
export const headText = (family: Described, format: Format): string => {
  const name = format === 'openmetrics' && family.type === 'counter' ? family.name.replace(/_total$/, '') : family.name;
  const help = helpText(family).replace(/\\/g, '\\\\').replace(/\n/g, '\\n');
  return `# HELP ${name} ${help}\n# TYPE ${name} ${family.type}\n`;
};

export const render = (families: readonly Family[], format: Format): string =>
  families.map(({ definition, samples }) => headText(definition, format) + samples).join('');
