// The names that a configuration may choose among: those of the tables, and what prom-client gives.

import { expect, test } from 'vitest';
import { createProcessMetrics } from '../../src/metrics/exposition.ts';
import { familyNames } from '../../src/metrics/names.ts';

test('no family of the process is missing', async () => {
  const page = await createProcessMetrics().render('text');
  const given = Array.from(page.matchAll(/^# TYPE (\S+)/gm), ([, name]) => name);
  expect(given).toContain('process_cpu_seconds_total');
  expect(given.filter((name) => !familyNames.some((known) => known === name))).toEqual([]);
});
