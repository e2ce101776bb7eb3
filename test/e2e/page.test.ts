// The status page in a real Chromium. page.long.test.ts has its other layouts.

import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import * as z from 'zod/mini';
import type { Targets } from '../../src/conditions/condition.ts';
import { fleetOfSize } from '../server/fleet/world.ts';
import { evaluated, launchBrowser, look, seriousViolations } from '../support/browser.ts';
import { serveExporter } from '../support/exporter-server.ts';
import { freePort } from '../support/free-port.ts';
import { failing, fresh, noon, passing, report, targetKnowing, targetOptions, targetsOf } from '../support/snapshot.ts';
import { describeWith } from '../support/tools.ts';
import { changing, hostileTargets, isFit, live, someLooks, troubled, wellTargets } from './page-looks.ts';

vi.setConfig({ testTimeout: 600_000, hookTimeout: 300_000 });

const illTargets = (error = 'closed'): Targets =>
  targetsOf(targetKnowing(targetOptions(), { health: { all: fresh(report({ database: failing(error), P: passing() })) } }));

describeWith(['chromium'], 'the page in Chromium', (chromium) => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser(chromium);
  });
  afterAll(() => browser.close());

  test('loads without browser errors, sends no requests to other hosts, and is smaller than 50 KiB', async () => {
    const { url } = await troubled();
    const { page, complaints, asked } = await look(browser, 'about:blank');
    let bytes = 0;
    page.on('response', (response) => {
      if (response.url().endsWith('/events')) return;
      // A response that is incomplete when the page is closed has no body.
      response.body().then(
        (body) => {
          bytes += body.length;
        },
        () => undefined,
      );
    });
    await page.goto(url);
    await page.waitForSelector(live);
    await expect.poll(() => asked.some((one) => one.includes('part=page'))).toBe(true);
    await expect.poll(() => bytes).toBeGreaterThan(10_000);
    expect(complaints).toEqual([]);
    expect(asked.filter((one) => !one.startsWith(`${url}/`) && !one.startsWith('data:') && one !== 'about:blank')).toEqual([]);
    const [document] = asked.filter((one) => one === `${url}/`);
    const whole = await (await fetch(document ?? '')).text();
    expect(whole.length).toBeLessThan(50 * 1024);
    // A visit loads the page, its content again without style and script, and the events.
    expect(bytes).toBeLessThan(2 * 50 * 1024);
  });

  test('shows the worst tag set first, with reason and duration, and stale conditions hatched', async () => {
    const { url } = await troubled();
    const { page } = await look(browser, url);
    await page.waitForSelector(live);
    const rows = await page.locator('#target-node .conditions tbody tr').allInnerTexts();
    expect(rows.map((text) => text.split(/\s/)[0])).toEqual(['all', 'alpha', 'beta']);
    expect(rows[0]).toMatch(
      /not ready\s+✕ unhealthy\s+bootstrapped: bootstrapping \(subnets not bootstrapped\), and one more\s+2 h/,
    );
    const looks = (selector: string) =>
      evaluated(page, z.string(), `getComputedStyle(document.querySelector(${JSON.stringify(selector)})).backgroundImage`);
    expect(await looks('.conditions tr[data-key=beta]')).toContain('repeating-linear-gradient');
    expect(await looks('.conditions tr[data-key=alpha]')).toBe('none');
    expect(await page.locator('.conditions tr[data-key=beta]').innerText()).toMatch(/From the last report, \d+ min (\d+ s )?ago/);
  });

  test('updates by itself, also the start time in the footer, keeps open lists open, and removes a failure that has ended', async () => {
    const server = await changing(wellTargets());
    const { page, complaints } = await look(browser, server.url);
    await page.waitForSelector(live);
    await page.locator('summary', { hasText: 'passing' }).click();
    server.change(illTargets(), { startedAt: noon - 60 });
    await page.getByText('closed', { exact: true }).waitFor();
    expect(await page.title()).toContain('is failing');
    expect(await page.locator('#lead').innerText()).toContain('node is failing');
    expect(await page.locator('details[data-key=passing]').getAttribute('open')).not.toBeNull();
    expect(await page.locator('footer').innerText()).toMatch(/running since \S+ 11:59:00/);
    server.change(wellTargets());
    await page.locator('li[data-key=database]').waitFor({ state: 'detached' });
    expect(await page.locator('#lead').innerText()).toBe('node is healthy.');
    expect(complaints).toEqual([]);
  });

  test('of a fleet filters by name while typing, keeps the filter on updates, and loads the chosen label', async () => {
    const server = await changing(fleetOfSize(40, [7]));
    const { page, complaints } = await look(browser, server.url);
    await page.waitForSelector(live);
    await page.locator('summary', { hasText: 'healthy' }).click();
    const shown = async () =>
      (await page.locator('[data-key^=node-]:visible').allInnerTexts()).map((text) => text.split(/\s/)[0]);
    await page.locator('#search').pressSequentially('NODE-1');
    await expect.poll(shown).toEqual(['node-1', ...Array.from({ length: 10 }, (_, at) => `node-${at + 10}`)]);
    server.change(fleetOfSize(41, [7, 17]));
    await page.getByText('2 of 41 targets are failing').waitFor();
    expect(await shown()).toHaveLength(11);
    await page.locator('select[name=label]').selectOption('cluster=us');
    await page.waitForURL(/label=cluster%3Dus/);
    expect(page.url()).toContain('q=NODE-1');
    await page.getByText('1 of 6 targets is failing', { exact: false }).waitFor();
    expect(await shown()).toEqual(['node-17', 'node-1', 'node-11', 'node-13', 'node-15', 'node-19']);
    expect(complaints).toEqual([]);
  });

  test('of a fleet filters by its form without JavaScript', async () => {
    const { url } = await serveExporter({ targets: fleetOfSize(40, [7]) });
    const { page } = await look(browser, url, { javaScriptEnabled: false });
    await page.locator('#search').fill('node-7');
    await page.getByText('Show', { exact: true }).click();
    expect(await page.locator('#lead').innerText()).toContain('1 of 1 target is failing (of 40 in all)');
    await page.getByText('node-7', { exact: true }).click();
    await page.getByText('node-7 is failing: not ready for my-l1', { exact: false }).waitFor();
  });

  test('shows that it is disconnected when the server is down, and is live again when it is back', async () => {
    const port = await freePort();
    const server = await changing(wellTargets(), port);
    const { page } = await look(browser, server.url);
    await page.waitForSelector(live);
    expect(await page.locator('#lost').innerText()).toBe('');
    const icon = async () =>
      / fill='(.*?)'/.exec(decodeURIComponent((await page.locator('#icon').getAttribute('href')) ?? ''))?.[1];
    const [green, grey] = ['#116329', '#59636e'];
    expect(await icon()).toBe(green);
    await server.close();
    await page.waitForSelector('html[data-live=no]');
    expect(await page.locator('#lost').innerText()).toContain('Disconnected since 12:00:00 UTC');
    expect(await page.title()).toContain('Disconnected');
    expect(await icon()).toBe(grey);
    expect(await evaluated(page, z.string(), 'getComputedStyle(document.querySelector("main")).filter')).toContain('grayscale');
    // A child process of another test keeps our listener open until it runs its program.
    await vi.waitFor(() => serveExporter({ targets: wellTargets(), options: { port } }), { timeout: 280_000 });
    await page.waitForSelector(live);
    expect(await page.locator('#lost').innerText()).toBe('');
    expect(await icon()).toBe(green);
  });

  test('without JavaScript is complete, and has a reload link instead of automatic updates', async () => {
    const server = await changing(illTargets());
    const { page } = await look(browser, server.url, { javaScriptEnabled: false });
    expect(await page.locator('#lead').innerText()).toContain('node is failing');
    expect(await page.locator('.error').innerText()).toBe('closed');
    expect(await page.locator('#live').innerText()).toBe('No automatic updates: reload');
    await page.locator('summary', { hasText: 'passing' }).click();
    expect(await page.locator('.others').isVisible()).toBe(true);
    server.change(wellTargets());
    await page.getByText('reload', { exact: true }).click();
    await page.getByText('node is healthy.').waitFor();
  });

  test('shows markup in names, errors, messages and ids as text, on load and in updates', async () => {
    const server = await changing(wellTargets());
    const { page, complaints } = await look(browser, server.url);
    await page.waitForSelector(live);
    server.change(hostileTargets());
    const name = page.locator('li .name').first();
    await name.waitFor();
    for (const again of [false, true]) {
      if (again) await page.reload();
      await page.waitForSelector(live);
      expect(await page.locator('li .name').first().innerText()).toContain('<img src=x');
      expect(await page.locator('li .error').first().innerText()).toContain('<script>window.pwned=1</script>');
      const foreign = 'document.querySelectorAll("img, iframe, object, embed, [onload], [onerror], svg:not([viewBox])").length';
      expect(await evaluated(page, z.number(), foreign)).toBe(0);
      expect(await evaluated(page, z.number(), 'document.scripts.length')).toBe(1);
      expect(await evaluated(page, z.string(), 'typeof window.pwned')).toBe('undefined');
    }
    expect(complaints).toEqual([]);
  });

  test.each(someLooks)('$shown on $screen fits the width, and axe-core finds no serious violation', (one) => isFit(browser, one));

  test('axe-core finds a missing lang attribute', async () => {
    const { url } = await serveExporter({ targets: wellTargets() });
    const { page } = await look(browser, url, { bypassCSP: true });
    await page.evaluate('document.documentElement.removeAttribute("lang")');
    expect((await seriousViolations(page)).join()).toContain('html-has-lang');
  });

  test('has no animations, with and without reduced motion', async () => {
    const server = await changing(wellTargets());
    for (const reducedMotion of ['reduce', 'no-preference'] as const) {
      const { page } = await look(browser, server.url, { reducedMotion });
      await page.waitForSelector(live);
      server.change(illTargets(reducedMotion));
      await page.getByText(reducedMotion, { exact: true }).waitFor();
      expect(await evaluated(page, z.number(), 'document.getAnimations().length')).toBe(0);
    }
  });
});
