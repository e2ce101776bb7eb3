// Whether a target is safe to restart follows the other targets, also between its own polls.

import { expect, onTestFinished, test } from 'vitest';
import type { SafeToRestart } from '../src/conditions/condition.ts';
import { startExporter } from '../src/exporter.ts';
import { silentLog } from '../src/log.ts';
import { createPage } from '../src/metrics/page.ts';
import { rejudged } from '../src/target-update.ts';
import { clientOf } from './support/asking.ts';
import { parseExposition } from './support/exposition-parser.ts';
import { bytesOf } from './support/metrics.ts';
import { judged, targetKnowing, targetOptions } from './support/snapshot.ts';
import { keepRunning, startValidator } from './support/validator-nodes.ts';
import { valuesOf } from './support/watching.ts';

test('a validator is safe to restart only while the other one is ready', async () => {
  const nodes = [await startValidator(1), await startValidator(2)];
  const stop = new AbortController();
  const options = nodes.map(({ url }, at) =>
    targetOptions({
      name: `v${at}`,
      url,
      healthCheckFrequency: 1,
      readiness: { ...targetOptions().readiness, passAfter: 1, failAfter: 1 },
    }),
  );
  const now = (): number => Date.now() / 1000;
  const exporter = startExporter(
    options.map((one) => ({ options: one, client: clientOf(one.url) })),
    { now, log: silentLog, signal: stop.signal },
  );
  onTestFinished(async () => {
    stop.abort();
    await exporter.finished;
  });
  const page = createPage({ version: 'test' });
  const shown = async (target: string) => {
    const state = { targets: exporter.targets, version: exporter.version(), wallOffset: 0, reload: { successful: true } };
    const { body } = await page.at(state, now(), undefined, undefined);
    const series = parseExposition(bytesOf(body).toString(), 'text').flatMap((family) => family.series);
    return valuesOf(series, 'snowgauge_target_safe_to_restart', { target });
  };
  keepRunning(nodes);
  expect(exporter.targets.get('v0')?.safeToRestart).toBeUndefined();
  await expect.poll(() => shown('v0'), { timeout: 280_000, interval: 200 }).toEqual([1]);
  await nodes[1]?.setFaults([{ fault: 'subnet-bootstraps', subnet: 'primary' }]);
  await expect.poll(() => shown('v0'), { timeout: 280_000, interval: 200 }).toEqual([0]);
  expect(exporter.targets.get('v0')?.safeToRestart).toMatchObject({
    result: 'unsafe',
    message: expect.stringMatching(/^Primary Network: (v1 is bootstrapping$|0 of 1 other watched validators are ready)/),
  });
  // No sample while the result is unknown.
  await nodes[0]?.setFaults([{ fault: 'api-refuses' }]);
  await nodes[1]?.setFaults([]);
  await expect.poll(() => shown('v0'), { timeout: 280_000, interval: 200 }).toEqual([]);
});

test('a target is replaced only if its restart result or the reason has changed', () => {
  const safeToRestart = { result: 'unsafe', message: 'it is bootstrapping P' } as const;
  const target = { ...judged(targetKnowing(targetOptions(), {})), safeToRestart };
  const after = (next: SafeToRestart) =>
    rejudged(new Map([['node', target]]), new Map([['node', next]])).map((one) => one.safeToRestart);
  expect(after({ ...safeToRestart })).toEqual([]);
  for (const next of [{ ...safeToRestart, message: 'it is bootstrapping X' }, { result: 'safe' }] as const)
    expect(after(next)).toEqual([next]);
});
