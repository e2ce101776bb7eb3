// Checks the pages for a sample of hostile nodes with independent programs: promtool, Prometheus and a browser.

import { spawnSync } from 'node:child_process';
import { setTimeout as wait } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import type { Target } from '../../src/conditions/condition.ts';
import { evaluated, launchBrowser, look } from '../support/browser.ts';
import { parseExposition } from '../support/exposition-parser.ts';
import { startPrometheus } from '../support/prometheus.ts';
import { seedFrom } from '../support/random.ts';
import { describeWith } from '../support/tools.ts';
import { bodiesOf, caseOf, drawnCases } from './answer-cases.ts';
import { playAnswers } from './answer-judge.ts';
import { serveKnown } from './besieged.ts';
import { createWorld } from './world.ts';

const seed = seedFrom('SNOWGAUGE_FUZZ_SEED');
const timeout = 600_000;
const count = 40;

/** An exporter of targets whose nodes have sent the responses of cases, each polled just now. */
const serveSample = async (signal: AbortSignal) => {
  const world = await createWorld();
  const bodies = bodiesOf(world);
  const targets = new Map<string, Target>();
  let at = 0;
  for (const drawn of fc.sample(drawnCases, { seed, numRuns: 8 * count })) {
    const { polls, ...rest } = caseOf(drawn, world, bodies);
    const [first] = polls;
    if (first === undefined || targets.size === count) continue;
    const { known } = await playAnswers(world, { ...rest, isWarm: true, polls: [{ ...first, after: 700 }], shownAfter: 0 });
    const { state } = known.target;
    const name = `t${targets.size}`;
    targets.set(name, { ...known.target, state: { ...state, options: { ...state.options, name } } });
    at = known.at;
  }
  return { targets, url: `http://127.0.0.1:${await serveKnown(targets, at, signal)}` };
};

describeWith(['promtool'], 'promtool check metrics', (promtool) => {
  test('has no output for the metrics of hostile nodes', { timeout }, async ({ signal }) => {
    const { url } = await serveSample(signal);
    const input = await (await fetch(`${url}/metrics`)).text();
    const { status, stdout, stderr } = spawnSync(promtool, ['check', 'metrics'], { input, encoding: 'utf8' });
    expect({ status, said: stdout + stderr }).toEqual({ status: 0, said: '' });
  });
});

describeWith(['prometheus3'], 'a real Prometheus', (prometheus) => {
  test('scrapes the metrics of hostile nodes without a warning and has every series', { timeout }, async ({ signal }) => {
    const { url } = await serveSample(signal);
    const { query, log } = await startPrometheus(prometheus, { static_configs: [{ targets: [url.replace('http://', '')] }] });
    let scraped: Awaited<ReturnType<typeof query>> = [];
    while (scraped.length === 0 && !signal.aborted) {
      scraped = await query('timestamp(up{job="snowgauge"} == 1)');
      if (scraped.length === 0) await wait(250);
    }
    const page = await (await fetch(`${url}/metrics`)).text();
    const wanted = parseExposition(page, 'text').flatMap(({ series }) => series);
    const known = await query('{__name__=~"snowgauge_.+"}', scraped[0]?.value[1]);
    expect(known).toHaveLength(wanted.filter(({ name }) => name.startsWith('snowgauge_')).length);
    expect(
      log()
        .split('\n')
        .filter((line) => /level=(warn|error)/i.test(line)),
    ).toEqual([]);
  });
});

describeWith(['chromium'], 'Chromium', (chromium) => {
  test('finds only text, and no markup or scripts, of hostile nodes in the status page', { timeout }, async ({ signal }) => {
    const { targets, url } = await serveSample(signal);
    const browser = await launchBrowser(chromium);
    const { page, complaints, asked } = await look(browser, url);
    // Text attributes may look like an address: a check may have the name "javascript:x".
    const foreign = `[...document.querySelectorAll('*')].filter((one) =>
      /^(?:img|iframe|object|embed|base|style|script)$/i.test(one.localName) && one.parentElement !== document.head &&
      one !== document.scripts[document.scripts.length - 1] ||
      [...one.attributes].some(({ name, value }) => /^on|^style$/i.test(name) ||
        !/^(?:data-|aria-|title$|class$|id$)/i.test(name) && /^\\s*javascript:/i.test(value)))
      .map((one) => one.outerHTML.slice(0, 300))`;
    for (const name of ['', ...targets.keys()]) {
      if (name !== '') await page.goto(`${url}/?target=${name}`);
      expect(await evaluated(page, z.array(z.string()), foreign)).toEqual([]);
      expect(await evaluated(page, z.number(), 'document.scripts.length')).toBe(1);
      expect(await evaluated(page, z.string(), 'typeof window.pwned')).toBe('undefined');
    }
    expect(complaints).toEqual([]);
    expect(asked.filter((one) => !one.startsWith(url) && !one.startsWith('data:'))).toEqual([]);
    await browser.close();
  });
});
