// The cost of the bundled sidecar: memory after some minutes, and time to its first /metrics.
// npm run bench -- footprint [--minutes 10] [--starts 10]

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type Measure, median } from './support/measure.ts';
import { ask, freePort, type Running, residentMiB, secondsToFirstAnswer, startNode } from './support/processes.ts';

/** Memory flags of Node.js (docs/footprint.md). The sidecars of a run work in parallel against one node. */
const heaps = [
  { name: 'as Node comes', flags: [] },
  { name: 'small young space', flags: ['--max-semi-space-size=1'] },
  {
    name: "the image's flags",
    flags: ['--max-semi-space-size=1', '--heap-growing-percent=10', '--single-threaded-gc', '--jitless'],
  },
] as const;

const bundle = join(process.cwd(), 'dist', 'snowgauge.js');
const folder = mkdtempSync(join(tmpdir(), 'snowgauge-footprint-'));
const { values: given } = parseArgs({
  options: { minutes: { type: 'string', default: '10' }, starts: { type: 'string', default: '10' } },
});

/** One target with three tag sets, polled every second. */
const configuration = (nodePort: number, port: number): string => {
  const file = join(folder, `${port}.yaml`);
  writeFileSync(
    file,
    `listen: { host: 127.0.0.1, port: ${port} }
targets:
  - name: node
    url: http://127.0.0.1:${nodePort}
    healthCheckFrequency: 1s
    tagSets: [{ name: all }, { name: one, tags: [one] }, { name: two, tags: [two] }]
    indexes: [P/block, X/block, C/block]
`,
  );
  return file;
};

interface Sidecar {
  readonly name: string;
  readonly url: string;
  readonly process: Running;
}

const startSidecar = async (nodePort: number, flags: readonly string[], name: string): Promise<Sidecar> => {
  const port = await freePort();
  const process = startNode([...flags, bundle, 'run', '--config', configuration(nodePort, port)]);
  return { name, url: `http://127.0.0.1:${port}/metrics`, process };
};

/** Scrapes every second and prints the memory each minute. Returns the last MiB of each. */
const soak = async (nodePort: number, minutes: number): Promise<readonly Measure[]> => {
  const sidecars = await Promise.all(heaps.map(({ name, flags }) => startSidecar(nodePort, flags, name)));
  await Promise.all(sidecars.map(({ url, process }) => secondsToFirstAnswer(url, process)));
  const start = performance.now();
  for (let second = 1; second <= minutes * 60; second += 1) {
    await sleep(Math.max(0, start + second * 1000 - performance.now()));
    const statuses = await Promise.all(sidecars.map(({ url }) => ask(url)));
    if (statuses.some((status) => status !== 200)) throw new Error(`a scrape got ${statuses.join(', ')}`);
    if (second % 60 === 0) say(`${second / 60} min: ${sidecars.map(held).join(' · ')}`);
  }
  say(`Node ${globalThis.process.versions.node}`);
  const measures = sidecars.map(({ name, process: { pid } }) => ({
    name: `resident after ${minutes} min, ${name}`,
    ratio: residentMiB(pid),
    aim: 80,
    atLeast: false,
    unit: 'MiB',
  }));
  await Promise.all(sidecars.map(({ process }) => process.stop()));
  return measures;
};

const held = ({ name, process: { pid } }: Sidecar): string => `${name} ${residentMiB(pid).toFixed(1)} MiB`;

/** Alternates plain server and sidecar, so that background load affects both. */
const startUp = async (nodePort: number, starts: number): Promise<readonly Measure[]> => {
  const bareFile = join(folder, 'bare.cjs');
  // With require, because from Node 22 on an import of node:http loads more than a server needs.
  writeFileSync(
    bareFile,
    "require('node:http').createServer((_, r) => r.end('x')).listen(Number(process.argv[2]), '127.0.0.1');",
  );
  const bare: number[] = [];
  const ours: number[] = [];
  for (let start = 0; start < starts; start += 1) {
    const port = await freePort();
    const server = startNode([bareFile, String(port)]);
    bare.push(await secondsToFirstAnswer(`http://127.0.0.1:${port}/metrics`, server));
    await server.stop();
    const { url, process } = await startSidecar(nodePort, [], 'start');
    ours.push(await secondsToFirstAnswer(url, process));
    await process.stop();
  }
  say(`first answer: node:http ${(median(bare) * 1000).toFixed(0)} ms, sidecar ${(median(ours) * 1000).toFixed(0)} ms`);
  return [{ name: 'first /metrics against node:http', ratio: median(ours) / median(bare), aim: 3, atLeast: false, unit: 'x' }];
};

const say = (line: string): void => console.log(line);

const nodePort = await freePort();
const nodeArgs = ['--http-port', String(nodePort), '--health-check-frequency', '1s'];
const node = startNode([bundle, 'node', ...nodeArgs]);
try {
  await secondsToFirstAnswer(`http://127.0.0.1:${nodePort}/ext/health/liveness`, node);
  const measures = [...(await startUp(nodePort, Number(given.starts))), ...(await soak(nodePort, Number(given.minutes)))];
  console.log(JSON.stringify(measures satisfies readonly Measure[]));
} finally {
  await node.stop();
  rmSync(folder, { recursive: true });
}
