// A real Chromium with an empty profile that opens what the exporter serves; closed at the end of the test.

import axe from 'axe-core';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { onTestFinished } from 'vitest';
import * as z from 'zod/mini';

const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** One browser per suite: it takes a second or more to start. */
export const launchBrowser = (executablePath: string): Promise<Browser> =>
  chromium.launch({ executablePath, args: flags, timeout: 180_000 });

export interface Observation {
  readonly page: Page;
  /** Errors of the browser or the page. */
  readonly complaints: readonly string[];
  /** The URL of every request. */
  readonly asked: readonly string[];
}

const usual: BrowserContextOptions = { viewport: { width: 1200, height: 800 }, locale: 'en-GB', timezoneId: 'Asia/Tokyo' };

/** Opens the address in its own browser context. */
export const look = async (browser: Browser, url: string, options: BrowserContextOptions = {}): Promise<Observation> => {
  const context: BrowserContext = await browser.newContext({ ...usual, ...options });
  onTestFinished(() => context.close());
  context.setDefaultTimeout(280_000);
  const page = await context.newPage();
  const complaints: string[] = [];
  const asked: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(`${message.type()}: ${message.text()}`);
  });
  page.on('pageerror', (error) => complaints.push(`uncaught: ${error.message}`));
  page.on('request', (request) => asked.push(request.url()));
  await page.goto(url);
  return { page, complaints, asked };
};

const violations = z.array(
  z.object({ id: z.string(), impact: z.nullish(z.string()), nodes: z.array(z.object({ html: z.string() })) }),
);

/**
 * Violations found by axe-core of level serious or higher, one per line, including too small touch targets, which it does not
 * check by default. The context must bypass the CSP of the page, which would block axe-core.
 */
export const seriousViolations = async (page: Page): Promise<readonly string[]> => {
  await page.evaluate(axe.source);
  const rules = '{ "target-size": { enabled: true } }';
  const found: unknown = await page.evaluate(
    `axe.run(document, { resultTypes: ["violations"], rules: ${rules} }).then((r) => r.violations)`,
  );
  return violations
    .parse(found)
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
};

/** Evaluates an expression in the page and validates the result. */
export const evaluated = async <T>(page: Page, schema: z.ZodMiniType<T>, expression: string): Promise<T> =>
  schema.parse(await page.evaluate(expression));
