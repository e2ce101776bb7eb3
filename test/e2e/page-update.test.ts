// The status page in a real Chromium during an upgrade: the Service sends its requests to the old and to the new version.

import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { fleetOfSize } from '../server/fleet/world.ts';
import { launchBrowser, look } from '../support/browser.ts';
import { describeWith } from '../support/tools.ts';
import { until } from '../support/until.ts';
import { changing } from './page-looks.ts';

vi.setConfig({ testTimeout: 600_000, hookTimeout: 300_000 });

type Version = 'old' | 'new';

/** A page whose responses come from the version that `next` names. */
const updating = async (browser: Browser, next: (isWhole: boolean) => Version) => {
  const server = await changing(fleetOfSize(40));
  const { page } = await look(browser, 'about:blank');
  await page.clock.install();
  const answered: string[] = [];
  await page.route(/\/(\?.*)?$/, async (route) => {
    const isWhole = route.request().isNavigationRequest();
    const version = next(isWhole);
    const response = await route.fetch();
    const body = await response.text();
    answered.push(`${isWhole ? 'page' : 'part'} ${version}`);
    await route.fulfill({ response, body: version === 'old' ? body : body.replace(/data-build="\w+"/, 'data-build="new"') });
  });
  // The page may send requests until the browser has closed it.
  onTestFinished(() => page.unrouteAll({ behavior: 'ignoreErrors' }));
  await page.goto(server.url);
  let ill = 0;
  return {
    page,
    pages: () => answered.filter((one) => one.startsWith('page')),
    /** Sends changes to the page until it has sent this many requests. */
    afterParts: async (parts: number): Promise<void> => {
      const before = answered.length;
      await until(`${parts} requests of the page`, async () => {
        ill = (ill + 1) % 40;
        server.change(fleetOfSize(40, [ill]));
        return answered.slice(before).filter((one) => one.startsWith('part')).length >= parts;
      });
    },
  };
};

describeWith(['chromium'], 'the page during an update, in Chromium,', (chromium) => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser(chromium);
  });
  afterAll(() => browser.close());

  test('reloads once for the new version, and not again while both versions respond alternately', async () => {
    let answers = 0;
    const inTurn = (): Version => {
      answers += 1;
      return answers % 2 === 1 ? 'old' : 'new';
    };
    const { pages, afterParts } = await updating(browser, inTurn);
    await afterParts(10);
    expect(pages()).toHaveLength(2);
  });

  test('that got the old version again reloads once only the new version has responded for half a minute', async () => {
    let isUpdated = false;
    const { page, pages, afterParts } = await updating(browser, (isWhole) => (isWhole && !isUpdated ? 'old' : 'new'));
    await afterParts(5);
    expect(pages()).toEqual(['page old', 'page old']);
    isUpdated = true;
    await page.clock.fastForward(31_000);
    await afterParts(2);
    await page.waitForSelector('html[data-build=new]');
    await afterParts(2);
    expect(pages()).toEqual(['page old', 'page old', 'page new']);
  });
});
