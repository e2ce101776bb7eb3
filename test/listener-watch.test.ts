// A node that keeps no connection open, replaced by another process right after a poll: no connection ends, and
// the next poll is minutes away.

import { expect, onTestFinished, test } from 'vitest';
import { createClient } from '../src/client/client.ts';
import { targetFrom } from '../src/config/target.ts';
import { startExporter } from '../src/exporter.ts';
import { silentLog } from '../src/log.ts';
import { listeners } from '../src/memory/listener.ts';
import { startPlainNode } from './support/plain-node.ts';

/** Far below the check interval, and far above the time that detection takes. */
const soon = { timeout: 280_000, interval: 50 };

test.each([
  { what: 'is gone', next: undefined, reason: 'ConnectionRefused' },
  { what: 'is replaced by one that does not respond', next: 'silent', reason: 'NoResponse' },
] as const)('a node that closes every connection and $what is Unknown at once', async ({ next, reason }) => {
  const node = await startPlainNode('', undefined, 'closing');
  const url = `http://127.0.0.1:${node.port}`;
  const { options } = targetFrom({ url, healthCheckFrequency: '10m', indexes: [] });
  const stop = new AbortController();
  const now = (): number => performance.now() / 1000 + 1_800_000_000;
  const limits = { timeoutMs: 10_000, maxBodyBytes: 65_536, userAgent: 'snowgauge/test' };
  const client = createClient({ baseUrl: url, ...limits }, now);
  const exporter = startExporter([{ options, client }], { now, log: silentLog, signal: stop.signal, listener: listeners() });
  onTestFinished(async () => {
    stop.abort();
    await exporter.finished;
  });
  const ready = (): unknown => exporter.targets.get(options.name)?.conditions.ready.get('all');
  await expect.poll(ready, soon).toMatchObject({ status: 'True' });
  expect(client.keepsIdle()).toBe(false);

  await node.kill();
  if (next !== undefined) await startPlainNode('', node.port, next);
  await expect.poll(ready, soon).toMatchObject({ status: 'Unknown', reason });
});
