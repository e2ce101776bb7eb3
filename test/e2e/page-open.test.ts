// The status page stays open in a real Chromium: updates keep what the user has done on it.

import { get } from 'node:http';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import * as z from 'zod/mini';
import { fleetOfSize, node } from '../server/fleet/world.ts';
import { evaluated, launchBrowser, look } from '../support/browser.ts';
import { serveHttp } from '../support/serve.ts';
import { noon, targetsOf } from '../support/snapshot.ts';
import { describeWith } from '../support/tools.ts';
import { changing, live } from './page-looks.ts';

vi.setConfig({ testTimeout: 600_000, hookTimeout: 300_000 });

const refused = {
  source: 'snowgauge.yaml',
  loadedAt: noon,
  reloadFailure: { at: noon, errors: ['a is wrong'] },
  needRestart: [],
};
const source = { source: 'kubernetes/0', successful: false, failure: 'refused', targets: 40, unwatched: [] };

const eightHoursMs = 8 * 3_600_000;

/** In a headless Chromium all tabs count as visible. */
const background = `
  let isHidden = false;
  Object.defineProperty(document, 'hidden', { get: () => isHidden });
  window.inBackground = (is) => {
    isHidden = is;
    document.dispatchEvent(new Event('visibilitychange'));
  };
`;

/** Counts how often the page says that it is disconnected. */
const disconnections = `
  window.disconnections = 0;
  new MutationObserver(() => {
    if (document.documentElement.dataset.live === 'no') window.disconnections += 1;
  }).observe(document.documentElement, { attributeFilter: ['data-live'] });
`;

