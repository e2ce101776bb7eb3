// The lines of /metrics that the README shows are of families that there are.

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { definitions } from '../../src/metrics/families.ts';

const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
const shown = Array.from(readme.matchAll(/^(snowgauge_\w+)\{(.*)\} [\d.e+-]+$/gm), ([line, name, labels = '']) => ({
  line,
  name,
  labels: Array.from(labels.matchAll(/(\w+)="[^"]*"/g), ([, label]) => label),
}));

test('the README shows ten lines of /metrics', () => {
  expect(shown).toHaveLength(10);
});

test.each(shown)('$line is of a family, with its labels', ({ name, labels }) => {
  expect(definitions.find((family) => family.name === name)?.labels).toEqual(labels);
});
