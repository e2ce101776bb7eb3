// npm run screenshots: takes the pictures of docs/images from the running demo, at the moment when a subnet's chain has failed.
// Takes four minutes and needs Chromium: CHROMIUM, or /usr/bin/chromium.

import { spawn } from 'node:child_process';
import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { chromium } from 'playwright-core';
import { ensureBuilt, ensureInstalled, root } from './lib.mjs';

const pictures = [
  { name: 'page-desktop', width: 1200, height: 840, scheme: 'light' },
  { name: 'page-dark', width: 1200, height: 840, scheme: 'dark' },
  { name: 'page-phone', width: 390, height: 844, scheme: 'light' },
];

/** The maximum time in minutes until the chain of beta fails. */
const patienceMinutes = 6;

await ensureInstalled();
await ensureBuilt();
const demo = spawn(process.execPath, [join(root, 'dist/snowgauge.js'), 'demo', '--listen', '0', '--node-port', '0'], {
  stdio: ['ignore', 'pipe', 'ignore'],
});
const ended = new Promise((resolve) => demo.once('exit', resolve));

try {
  const url = await addressOf(demo);
  console.error(`the demo runs at ${url}: waiting for the chain of beta to die`);
  await chainIsDead(url);
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic'],
  });
  await mkdir(join(root, 'docs/images'), { recursive: true });
  for (const { name, width, height, scheme } of pictures) {
    const page = await browser.newPage({
      viewport: { width, height },
      colorScheme: scheme === 'dark' ? 'dark' : 'light',
    });
    await page.goto(url);
    await page.waitForSelector('html[data-live=yes]');
    const path = join(root, 'docs/images', `${name}.png`);
    await page.screenshot({ path });
    console.error(`wrote ${path}, ${Math.round((await stat(path)).size / 1024)} KB`);
  }
  await browser.close();
} finally {
  demo.kill();
  await ended;
}

/**
 * @param {import('node:child_process').ChildProcess} child
 * @returns {Promise<string>} the URL of its page
 */
async function addressOf({ stdout }) {
  let text = '';
  for await (const chunk of stdout ?? []) {
    text += chunk;
    const found = /status page +(\S+)/.exec(text)?.[1];
    if (found !== undefined) return found;
  }
  throw new Error(`the demo ended before it served: ${text}`);
}

/** @param {string} url */
async function chainIsDead(url) {
  const until = Date.now() + patienceMinutes * 60_000;
  while (Date.now() < until) {
    const { targets } = /** @type {any} */ (await (await fetch(new URL('api/v1/status', url))).json());
    /** @type {{ name: string, conditions: { failureReasons?: string[], lastTransitionTime: string }[] }[]} */
    const tagSets = targets[0].tagSets;
    const [ready] = tagSets.find(({ name }) => name === 'beta')?.conditions ?? [];
    if (ready?.failureReasons?.includes('vm-dead') && Date.now() - Date.parse(ready.lastTransitionTime) > 12_000) return;
    await wait(1000);
  }
  throw new Error(`the chain of beta did not die within ${patienceMinutes} minutes`);
}
