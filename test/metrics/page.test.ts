// The page as bytes: cached, never stale, and valid in every format and encoding.

import { gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { createPage, type MetricsPage, type PageState, type RenderedPage } from '../../src/metrics/page.ts';
import { parseExposition } from '../support/exposition-parser.ts';
import { build, bytesOf, pageState, reload } from '../support/metrics.ts';
import { richTarget } from '../support/rich.ts';
import { fresh, noon, passing, report, targetKnowing, targetOptions, targetsOf } from '../support/snapshot.ts';

const openmetrics = 'application/openmetrics-text;version=1.0.0';

let page: MetricsPage['at'];
beforeAll(() => {
  page = createPage(build).at;
});

const polled = { lastPoll: { at: noon, answered: true, failures: [] } };
const healthy = (at = noon) =>
  targetKnowing(targetOptions(), { health: { all: fresh(report({ P: passing() }), at) }, ...polled });
const silent = targetKnowing(targetOptions(), polled);

const state = (at = noon): PageState => pageState(targetsOf(healthy(at)));

const textOf = ({ body, headers }: RenderedPage): string =>
  (headers['Content-Encoding'] === 'gzip' ? gunzipSync(bytesOf(body)) : bytesOf(body)).toString();

describe('a page', () => {
  test.each([
    { format: 'text', accept: undefined, encoding: undefined, type: 'text/plain; version=0.0.4; charset=utf-8' },
    { format: 'text', accept: '*/*', encoding: 'gzip', type: 'text/plain; version=0.0.4; charset=utf-8' },
    {
      format: 'openmetrics',
      accept: openmetrics,
      encoding: undefined,
      type: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
    },
    {
      format: 'openmetrics',
      accept: openmetrics,
      encoding: 'gzip',
      type: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
    },
  ] as const)(
    'in $format, encoding $encoding, is valid, with the families of targets and process',
    async ({ format, accept, encoding, type }) => {
      const answer = await page(pageState(targetsOf(richTarget())), noon, accept, encoding);
      expect(answer.headers).toEqual({
        'Content-Type': type,
        Vary: 'Accept, Accept-Encoding',
        ...(encoding !== undefined && { 'Content-Encoding': 'gzip' }),
      });
      const names = parseExposition(textOf(answer), format).map(({ name }) => name);
      expect(names).toContain('snowgauge_up');
      expect(names).toContain('process_resident_memory_bytes');
    },
  );
});

describe('an unchanged page', () => {
  test('has the same bytes within a second', async () => {
    const known = state();
    const first = await page(known, noon, undefined, 'gzip');
    expect(await page(known, noon + 0.999, undefined, 'gzip')).toBe(first);
  });

  test('is returned without a promise once it is rendered', async () => {
    const known = state();
    const first = await page(known, noon, undefined, undefined);
    expect(page(known, noon + 0.5, undefined, undefined)).toBe(first);
  });

  test('has new process metrics after a second', async () => {
    const known = state();
    const first = await page(known, noon, undefined, undefined);
    expect(await page(known, noon + 1, undefined, undefined)).not.toBe(first);
  });

  test('loses its samples as soon as they are stale', async () => {
    const known = state(noon);
    expect(textOf(await page(known, noon + 90, undefined, undefined))).toContain('snowgauge_check_healthy');
    const after = textOf(await page(known, noon + 90.001, undefined, undefined));
    expect(after).not.toContain('snowgauge_check_healthy');
    expect(after).toContain('snowgauge_up{target="node"} 0\n');
  });

  test('is rendered again when the version of the map changes, because the map is changed in place', async () => {
    const targets = new Map(targetsOf(healthy()));
    const known = pageState(targets);
    const first = await page(known, noon, undefined, undefined);
    expect(await page({ ...known }, noon, undefined, undefined)).toBe(first);
    for (const [name, target] of targetsOf(silent)) targets.set(name, target);
    const next = await page({ ...known, version: known.version + 1 }, noon, undefined, undefined);
    expect(textOf(next)).toContain('snowgauge_up{target="node"} 0\n');
  });

  test('is rendered once for concurrent requests', async () => {
    const known = state();
    const answers = await Promise.all(Array.from({ length: 20 }, () => page(known, noon, openmetrics, 'gzip')));
    expect(new Set(answers).size).toBe(1);
  });
});

test('a changed target changes the page at once', async () => {
  await page(state(), noon, undefined, undefined);
  const after = pageState(targetsOf(silent));
  expect(textOf(await page(after, noon, undefined, undefined))).toContain('snowgauge_up{target="node"} 0\n');
});

test('a reload changes the page at once', async () => {
  const before = state();
  await page(before, noon, undefined, undefined);
  const after = { ...before, reload: { ...reload, successful: false } };
  expect(textOf(await page(after, noon, undefined, undefined))).toContain('snowgauge_config_last_reload_successful 0\n');
});

test('timestamps of the exporter are in wall clock time, and timestamps of the node are unchanged', async () => {
  const clock = { lower: 2, upper: 4, at: noon };
  const target = targetKnowing(targetOptions(), { health: { all: fresh(report({ P: passing() })) }, clock });
  const lines = async (wallOffset: number): Promise<readonly string[]> =>
    textOf(await page(pageState(targetsOf(target), { wallOffset }), noon, undefined, undefined)).split('\n');
  const [kept, stepped] = [await lines(0), await lines(7200)];
  const value = (from: readonly string[], family: string): number =>
    Number(from.find((line) => line.startsWith(`snowgauge_${family}`))?.split(' ')[1]);
  for (const family of ['last_report_timestamp_seconds', 'config_last_reload_success_timestamp_seconds'])
    expect(value(stepped, family) - value(kept, family)).toBe(7200);
  expect(value(stepped, 'check_last_run_timestamp_seconds')).toBe(noon - 10);
  expect(value(kept, 'clock_skew_seconds')).toBe(3);
  expect(value(stepped, 'clock_skew_seconds')).toBe(3 - 7200);
});
