// What the chart brings for its readers and for itself: its README, and its own unit tests.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { chart, execute } from '../support/chart.ts';
import { describeWith } from '../support/tools.ts';

describeWith(['helm-docs'], 'the README of the chart', (helmDocs = '') => {
  test('is up to date (else: helm-docs --chart-search-root charts/snowgauge --chart-to-generate charts/snowgauge)', async () => {
    const { code, stdout } = await execute(helmDocs, ['--chart-search-root', chart, '--chart-to-generate', chart, '--dry-run']);
    expect(code).toBe(0);
    expect(stdout).toContain('# snowgauge');
    expect(readFileSync(join(chart, 'README.md'), 'utf8').trim()).toBe(stdout.trim());
  });
});

describeWith(['helm-unittest'], 'the unit tests of the chart', (unittest = '') => {
  test('pass', async () => {
    const { code, stdout } = await execute(unittest, ['--color=false', chart]);
    expect(stdout).toMatch(/^Tests:\s+\d{2,} passed, \d+ total$/m);
    expect(code).toBe(0);
  });
});
