// The family names that a configuration may select: those of the tables and those of prom-client.

import { expect, test } from 'vitest';
import { createProcessMetrics } from '../../src/metrics/exposition.ts';
import { familyNames } from '../../src/metrics/names.ts';

test('familyNames has every family of the process metrics', async () => {
  const page = await createProcessMetrics().render('text');
  const given = Array.from(page.matchAll(/^# TYPE (\S+)/gm), ([, name]) => name);
  expect(given).toContain('process_cpu_seconds_total');
  expect(given.filter((name) => !familyNames.some((known) => known === name))).toEqual([]);
});
