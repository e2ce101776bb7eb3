// Label values from names: well-formed, limited in length, and distinct.

import { expect, test } from 'vitest';
import { labelsText, labelValue, maxLabelLength } from '../../src/metrics/labels.ts';

test.each([
  { name: 'diskspace', label: 'diskspace' },
  { name: '', label: '' },
  { name: 'a\ud800b', label: 'a\ufffdb' },
  { name: 'snow ❄ 𝔤auge', label: 'snow ❄ 𝔤auge' },
  { name: 'x'.repeat(128), label: 'x'.repeat(128) },
])('$name becomes the label value $label', ({ name, label }) => {
  expect(labelValue(name)).toBe(label);
});

test('a name longer than 128 characters is cut to 128 with a hash, so that names with the same prefix stay distinct', () => {
  const one = labelValue(`${'x'.repeat(128)}a`);
  const two = labelValue(`${'x'.repeat(128)}b`);
  expect(one).toHaveLength(maxLabelLength);
  expect(one).toMatch(/^x{119}~[0-9a-f]{8}$/);
  expect(two).not.toBe(one);
});

test('a cut does not split a surrogate pair', () => {
  const label = labelValue(`x${'𝔤'.repeat(100)}`);
  expect(label.length).toBeLessThanOrEqual(maxLabelLength);
  expect(Buffer.from(label).toString()).toBe(label);
  expect(label).not.toContain('\ufffd');
});

test('different label values have different texts', () => {
  const textOf = (...values: readonly string[]): string => labelsText(['a', 'b'], values);
  expect(textOf('1,b:2', '3')).not.toBe(textOf('1', '2,b:3'));
  expect(textOf('1",b="2', '3')).not.toBe(textOf('1', '2",b="3'));
  expect(textOf('a\\', 'n')).not.toBe(textOf('a', '\\n'));
});
