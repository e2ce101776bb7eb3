// The status page in a real Chromium that stays open: what somebody does on it outlives what comes later.

import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { fleetOfSize } from '../server/fleet/world.ts';
import { launchBrowser, look } from '../support/browser.ts';
import { describeWith } from '../support/tools.ts';
import { changing, live } from './page-looks.ts';

vi.setConfig({ testTimeout: 600_000, hookTimeout: 300_000 });

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
});