describeWith(['chromium'], 'the page that stays open in Chromium', (chromium) => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser(chromium);
  });
  afterAll(() => browser.close());

  test('a list that was open when the page loaded stays closed after the user closes it', async () => {
    const server = await changing(fleetOfSize(40, [7]));
    const { page } = await look(browser, `${server.url}/?q=node`);
    await page.waitForSelector(live);
    await page.locator('details[open][data-key=healthy] summary').click();
    server.change(fleetOfSize(41, [7, 17]));
    await page.getByText('2 of 41 targets are failing').waitFor();
    expect(await page.locator('details[data-key=healthy]').getAttribute('open')).toBeNull();
  });

  test('a page that a proxy serves below a path stays there: its events, links and form', async () => {
    const server = await changing(fleetOfSize(40, [7]));
    const strays: string[] = [];
    const proxy = await serveHttp(({ url = '', headers }, response) => {
      const path = url.startsWith('/proxy/') ? url.slice('/proxy'.length) : undefined;
      if (path === undefined) {
        strays.push(url);
        response.writeHead(404).end();
        return;
      }
      get(server.url + path, { headers }, (from) => from.pipe(response.writeHead(from.statusCode ?? 0, from.headers)));
    });
    onTestFinished(() => proxy.close());
    const { page } = await look(browser, `${proxy.url}/proxy/`);
    await page.waitForSelector(live);
    server.change(fleetOfSize(41, [7, 17]));
    await page.getByText('2 of 41 targets are failing').waitFor();
    await page.locator('.fleet a').first().click();
    await page.waitForURL(`${proxy.url}/proxy/?target=node-7`);
    await page.locator('h1 a').click();
    await page.locator('#search').fill('node-17');
    await page.locator('#search').press('Enter');
    await page.waitForURL((url) => url.search.includes('q=node-17'));
    await page.locator('.by a').first().click();
    await page.waitForURL((url) => url.search.includes('by='));
    expect(new URL(page.url()).pathname).toBe('/proxy/');
    expect(strays).toEqual([]);
  });

  test.each([
    { note: 'of a failed reload', text: 'Reload failed', over: { configuration: refused } },
    { note: 'of a failing discovery source', text: 'kubernetes/0', over: { discovery: [source] } },
  ])('when a note $note disappears, search text, focus and open lists stay', async ({ text, over }) => {
    const server = await changing(fleetOfSize(40, [7]));
    const { page } = await look(browser, server.url);
    await page.waitForSelector(live);
    server.change(fleetOfSize(41, [7, 17]), over);
    await page.getByText(text).waitFor();
    await page.locator('summary', { hasText: 'healthy' }).click();
    await page.locator('#search').pressSequentially('NODE-1');
    server.change(fleetOfSize(42, [7, 17, 19]));
    await page.getByText('3 of 42 targets are failing').waitFor();
    expect(await page.locator('#search').inputValue()).toBe('NODE-1');
    expect(await evaluated(page, z.string(), 'document.activeElement.id')).toBe('search');
    expect(await page.locator('details[data-key=healthy]').getAttribute('open')).not.toBeNull();
  });

  test('a focused link keeps the focus when the targets change their order', async () => {
    const server = await changing(fleetOfSize(40, [7, 17]));
    const { page } = await look(browser, `${server.url}/?subnet=my-l1`);
    await page.waitForSelector(live);
    const names = () => page.locator('.fleet tbody th').allInnerTexts();
    expect(await names()).toEqual(['node-7', 'node-17']);
    await page.locator('tr[data-key=node-17] a').focus();
    server.change(targetsOf(...[17, 7].map((at) => node(at, [7, 17])), ...[1, 2, 3].map((at) => node(at))));
    await page.getByText('2 of 5 targets are failing').waitFor();
    expect(await names()).toEqual(['node-17', 'node-7']);
    expect(await evaluated(page, z.string(), 'document.activeElement.innerText')).toBe('node-17');
  });

  test('choosing a filter with the keyboard does not navigate until the button is pressed', async () => {
    const server = await changing(fleetOfSize(40, [7]));
    const { page } = await look(browser, server.url);
    await page.waitForSelector(live);
    const networks = page.locator('select[name=network]');
    await networks.focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    expect(await networks.inputValue()).toBe('mainnet');
    // An update keeps the choice, also when mainnet has more targets than fuji, and comes first.
    server.change(targetsOf(...Array.from({ length: 41 }, (_, at) => node(at + 1, [7, 17]))));
    await page.getByText('2 of 41 targets are failing').waitFor();
    expect(new URL(page.url()).search).toBe('');
    expect(await networks.locator('option').allInnerTexts()).toEqual(['all', 'mainnet (21)', 'fuji (20)']);
    expect(await networks.inputValue()).toBe('mainnet');
    await page.locator('#filter button').press('Enter');
    await page.waitForURL((url) => url.searchParams.get('network') === 'mainnet');
  });

  test('after Back the form has the filter of the page', async () => {
    const server = await changing(fleetOfSize(40, [7]));
    const { page } = await look(browser, server.url);
    const networks = page.locator('select[name=network]');
    await networks.selectOption('fuji');
    await page.waitForURL(/network=fuji/);
    await page.waitForSelector(live);
    await page.goBack();
    await page.waitForSelector(live);
    expect(new URL(page.url()).search).toBe('');
    expect(await networks.inputValue()).toBe('');
  });

  test('background tabs release their connections, and update again when they are visible', async () => {
    const server = await changing(fleetOfSize(40, [7]));
    const { page: first } = await look(browser, 'about:blank');
    await first.context().addInitScript(background);
    for (const page of [first, ...(await Promise.all(Array.from({ length: 6 }, () => first.context().newPage())))]) {
      await page.goto(server.url);
      await page.waitForSelector(live);
      await page.evaluate('inBackground(true)');
    }
    server.change(fleetOfSize(40, [7, 17]));
    await first.evaluate('inBackground(false)');
    await first.getByText('2 of 40 targets are failing').waitFor();
    server.change(fleetOfSize(40, [7, 17, 19]));
    await first.getByText('3 of 40 targets are failing').waitFor();
  });

  test.each<{ after: string; pass: (page: Page) => Promise<void> }>([
    { after: '15 s without events', pass: (page) => page.clock.fastForward(16_000) },
    { after: 'the machine slept', pass: (page) => page.clock.setSystemTime(Date.now() + eightHoursMs) },
  ])('after $after the page requests an update, and does not count as disconnected meanwhile', async ({ pass }) => {
    const server = await changing(fleetOfSize(40, [7]));
    const { page } = await look(browser, 'about:blank');
    await page.clock.install();
    await page.addInitScript(background);
    const updated = page.waitForResponse(/part=page/);
    await page.goto(server.url);
    await (await updated).finished();
    await page.evaluate('inBackground(true)');
    await page.evaluate(disconnections);
    server.change(fleetOfSize(40, [7, 17]));
    await pass(page);
    await page.getByText('2 of 40 targets are failing').waitFor();
    expect(await evaluated(page, z.number(), 'disconnections')).toBe(0);
  });

  test('while the machine sleeps, ages and the time without a connection grow', async () => {
    const server = await changing(fleetOfSize(40, [7]));
    const { page } = await look(browser, 'about:blank');
    await page.clock.install();
    await page.goto(server.url);
    await page.waitForSelector(live);
    await server.close();
    await page.waitForSelector('html[data-live=no]');
    await page.clock.setSystemTime(Date.now() + eightHoursMs);
    await page.getByText('Disconnected for 8 h').waitFor();
    expect(await page.locator('[data-age]').first().innerText()).toContain('8 h');
  });

  test('a 503 for the page is shown as such, not as no response', async () => {
    const server = await changing(fleetOfSize(40, [7]));
    const { page } = await look(browser, server.url);
    await page.waitForSelector(live);
    await page.route(/part=page/, (route) => route.fulfill({ status: 503, contentType: 'text/plain', body: 'overloaded' }));
    server.change(fleetOfSize(40, [7, 17]));
    await page.waitForSelector('html[data-live=no]');
    expect(await page.locator('#lost').innerText()).toBe(
      'Disconnected since 12:00:00 UTC: snowgauge returns status 503 instead of the page. The content below is from that time.',
    );
  });
});
