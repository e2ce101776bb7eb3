// The labels that an operator adds to every series of a target.

import * as z from 'zod/mini';
import { isObject } from '../protocol/foreign-text.ts';
import { rule } from '../yaml/rules.ts';

/** Every label of the exporter's own metrics. A configured label with such a name would give a series two values for one label. */
const ownLabels: ReadonlySet<string> = new Set([
  'api',
  'chain',
  'check',
  'condition',
  'field',
  'index',
  'kind',
  'le',
  'network',
  'node_id',
  'outcome',
  'quantile',
  'reason',
  'source',
  'state',
  'status',
  'subnet',
  'tag',
  'tag_set',
  'target',
  'to',
  'upgrade',
  'url',
  'version',
]);

/** Prometheus sets the first two when it scrapes, and the last from the list of /api/v1/sd. It would rename configured ones. */
const prometheusLabels: ReadonlySet<string> = new Set(['instance', 'job', 'exporter_instance']);

const maxLabels = 8;
const namePattern = '^[a-zA-Z_][a-zA-Z0-9_]*$';

/** The error message for the name of a label; undefined if it is valid. */
export const labelNameFault = (name: string): string | undefined => {
  if (!new RegExp(namePattern).test(name))
    return 'is not a label name: write letters, digits and _, without a digit at the beginning';
  if (name.startsWith('__')) return 'begins with __, which Prometheus reserves: choose another name';
  if (name.startsWith('exported_'))
    return 'begins with exported_, the prefix that Prometheus adds to colliding labels: choose another name';
  if (prometheusLabels.has(name)) return 'is a label that Prometheus sets: choose another name';
  return ownLabels.has(name) ? 'is a label of the metrics of snowgauge: choose another name' : undefined;
};

const value = z.string().check(
  z.minLength(1, 'is empty: Prometheus drops empty labels. Give it a value, or remove it'),
  z.maxLength(128),
  z.refine((text) => text === text.trim(), 'begins or ends with white space: remove it'),
  z.refine((text) => !/\p{Surrogate}/u.test(text), 'is not Unicode: it has half of a surrogate pair'),
);

/** For JSON Schema. */
export const labelsShape = { maxProperties: maxLabels, propertyNames: { pattern: namePattern } } as const;

export const labels = z.record(z.string(), value).check(
  rule((given, addIssue) => {
    if (!isObject(given)) return;
    const names = Object.keys(given);
    for (const name of names) {
      const fault = labelNameFault(name);
      if (fault !== undefined) addIssue([name], fault, 'key');
    }
    if (names.length > maxLabels) addIssue([], `must have at most ${maxLabels} labels: leave some out`);
  }),
);
