// A process whose event loop stalls reports it and refuses what can wait, while the kubelet and Prometheus get answers.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startRun } from '../support/run-process.ts';
import { until } from '../support/until.ts';

/** Stalls of 0.7 s in a row, after the first 30 s in which lag is ignored. */
const stalls = `
  setTimeout(() => setInterval(() => { for (const end = Date.now() + 700; Date.now() < end; ); }, 50), 31_000).unref();
  // Where nobody is left to end it.
  setTimeout(() => process.exit(1), 600_000).unref();
`;

test('an overloaded process reports it and refuses event streams, while probes and scrapes are answered', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'snowgauge-watchdog-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [file, preload] = [join(folder, 'config.yaml'), join(folder, 'stalls.mjs')];
  writeFileSync(file, 'targets: [{ name: node, url: "http://127.0.0.1:1" }]\n');
  writeFileSync(preload, stalls);
  const run = await startRun(file, { NODE_OPTIONS: `--import=${preload}` });
  expect((await run.get('/readyz?verbose')).body).not.toContain('[!]event-loop');
  await until('overloaded', async () => (await run.values('snowgauge_overloaded', { reason: 'event_loop' }))[0] === 1);
  expect((await run.get('/api/v1/events')).status).toBe(503);
  expect((await run.get('/readyz?verbose')).body).toContain('[!]event-loop');
  expect((await run.get('/livez')).status).toBe(200);
  // A machine with longer stalls also refuses whole scrapes.
  await until('one refused', async () => (await run.values('snowgauge_requests_shed_total', { kind: 'events' }))[0] === 1);
});
