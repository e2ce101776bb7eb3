// The status page in a real Chromium that stays open: what somebody does on it outlives what comes later.

import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import * as z from 'zod/mini';
import { fleetOfSize, node } from '../server/fleet/world.ts';
import { evaluated, launchBrowser, look } from '../support/browser.ts';
import { noon, targetsOf } from '../support/snapshot.ts';
import { describeWith } from '../support/tools.ts';
import { changing, live } from './page-looks.ts';

vi.setConfig({ testTimeout: 600_000, hookTimeout: 300_000 });

const refused = { source: 'snowgauge.yaml', loadedAt: noon, refused: { at: noon, errors: ['a is wrong'] }, needRestart: [] };
const source = { source: 'kubernetes/0', successful: false, failure: 'refused', targets: 40, unwatched: [] };

/** Without a window all tabs of Chromium are in front. */
const background = `
  let isHidden = false;
  Object.defineProperty(document, 'hidden', { get: () => isHidden });
  window.inBackground = (is) => {
    isHidden = is;
    document.dispatchEvent(new Event('visibilitychange'));
  };
`;

describeWith(['chromium'], 'the page that stays open in Chromium', (chromium) => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser(chromium);
  });
  afterAll(() => browser.close());

  test('what is folded stays folded where the page came with it unfolded', async () => {
    const server = await changing(fleetOfSize(40, [7]));
    const { page } = await look(browser, `${server.url}/?q=node`);
    await page.waitForSelector(live);
    await page.locator('details[open][data-key=healthy] summary').click();
    server.change(fleetOfSize(41, [7, 17]));
    await page.getByText('2 of 41 targets are failing').waitFor();
    expect(await page.locator('details[data-key=healthy]').getAttribute('open')).toBeNull();
  });

  test.each([
    { note: 'of a reload that failed', text: 'Reload failed', over: { configuration: refused } },
    { note: 'of a source of discovery that fails', text: 'kubernetes/0', over: { discovery: [source] } },
  ])('a note $note takes nothing with it when it goes', async ({ text, over }) => {
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

  test('who is at a link with the keyboard stays there while the targets change places', async () => {
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

  test('who chooses with the keyboard is not taken away at the first choice, and presses the button', async () => {
    const server = await changing(fleetOfSize(40, [7]));
    const { page } = await look(browser, server.url);
    await page.waitForSelector(live);
    const networks = page.locator('select[name=network]');
    await networks.focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    // An update of the page leaves what is chosen.
    server.change(fleetOfSize(40, [7, 17]));
    await page.getByText('2 of 40 targets are failing').waitFor();
    expect(new URL(page.url()).search).toBe('');
    const second = await networks.locator('option').nth(2).getAttribute('value');
    expect(await networks.inputValue()).toBe(second);
    await page.locator('#filter button').press('Enter');
    await page.waitForURL((url) => url.searchParams.get('network') === second);
  });

  test('tabs in the background leave the connections of the browser to those in front, and follow again once they are', async () => {
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

  test('a server that refuses is not told to be silent', async () => {
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
