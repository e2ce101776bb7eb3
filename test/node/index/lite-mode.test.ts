// V8's lite mode, in which the image runs, has no WebAssembly, and a process may have no room for it: answers are the same, only
// slower.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { clientOf, lastShown, startNodeProcess } from '../../support/node-process.ts';

const { signal } = new AbortController();
const patience = { timeout: 60_000, interval: 50 };

const body = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'index.getContainerRange',
  params: { startIndex: 3, numToFetch: 190, encoding: 'hex' },
});

test('a range is the same with vectors and without', { timeout: 120_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'snowgauge-lite-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const scenario = join(folder, 'scenario.yaml');
  writeFileSync(scenario, 'chains: { P: { history: 200, blockInterval: 24h }, X: null, C: null }\n');

  const rangeWith = async (flags: readonly string[]): Promise<string> => {
    const node = startNodeProcess(join(folder, 'data'), ['--scenario', scenario], flags);
    const port = await node.port;
    const client = clientOf(port);
    await expect.poll(() => lastShown(client, 'P/block', signal), patience).toBe(199);
    client.close();
    const headers = { 'Content-Type': 'application/json' };
    const response = await fetch(`http://127.0.0.1:${port}/ext/index/P/block`, { method: 'POST', headers, body, signal });
    const text = await response.text();
    await node.end('SIGTERM');
    return text;
  };

  const withVectors = await rangeWith([]);
  expect(JSON.parse(withVectors).result).toHaveLength(190);
  expect(await rangeWith(['--lite-mode'])).toBe(withVectors);
  // A processor without vectors, as V8 takes one without SSE 4.1 for.
  expect(await rangeWith(['--no-enable-sse4-1'])).toBe(withVectors);
  // V8 says then what it also says where `ulimit -v` leaves it no room.
  expect(await rangeWith(['--wasm-max-mem-pages=0'])).toBe(withVectors);
});
