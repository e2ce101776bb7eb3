// Families -> text in either format. Samples are spelled alike in both; only what stands above them differs.
//
// Not prom-client's renderer: it keeps samples in a registry to be read at each scrape, and what a target contributes is rendered once.

import { type Described, type Family, helpText, type Sample } from './family.ts';

export type Format = 'text' | 'openmetrics';

const escaped = (text: string): string =>
  /[\\\n"]/.test(text) ? text.replace(/\\/g, '\\\\').replace(/\n/g, '\\n').replace(/"/g, '\\"') : text;

/** HELP and TYPE. OpenMetrics names a counter without the ending of its samples. */
export const headText = (family: Described, format: Format): string => {
  const name = format === 'openmetrics' && family.type === 'counter' ? family.name.replace(/_total$/, '') : family.name;
  const help = helpText(family).replace(/\\/g, '\\\\').replace(/\n/g, '\\n');
  return `# HELP ${name} ${help}\n# TYPE ${name} ${family.type}\n`;
};

/** A line each. */
export const samplesOf = (family: Family): string => {
  let text = '';
  if (family.type === 'histogram') for (const sample of family.samples) text += histogramLines(family, sample);
  else
    for (const { labels, value } of family.samples) {
      const inner = labelsText(family, labels);
      text += inner === '' ? `${family.name} ${value}\n` : `${family.name}{${inner}} ${value}\n`;
    }
  return text;
};

export const render = (families: readonly Family[], format: Format): string =>
  families.map((family) => headText(family, format) + samplesOf(family)).join('');

const labelsText = ({ labels: names }: Described, values: readonly string[]): string => {
  let text = '';
  for (let at = 0; at < names.length; at += 1) text += `${at === 0 ? '' : ','}${names[at]}="${escaped(values[at] ?? '')}"`;
  return text;
};

type HistogramFamily = Family & { readonly type: 'histogram' };

const histogramLines = (
  family: HistogramFamily,
  { labels, value }: Sample<HistogramFamily['samples'][number]['value']>,
): string => {
  const own = labelsText(family, labels);
  const before = own === '' ? '' : `${own},`;
  const braced = own === '' ? '' : `{${own}}`;
  let count = 0;
  let text = '';
  for (const [at, bound] of [...value.bounds, '+Inf'].entries()) {
    count += value.counts[at] ?? 0;
    text += `${family.name}_bucket{${before}le="${bound}"} ${count}\n`;
  }
  return `${text}${family.name}_sum${braced} ${value.sum}\n${family.name}_count${braced} ${count}\n`;
};
