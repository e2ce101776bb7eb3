// Allowed label names of a target: none that our metrics use, and none that Prometheus sets or renames.

import { describe, expect, test } from 'vitest';
import type { Target } from '../../src/conditions/condition.ts';
import { labelNameFault } from '../../src/config/labels.ts';
import { targetFrom } from '../../src/config/target.ts';
import { definitions } from '../../src/metrics/families.ts';
import { createPage, type MetricsPage } from '../../src/metrics/page.ts';
import { type Format, parseExposition } from '../support/exposition-parser.ts';
import { bytesOf } from '../support/metrics.ts';
import { failing, fresh, judged, noon, passing, report, targetKnowing, targetOptions } from '../support/snapshot.ts';

// Metric families of shards have no target labels.
const shared = definitions.filter(({ name }) => !name.startsWith('snowgauge_shard'));
const used = [...new Set(shared.flatMap(({ labels }) => labels))].toSorted();

/** The region and rack labels of every series of the target. */
const labelsOn = async (page: MetricsPage, target: Target, version: number, format: Format): Promise<readonly string[]> => {
  const reload = { successful: true, succeededAt: noon };
  const state = { targets: new Map([['node', target]]), version, reload, wallOffset: 0 };
  const accept = format === 'text' ? undefined : 'application/openmetrics-text;version=1.0.0';
  const { body } = await page.at(state, noon, accept, undefined);
  return parseExposition(bytesOf(body).toString(), format)
    .flatMap(({ series }) => series)
    .filter(({ labels }) => labels.has('target'))
    .map(({ labels }) => `${labels.get('region')} ${labels.get('rack')}`);
};

describe('a label of a target', () => {
  test('is on every series of the target, escaped, and changes with a reload', async () => {
    const page = createPage({ version: '0.0.0-test' });
    const health = { all: fresh(report({ C: passing(), disk: failing('closed') })) };
    const target = (labels: Readonly<Record<string, string>>): Target =>
      judged(targetKnowing(targetOptions({ labels }), { health }));
    for (const format of ['text', 'openmetrics'] as const) {
      const first = await labelsOn(page, target({ region: 'eu "1"\n', rack: '12' }), 1, format);
      expect(first.length).toBeGreaterThan(30);
      expect([...new Set(first)]).toEqual(['eu "1"\n 12']);
      const second = await labelsOn(page, target({ rack: '13' }), 2, format);
      expect(second).toHaveLength(first.length);
      expect([...new Set(second)]).toEqual(['undefined 13']);
    }
  });

  test.each([...used, 'le', 'quantile'])('may not be %s, which our metrics use', (name) => {
    expect(labelNameFault(name)).toBe('is a label of the metrics of snowgauge: choose another name');
  });

  test.each(['job', 'instance', 'exporter_instance', 'exported_job', 'exported_anything', '__name__', '__address__'])(
    'may not be %s, which Prometheus uses',
    (name) => {
      expect(labelNameFault(name)).toMatch(/Prometheus .*: choose another name$/);
    },
  );

  test.each(['', '1st', 'data-center', 'zone.name', 'région', 'a b', 'a\n', 'a:b'])(
    'may not be %j, which is not a valid name',
    (name) => {
      expect(labelNameFault(name)).toMatch(/^is not a label name/);
    },
  );

  test.each(['region', 'Region', '_owner', 'rack2', 'jobs', 'targets', 'exported', 'constructor'])('may be %s', (name) => {
    expect(labelNameFault(name)).toBeUndefined();
    expect(targetFrom({ labels: { [name]: 'x' } }).options.labels).toEqual({ [name]: 'x' });
  });

  test('has a value of 1 to 128 characters, and a target has at most 8 labels', () => {
    const labels = (count: number, length: number): Record<string, string> =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`label${at}`, 'x'.repeat(length)]));
    expect(targetFrom({ labels: labels(8, 128) }).options.labels).toEqual(labels(8, 128));
    for (const wrong of [labels(9, 1), labels(1, 129), labels(1, 0)]) expect(() => targetFrom({ labels: wrong })).toThrow();
  });
});
