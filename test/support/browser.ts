// A real Chromium, with an empty profile of its own, that looks at what the exporter serves; ends with the test.

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

/** For one suite: starting it takes a second or more. */
export const launchBrowser = (executablePath: string): Promise<Browser> =>
  chromium.launch({ executablePath, args: flags, timeout: 180_000 });

export interface Observation {
  readonly page: Page;
  /** Whatever the browser or the page complained of. */
  readonly complaints: readonly string[];
  /** Address of everything that was asked for. */
  readonly asked: readonly string[];
}

const usual: BrowserContextOptions = { viewport: { width: 1200, height: 800 }, locale: 'en-GB', timezoneId: 'Asia/Tokyo' };

/** Opens the address in a context of its own. */
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
 * What axe-core finds of level serious or worse, a line each; also links that are too small for a finger, which it leaves out by default.
 * The context must bypass the page's CSP, which would not let it in.
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

/** Evaluates an expression in the page, and checks what comes back. */
export const evaluated = async <T>(page: Page, schema: z.ZodMiniType<T>, expression: string): Promise<T> =>
  schema.parse(await page.evaluate(expression));
