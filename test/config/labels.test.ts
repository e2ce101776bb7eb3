// Which labels a target may have: none that a metric of ours has, and none that Prometheus sets or renames.

import { describe, expect, test } from 'vitest';
import { labelNameFault } from '../../src/config/labels.ts';
import { targetFrom } from '../../src/config/target.ts';
import { definitions } from '../../src/metrics/families.ts';

const used = [...new Set(definitions.flatMap(({ labels }) => labels))].toSorted();

describe('a label of a target', () => {
  test.each([...used, 'le', 'quantile'])('may not be %s, which a metric of ours has', (name) => {
    expect(labelNameFault(name)).toBe('is a label of the metrics of snowgauge: choose another name');
  });

  test.each(['job', 'instance', 'exported_job', 'exported_anything', '__name__', '__address__'])('may not be %s', (name) => {
    expect(labelNameFault(name)).toMatch(/Prometheus .*: choose another name$/);
  });

  test.each(['', '1st', 'data-center', 'zone.name', 'région', 'a b', 'a\n', 'a:b'])('may not be %j, which is no name', (name) => {
    expect(labelNameFault(name)).toMatch(/^is not a label name/);
  });

  test.each(['region', 'Region', '_owner', 'rack2', 'jobs', 'targets', 'exported', 'constructor'])('may be %s', (name) => {
    expect(labelNameFault(name)).toBeUndefined();
    expect(targetFrom({ labels: { [name]: 'x' } }).options.labels).toEqual({ [name]: 'x' });
  });

  test('has a value of 1 to 128 characters, and is one of 8 at most', () => {
    const labels = (count: number, length: number): Record<string, string> =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`label${at}`, 'x'.repeat(length)]));
    expect(targetFrom({ labels: labels(8, 128) }).options.labels).toEqual(labels(8, 128));
    for (const wrong of [labels(9, 1), labels(1, 129), labels(1, 0)]) expect(() => targetFrom({ labels: wrong })).toThrow();
  });
});
