// The lines of /metrics in the README belong to existing families.

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

test.each(shown)('$line has the name and the labels of a family', ({ name, labels }) => {
  expect(definitions.find((family) => family.name === name)?.labels).toEqual(labels);
});
