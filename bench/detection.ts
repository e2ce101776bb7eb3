// The delay until the exporter knows a check result: an embedded node that checks every 5 s, both as processes with real sockets
// and the real clock. npm run bench -- detection [--rounds 50]

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Measure } from './support/measure.ts';
import { freePort, secondsToFirstAnswer, startNode } from './support/processes.ts';

const bundle = join(process.cwd(), 'dist', 'snowgauge.js');
const { values: given } = parseArgs({ options: { rounds: { type: 'string', default: '50' } } });
const rounds = Number(given.rounds);
const every = 5;

/** The number of observed check runs, and of those observed within 1 s after their end, from /metrics. */
const known = async (url: string): Promise<{ readonly all: number; readonly within: number }> => {
  const page = await (await fetch(url, { signal: AbortSignal.timeout(10_000) })).text();
  const numberAt = (sample: string): number =>
    Number(
      page
        .split('\n')
        .find((line) => line.startsWith(sample))
        ?.split(' ')[1] ?? 0,
    );
  const name = 'snowgauge_health_detection_delay_seconds';
  return { all: numberAt(`${name}_count`), within: numberAt(`${name}_bucket{target="node",le="1"}`) };
};

const folder = mkdtempSync(join(tmpdir(), 'snowgauge-detection-'));
const [nodePort, port] = [await freePort(), await freePort()];
const node = startNode([bundle, 'node', '--http-port', `${nodePort}`, '--health-check-frequency', `${every}s`]);
const file = join(folder, 'snowgauge.yaml');
writeFileSync(
  file,
  `listen: { host: 127.0.0.1, port: ${port} }
targets: [{ name: node, url: 'http://127.0.0.1:${nodePort}', healthCheckFrequency: ${every}s }]
`,
);
const exporter = startNode([bundle, 'run', '--config', file]);
const url = `http://127.0.0.1:${port}/metrics`;
try {
  await secondsToFirstAnswer(url, exporter);
  const end = performance.now() + (rounds + 10) * every * 2000;
  let seen = await known(url);
  while (seen.all < rounds) {
    if (performance.now() > end) throw new Error(`${seen.all} of ${rounds} rounds were seen: ${exporter.said()}`);
    await sleep(every * 1000);
    seen = await known(url);
    if (seen.all % 10 === 0) console.log(`${seen.within} of ${seen.all} rounds known within 1 s`);
  }
  console.log(
    JSON.stringify([
      { name: `rounds of a node known within 1 s, of ${seen.all}`, ratio: seen.within / seen.all, aim: 0.95, atLeast: true },
    ] satisfies readonly Measure[]),
  );
} finally {
  await Promise.all([exporter.stop(), node.stop()]);
  rmSync(folder, { recursive: true });
}
