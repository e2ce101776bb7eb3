// The layouts of the page that page.test.ts leaves out.

import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, test } from 'vitest';
import { launchBrowser } from '../support/browser.ts';
import { describeWith } from '../support/tools.ts';
import { isFit, otherLooks } from './page-looks.ts';

describeWith(['chromium'], 'the page in Chromium', (chromium = '') => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser(chromium);
  });
  afterAll(() => browser.close());

  test.each(otherLooks)('$shown on $screen fits the width, and axe-core finds no serious violation', (one) =>
    isFit(browser, one),
  );
});
