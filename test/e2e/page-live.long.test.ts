// The status page in a real Chromium, with a node that fails and recovers, in real time: the delay until the page shows it.

import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import * as z from 'zod/mini';
import { serve } from '../../src/commands/serve.ts';
import { targetFrom } from '../../src/config/target.ts';
import { silentLog } from '../../src/log.ts';
import { startNode } from '../../src/node/node.ts';
import { defaultNodeOptions } from '../../src/node/options.ts';
import { evaluated, launchBrowser, look } from '../support/browser.ts';
import { scenarioFrom } from '../support/node.ts';
import { describeWith } from '../support/tools.ts';

vi.setConfig({ testTimeout: 600_000, hookTimeout: 300_000 });

const now = (): number => Date.now() / 1000;

/** A node that runs its checks every second, and an exporter that watches it. */
const running = async () => {
  const stop = new AbortController();
  const node = await startNode(
    { ...defaultNodeOptions, httpPort: 0, healthCheckFrequency: 1 },
    { now, log: silentLog, signal: stop.signal, scenario: await scenarioFrom(''), hasTimers: true },
  );
  const target = targetFrom({ url: node.url, healthCheckFrequency: '1s', indexes: [], staleAfter: 60, frozenAfter: 60 });
  const client = { ...target.client, timeoutMs: 60_000, maxBodyBytes: 1_000_000 };
  const served = await serve(
    { source: 'the test', listen: { host: '127.0.0.1', port: 0 }, targets: [{ ...target, client }] },
    { now, log: silentLog, version: 'test', signal: stop.signal },
  );
  if (served.kind !== 'ok') throw new Error(JSON.stringify(served.errors));
  onTestFinished(async () => {
    stop.abort();
    await Promise.all([served.finished, node.close()]);
  });
  return { node, url: served.url };
};

/** Records in the page when the card of the check appears or disappears. */
const observer = `
  window.seen = [];
  new MutationObserver(() => {
    const there = document.querySelector('li[data-key=database]') !== null;
    if (there === (window.there ?? false)) return;
    window.there = there;
    window.seen.push(Date.now() / 1000);
  }).observe(document, { childList: true, subtree: true });
`;

const transitions = z.object({ records: z.array(z.object({ kind: z.string(), at: z.string() })) });

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

describeWith(['chromium'], 'the page of a node', (chromium) => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser(chromium);
  });
  afterAll(() => browser.close());

  // From the time of the record to the change in the document, both by this machine's clock: a third of a second on an idle machine,
  // 15 s for a page without events. The median of several, because a busy machine may delay any of them.
  test('shows a transition less than 10 s after the exporter has recorded it', async () => {
    const { node, url } = await running();
    const { page, complaints } = await look(browser, 'about:blank');
    await page.addInitScript(observer);
    await page.goto(url);
    await page.getByText('node is healthy.').waitFor();
    const seen = () => evaluated(page, z.array(z.number()), 'window.seen');
    for (let times = 1; times <= 7; times += 1) {
      await node.setFaults(times % 2 === 1 ? [{ fault: 'check-fails', check: 'database', error: 'closed' }] : []);
      await expect.poll(async () => (await seen()).length, { timeout: 280_000, interval: 50 }).toBe(times);
    }
    const answer = await fetch(`${url}/api/v1/history?check=database`);
    const { records } = transitions.parse(await answer.json());
    const known = records.filter(({ kind }) => kind === 'check').map(({ at }) => Date.parse(at) / 1000);
    expect(known).toHaveLength(7);
    const delays = (await seen()).map((at, transition) => at - (known[transition] ?? 0));
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(0);
    console.log(`page: a transition is shown after ${median(delays).toFixed(1)} s`);
    expect(median(delays)).toBeLessThan(10);
    expect(complaints).toEqual([]);
  });
});
