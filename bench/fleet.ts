// Many targets in one process: the cost of polling, scraping, starting and reloading, and how long the event loop is blocked.
// Stub nodes, an idle server, static bytes and a plain loop of got requests run as separate processes.
// npm run bench -- fleet [--targets 10,100,1000,3000] [--shards 1] [--seconds 60] [--flags=--max-old-space-size=169] [--node /usr/bin/node]

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { greatest, least } from '../src/lists.ts';
import { loopOfGot } from './support/bare-got.ts';
import { startRole } from './support/fleet-process.ts';
import { type FleetFigures, measureFleet } from './support/fleet-run.ts';
import type { Measure } from './support/measure.ts';
import { serveIdle, serveStatic } from './support/still-servers.ts';
import { serveFleet } from './support/stub-fleet.ts';

const { values: given } = parseArgs({
  options: {
    targets: { type: 'string', default: '10,100,1000,3000' },
    /** Processes that share the targets, measured one after the other: --targets 10000 --shards 10. */
    shards: { type: 'string', default: '1' },
    /** The duration of each phase. */
    seconds: { type: 'string', default: '60' },
    every: { type: 'string', default: '15' },
    /** For exporter and plain loop; by default the heap of the chart's mode fleet, 55 % of the target memory. */
    flags: { type: 'string' },
    node: { type: 'string', default: process.execPath },
    role: { type: 'string' },
    argument: { type: 'string', default: '' },
  },
});

/** Target memory in MiB for a thousand targets, and for each further one. */
const [aimedMiB, furtherMiB] = [384, 250 / 1024] as const;

const heapFor = (targets: number): string =>
  `--max-old-space-size=${Math.floor(0.55 * (aimedMiB + Math.max(0, targets - 1000) * furtherMiB))}`;

const rowOf = ({ targets, turns, livez, page, ...of }: FleetFigures) => ({
  targets,
  'CPU, %': (of.cpu * 100).toFixed(1),
  'scraped, %': (of.cpuScraped * 100).toFixed(1),
  'bare got, %': (of.got * 100).toFixed(1),
  'polls in a period: ours, bare': [of.pace.snowgauge, of.pace.got].map((polls) => polls.toFixed(2)).join(', '),
  'a poll, ms': of.perPollMs.toFixed(2),
  MiB: `${of.resident.toFixed(0)} (${of.peak.toFixed(0)})`,
  series: of.series,
  'plain, gzip MB': `${of.plainMB.toFixed(1)}, ${of.gzipMB.toFixed(2)}`,
  'scrape, ms': of.scrapeMs.toFixed(0),
  'page: first, next, ms, kB': [page.firstMs, page.ms, page.kB].map((figure) => figure.toFixed(0)).join(', '),
  'turns: start, steady, look, reload, ms': [turns.start, turns.steady, turns.look, turns.reload]
    .map((ms) => ms.toFixed(0))
    .join(', '),
  'livez p99, max, idle p99, ms': [livez.p99, livez.max, livez.idleP99].map((ms) => ms.toFixed(0)).join(', '),
  'within 1 s': of.within.toFixed(3),
});

const measuresOf = (all: readonly FleetFigures[]): readonly Measure[] => {
  const most = all.find(({ targets }) => targets === 1000) ?? all.at(-1);
  const [first, last] = [all.find(({ targets }) => targets >= 100), all.at(-1)];
  if (most === undefined || last === undefined) return [];
  const of = `${most.targets} targets`;
  const polls = all.map(({ perPollMs }) => perPollMs);
  const further = (last.resident - most.resident) / (last.targets - most.targets);
  const growth = first && last.scrapeMs / last.targets / (first.scrapeMs / first.targets);
  const turn = greatest(all.flatMap(({ turns }) => Object.values(turns)));
  const upTo = { atLeast: false } as const;
  return [
    { name: `CPU of ${of}, of a bare loop of the same got requests`, ratio: most.ofBare, aim: 1.5, ...upTo },
    { name: 'the same, scraped whole', ratio: most.scrapedOfBare, aim: 2, ...upTo },
    { name: 'longest turn of the event loop, by its CPU', ratio: turn, aim: 50, ...upTo, unit: 'ms' },
    { name: `/livez p99 of ${of}, more than idle`, ratio: most.livez.p99 - most.livez.idleP99, aim: 20, ...upTo, unit: 'ms' },
    { name: `scrape of ${of}, of the same bytes static`, ratio: most.ofStatic, aim: 0.5, atLeast: true },
    { name: `the page of ${of}, the first time`, ratio: most.page.firstMs, aim: 200, ...upTo, unit: 'ms' },
    { name: 'its size', ratio: most.page.kB, aim: 300, ...upTo, unit: 'kB' },
    { name: `resident with ${of}`, ratio: most.resident, aim: aimedMiB, ...upTo, unit: 'MiB' },
    { name: 'rounds known within 1 s', ratio: most.within, aim: 0.95, atLeast: true },
    ...(all.length > 1
      ? [{ name: 'dearest poll, of the cheapest', ratio: greatest(polls) / least(polls), aim: 1.15, ...upTo }]
      : []),
    ...(growth !== undefined && first !== last
      ? [{ name: `a scrape's share of ${last.targets} targets, of that of ${first?.targets}`, ratio: growth, aim: 1.2, ...upTo }]
      : []),
    ...(last !== most
      ? [{ name: 'each further target', ratio: further * 1024, aim: furtherMiB * 1024, ...upTo, unit: 'KiB' }]
      : []),
  ];
};

const main = async (): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'snowgauge-fleet-'));
  const idle = await startRole('idle', '');
  const { node, seconds, every } = given;
  const shards = Number(given.shards);
  const options = { seconds: Number(seconds), scrapeEvery: Number(every), node };
  const all: FleetFigures[] = [];
  try {
    for (const targets of given.targets.split(',').map(Number)) {
      const flags = (given.flags ?? heapFor(targets / shards)).split(' ').filter(Boolean);
      for (let shard = 0; shard < shards; shard += 1) {
        all.push(await measureFleet({ ...options, flags, configured: targets, shard, shards, folder, idle }));
        console.table(all.slice(-1).map(rowOf));
      }
    }
  } finally {
    await idle.stop();
    rmSync(folder, { recursive: true });
  }
  console.table(all.map(rowOf));
  const measures = all.flatMap((one, shard) => measuresOf([one]).map((of) => ({ ...of, name: `shard ${shard}: ${of.name}` })));
  console.log(JSON.stringify(shards > 1 ? measures : measuresOf(all)));
};

const roles: Readonly<Record<string, (argument: string) => unknown>> = {
  stub: (argument) => serveFleet(Number(argument)),
  static: serveStatic,
  idle: serveIdle,
  got: loopOfGot,
};
await (given.role === undefined ? main() : roles[given.role]?.(given.argument));
