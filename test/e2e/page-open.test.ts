// The status page in a real Chromium that stays open: what somebody does on it outlives what comes later.

import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { fleetOfSize } from '../server/fleet/world.ts';
import { launchBrowser, look } from '../support/browser.ts';
import { noon } from '../support/snapshot.ts';
import { describeWith } from '../support/tools.ts';
import { changing, live } from './page-looks.ts';

vi.setConfig({ testTimeout: 600_000, hookTimeout: 300_000 });

const refused = { source: 'snowgauge.yaml', loadedAt: noon, refused: { at: noon, errors: ['a is wrong'] }, needRestart: [] };
const source = { source: 'kubernetes/0', successful: false, failure: 'refused', targets: 40, unwatched: [] };

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
    expect(await page.locator('*:focus').getAttribute('id')).toBe('search');
    expect(await page.locator('details[data-key=healthy]').getAttribute('open')).not.toBeNull();
  });
});
