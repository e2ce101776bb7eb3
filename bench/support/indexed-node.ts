// An embedded node in a separate process whose P/block holds many containers, and the memory of a command on it.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort, peakMiB, startNode } from './processes.ts';

/** Benches run from dist/bench. */
const bundle = fileURLToPath(new URL('../snowgauge.js', import.meta.url));

const hourMs = 3_600_000;

export const indexedNode = async (
  dataDir: string,
  containers: number,
  seed = 1,
): Promise<{ readonly url: string; readonly pid: number; readonly stop: () => Promise<void> }> => {
  const port = await freePort();
  const scenario = `${dataDir}.yaml`;
  writeFileSync(scenario, `chains: { P: { history: ${containers}, blockInterval: 24h }, X: null, C: null }\n`);
  const flags = ['--seed', `${seed}`, '--http-port', `${port}`, '--index-enabled', '--data-dir', dataDir, '--scenario', scenario];
  const node = startNode([bundle, 'node', ...flags]);
  const url = `http://127.0.0.1:${port}`;
  const startedAt = performance.now();
  while ((await lastOf(url)) < containers - 1) {
    if (performance.now() - startedAt > hourMs) throw new Error(`the node has not bootstrapped: ${node.said()}`);
    await sleep(500);
  }
  console.log(`${containers} containers there after ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
  return { url, pid: node.pid, stop: node.stop };
};

const lastOf = async (url: string): Promise<number> => {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'index.getLastAccepted', params: { encoding: 'hex' } });
  try {
    const response = await fetch(`${url}/ext/index/P/block`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
      signal: AbortSignal.timeout(60_000),
    });
    if (response.status !== 200) return -1;
    const { result } = (await response.json()) as { readonly result?: { readonly index: string } };
    return Number(result?.index ?? -1);
  } catch {
    // It does not listen yet.
    return -1;
  }
};

/** Runs snowgauge until it exits; throws on a non-zero exit code. The peak memory comes from Linux. */
export const peakOf = async (args: readonly string[]): Promise<{ readonly seconds: number; readonly mebibytes: number }> => {
  const startedAt = performance.now();
  const child = spawn(process.execPath, [bundle, ...args], { stdio: ['ignore', 'inherit', 'inherit'] });
  const ended = once(child, 'exit');
  let mebibytes = 0;
  while (child.exitCode === null && child.signalCode === null) {
    mebibytes = Math.max(mebibytes, highWater(child.pid ?? 0));
    await Promise.race([ended, sleep(100)]);
  }
  if (child.exitCode !== 0) throw new Error(`${args.join(' ')} ended with ${child.exitCode ?? child.signalCode}`);
  return { seconds: (performance.now() - startedAt) / 1000, mebibytes };
};

/** The process may exit between two samples. */
const highWater = (pid: number): number => {
  try {
    return peakMiB(pid) || 0;
  } catch {
    return 0;
  }
};
