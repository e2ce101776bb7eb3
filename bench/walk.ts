// Walking and exporting an index compared with a plain got loop that fetches and parses the same ranges, in interleaved rounds;
// and the memory of the commands while a million containers of an embedded node are exported and verified. `-- --containers N`
// changes the million, 0 skips it.

import { createReadStream, mkdtempSync, rmSync } from 'node:fs';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { got } from 'got';
import { createClient } from '../src/client/client.ts';
import { askingOf } from '../src/walk/asking.ts';
import { exportIndex } from '../src/walk/export.ts';
import { walk } from '../src/walk/walk.ts';
import { indexedNode, peakOf } from './support/indexed-node.ts';
import { type Measure, median, serveApart } from './support/measure.ts';

const rounds = 9;
const rangeCount = 24;
const span = 1024;

/** Prepared responses with blocks of 300 to 1500 bytes; the ids are not hashes, because neither loop checks them. */
const server = `
  import { createServer } from 'node:http';
  const letters = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
  const idOf = (number) => Array.from({ length: 49 }, (_, at) => letters[(number * 31 + at * at * 7) % 58]).join('');
  const container = (number) => ({
    id: idOf(number),
    bytes: '0x' + (number * 2654435761 % 4294967296).toString(16).padStart(8, '0').repeat(75 + number * 7919 % 300),
    timestamp: '2026-01-02T03:04:05.678901234Z',
    encoding: 'hex',
    index: String(number),
  });
  const answer = (result) => Buffer.from(JSON.stringify({ jsonrpc: '2.0', result, id: 1 }) + '\\n');
  const ranges = Array.from({ length: ${rangeCount} }, (_, range) =>
    answer({ containers: Array.from({ length: ${span} }, (_, at) => container(range * ${span} + at)) }));
  const last = answer(container(${rangeCount * span - 1}));
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk) => (text += chunk)).on('end', () => {
      const { method, params } = JSON.parse(text);
      const body = method === 'index.getLastAccepted' ? last : ranges[Number(params.startIndex) / ${span}];
      response.writeHead(200, { 'content-type': 'application/json; charset=utf-8', 'content-length': body.length });
      response.end(body);
    });
  });
  server.keepAliveTimeout = 600_000;
  server.listen(0, '127.0.0.1', () => console.log(server.address().port));
`;

const folder = mkdtempSync(join(tmpdir(), 'snowgauge-bench-walk-'));
const { url, stop } = await serveApart(server);
const client = createClient(
  { baseUrl: url, timeoutMs: 60_000, maxBodyBytes: 2 ** 26, userAgent: 'bench', maxConnections: 3 },
  () => Date.now() / 1000,
);
const { signal } = new AbortController();
const asking = askingOf({ client, index: 'P/block', signal, tries: 3, backoff: () => 1 });
const agent = { http: new Agent({ keepAlive: true }) };
const bare = got.extend({ agent, responseType: 'buffer', method: 'POST', timeout: { request: 60_000 } });

const bareLoop = async (): Promise<number> => {
  let count = 0;
  for (let range = 0; range < rangeCount; range += 1) {
    const params = { startIndex: `${range * span}`, numToFetch: `${span}`, encoding: 'hex' };
    const { body } = await bare(`${url}/ext/index/P/block`, {
      json: { jsonrpc: '2.0', id: 1, method: 'index.getContainerRange', params },
    });
    count += JSON.parse(body.toString()).result.containers.length;
  }
  return count;
};

const walking = async (): Promise<number> => {
  let count = 0;
  for await (const step of walk({ asking, first: 0n, concurrency: 3, strict: true })) {
    if (step.kind === 'failed') throw new Error(JSON.stringify(step.failure));
    if (step.kind === 'containers') count += step.containers.length;
  }
  return count;
};

/** The file of the next export; existing files are removed outside of the measurement. */
const file = join(folder, 'out.ndjson');

const exporting = async (): Promise<number> => {
  const exported = await exportIndex({ asking, first: 0n, concurrency: 3, file, gzip: false });
  return exported.kind === 'done' ? Number(exported.next) : 0;
};

const secondsOf = async (work: () => Promise<number>): Promise<number> => {
  rmSync(file, { force: true });
  globalThis.gc?.();
  const startedAt = performance.now();
  if ((await work()) !== rangeCount * span) throw new Error('not all containers came');
  return (performance.now() - startedAt) / 1000;
};

for (const work of [bareLoop, walking, exporting]) await secondsOf(work);
const timed: { readonly bare: number; readonly walk: number; readonly export: number }[] = [];
for (let round = 0; round < rounds; round += 1)
  timed.push({ bare: await secondsOf(bareLoop), walk: await secondsOf(walking), export: await secondsOf(exporting) });
client.close();
agent.http.destroy();
stop();

const rate = (of: 'bare' | 'walk' | 'export'): string =>
  ((rangeCount * span) / median(timed.map((round) => round[of]))).toFixed(0);
console.table([
  { reads: 'bare got loop and JSON.parse', 'containers/s': rate('bare') },
  { reads: 'walk', 'containers/s': rate('walk') },
  { reads: 'export', 'containers/s': rate('export') },
]);
const speed = (of: 'walk' | 'export'): number => median(timed.map((round) => round.bare / round[of]));

/** The number of lines of a file, streamed. */
const linesIn = async (file: string): Promise<number> => {
  let lines = 0;
  for await (const chunk of createReadStream(file)) for (const byte of chunk as Buffer) if (byte === 10) lines += 1;
  return lines;
};

const resident = async (containers: number): Promise<readonly Measure[]> => {
  const node = await indexedNode(join(folder, 'node'), containers);
  try {
    const file = join(folder, 'all.ndjson');
    const exported = await peakOf(['index', 'export', node.url, 'P/block', file, '--to', `${containers - 1}`]);
    const lines = await linesIn(file);
    if (lines !== containers) throw new Error(`${lines} lines of ${containers} containers`);
    const verified = await peakOf(['index', 'verify', node.url, 'P/block', '--to', `${containers - 1}`]);
    const peaks = Object.entries({ exported, verified });
    console.table(
      peaks.map(([are, { seconds, mebibytes }]) => ({
        containers,
        are,
        seconds: seconds.toFixed(1),
        'resident at most, MiB': mebibytes.toFixed(0),
      })),
    );
    return peaks.map(([are, { mebibytes }]) => ({
      name: `resident while ${containers} containers are ${are}`,
      ratio: mebibytes,
      aim: 256,
      atLeast: false,
      unit: 'MiB',
    }));
  } finally {
    await node.stop();
  }
};

const flag = process.argv.indexOf('--containers');
const containers = flag < 0 ? 1_000_000 : Number(process.argv[flag + 1]);
try {
  const memory = containers > 0 ? await resident(containers) : [];
  console.log(
    JSON.stringify([
      { name: 'walk, of the speed of a bare got loop', ratio: speed('walk'), aim: 0.9, atLeast: true },
      { name: 'export, of the speed of a bare got loop', ratio: speed('export'), aim: 0.5, atLeast: true },
      ...memory,
    ] satisfies readonly Measure[]),
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}
