// One exporter with many stub nodes: started, idle beside a plain loop of got requests, scraped, and reloaded.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { greatest } from '../../src/lists.ts';
import { requestsAPoll } from './bare-got.ts';
import { type FleetProcess, fetchTimed, quantile, startMonitored, startRole, stopAll } from './fleet-process.ts';
import { median } from './measure.ts';
import { cpuMs, freePort, peakMiB, residentMiB } from './processes.ts';

interface FleetOptions {
  /** The targets of all shards, and the index of this one. */
  readonly configured: number;
  readonly shard: number;
  readonly shards: number;
  /** The duration of each phase. */
  readonly seconds: number;
  readonly scrapeEvery: number;
  /** The Node.js binary and flags of the exporter and the plain loop. */
  readonly node: string;
  readonly flags: readonly string[];
  readonly folder: string;
  readonly idle: FleetProcess & { readonly url: string };
}

export type FleetFigures = Awaited<ReturnType<typeof measureFleet>>;

const gzip = { 'accept-encoding': 'gzip' } as const;
const delays = 'snowgauge_health_detection_delay_seconds';

/** A few targets are polled more often, because the cost of a poll shows only in many of them. */
const periodOf = (targets: number): number => Math.min(30, Math.max(1, Math.ceil(targets / 33)));

/** Settings shared by all targets, as YAML. */
const settingsOf = (period: number): string =>
  `healthCheckFrequency: ${period}s, tagSets: [{ name: all }, { name: a, tags: [a] }, { name: b, tags: [b] }], indexes: [P/block, X/block, C/block]`;

/** Targets of many shards come from a list: parsing them as YAML would take more memory than a shard has. */
const discovering = (list: string, period: number): string =>
  `discovery: { maxTargets: 5000, file: [{ files: [${list}] }], target: { ${settingsOf(period)} } }\n`;

const listOf = (targets: number, nodes: string, site: string): string =>
  JSON.stringify(
    Array.from({ length: targets }, (_, at) => ({ targets: [`${nodes}/n${at}`], labels: { target: `n${at}`, site } })),
  );

const configuring = (targets: number, period: number, nodes: string, site: string): string =>
  [
    'targets:',
    ...Array.from(
      { length: targets },
      (_, at) => `- { name: n${at}, url: '${nodes}/n${at}', labels: { site: ${site} }, ${settingsOf(period)} }`,
    ),
    '',
  ].join('\n');

const sum = (page: string, sample: RegExp): number =>
  [...page.matchAll(sample)].reduce((total, [, value]) => total + Number(value), 0);

/** Check runs observed within a second, and all. */
const roundsIn = (page: string) => ({
  within: sum(page, new RegExp(`^${delays}_bucket\\{[^}]*le="1"[^}]*\\} (\\S+)`, 'gm')),
  all: sum(page, new RegExp(`^${delays}_count\\{[^}]*\\} (\\S+)`, 'gm')),
});

/** The number of targets on a page. */
const targetsIn = (page: string): number => [...page.matchAll(/^snowgauge_target_info\{/gm)].length;

/** Alternates requests to /livez of the exporter and of an idle server until stopped; a failed request counts as a minute. */
const probing = (own: string, idle: string) => {
  const ours: number[] = [];
  const theirs: number[] = [];
  let isOver = false;
  let isPaused = false;
  let answered: () => void = () => undefined;
  const first = new Promise<void>((resolve) => {
    answered = resolve;
  });
  const ended = (async () => {
    while (!isOver) {
      await sleep(25);
      if (isPaused) continue;
      const [probe, other] = [await fetchTimed(`${own}/livez`), await fetchTimed(idle)];
      if (probe.status === 200) answered();
      if (probe.status === 200 || ours.length > 0) ours.push(probe.status === 200 ? probe.ms : 60_000);
      theirs.push(other.ms);
    }
  })();
  const stop = async () => {
    isOver = true;
    await ended;
    return { p99: quantile(ours, 0.99), max: greatest(ours), idleP99: quantile(theirs, 0.99) };
  };
  /** Paused for the plain loop, because forty probes a second are not part of the cost of polling. */
  const pause = (is: boolean): void => {
    isPaused = is;
  };
  return { first, pause, stop };
};

/** CPU cores used from now until the returned function is called. */
const cpuFrom = (pid: number): (() => number) => {
  const [cpu, at] = [cpuMs(pid), performance.now()];
  return () => (cpuMs(pid) - cpu) / (performance.now() - at);
};

/** The maximum number of periods until polling is steady. */
const maxWarmUp = 20;

/** Polls of each target per period, by client. */
interface Pace {
  readonly snowgauge: number;
  readonly got: number;
}

/** Counted since the last call. */
const paceOf = async (stub: string, { targets, period }: { readonly targets: number; readonly period: number }) => {
  const counted = async (): Promise<Pace> => JSON.parse((await fetchTimed(`${stub}/asked`)).body.toString());
  let from = performance.now();
  await counted();
  return async (): Promise<Pace> => {
    const { snowgauge, got } = await counted();
    const polls = ((performance.now() - from) / 1000 / period) * targets * requestsAPoll;
    from = performance.now();
    return { snowgauge: snowgauge / polls, got: got / polls };
  };
};

/** The number of watched targets, once it has not changed for a second: those of a list are added in portions. */
const untilFound = async (own: string): Promise<number> => {
  for (let before = 0; ; await sleep(1000)) {
    const count = targetsIn((await fetchTimed(`${own}/metrics`)).body.toString());
    if (count > 0 && count === before) return count;
    before = count;
  }
};

/** Until each target is polled once per period, twice in a row: while its check interval is measured, polls are more frequent. */
const untilSteady = async (who: keyof Pace, stub: string, fleet: { readonly targets: number; readonly period: number }) => {
  const pace = await paceOf(stub, fleet);
  for (let [at, steady] = [0, 0]; at < maxWarmUp && steady < 2; at += 1) {
    await sleep(fleet.period * 1000);
    const polls = (await pace())[who];
    steady = Math.abs(polls - 1) < 0.1 ? steady + 1 : 0;
    if (steady === 0)
      console.error(`${fleet.targets} targets: warming up, ${who} asks ${polls.toFixed(2)} times what steady polls ask`);
  }
};

export const measureFleet = async (options: FleetOptions) => {
  const { configured, shard, shards, seconds, scrapeEvery, node, flags, folder, idle } = options;
  const period = periodOf(configured);
  const kept = join(folder, 'page.gz');
  const [stub, still] = [await startRole('stub', `${period}`), await startRole('static', kept)];
  const port = await freePort();
  const [file, list, own] = [join(folder, `${configured}.yaml`), join(folder, 'list.json'), `http://127.0.0.1:${port}`];
  const configure = (site: string): void => {
    if (shards > 1) writeFileSync(list, listOf(configured, stub.url, site));
    const targets = shards > 1 ? discovering(list, period) : configuring(configured, period, stub.url, site);
    writeFileSync(file, `listen: { host: 127.0.0.1, port: ${port} }\n${targets}`);
  };
  configure('here');
  // With a thousand targets, the log would have thousands of lines.
  const program = [join(process.cwd(), 'dist', 'snowgauge.js'), 'run', '--config', file, '--log.level', 'warn'];
  const share = shards > 1 ? ['--shard', `${shard}`, '--total-shards', `${shards}`] : [];
  const exporter = startMonitored(node, [...flags, ...program, ...share]);
  exporter.child.stdout?.resume();
  const probes = probing(own, idle.url);
  await probes.first;
  // Discards the longest turn before it listens: loading program and configuration blocks nobody.
  await exporter.longestTurn();
  const targets = await untilFound(own);
  const fleet = { targets, period };
  await untilSteady('snowgauge', stub.url, fleet);
  const start = await exporter.longestTurn();
  await fetchTimed(`${own}/metrics`, gzip);

  const bare = await startRole('got', `${stub.url} ${targets} ${period}`, node, flags);
  await untilSteady('got', stub.url, fleet);
  probes.pause(true);
  const [quietCpu, bareCpu, paceNow] = [cpuFrom(exporter.pid), cpuFrom(bare.pid), await paceOf(stub.url, fleet)];
  await sleep(seconds * 1000);
  const [cpu, got, pace] = [quietCpu(), bareCpu(), await paceNow()];
  probes.pause(false);
  await bare.stop();

  const pages: string[] = [];
  const scrapes: { readonly ours: number; readonly fixed: number; readonly bytes: number }[] = [];
  await paceNow();
  const scrapedCpu = cpuFrom(exporter.pid);
  const begun = performance.now();
  for (let nth = 0; nth * scrapeEvery <= seconds; nth += 1) {
    await sleep(Math.max(0, begun + nth * scrapeEvery * 1000 - performance.now()));
    const { status, body, ms } = await fetchTimed(`${own}/metrics`, gzip);
    if (status !== 200) throw new Error(`a scrape of ${targets} targets got ${status}`);
    writeFileSync(kept, body);
    scrapes.push({ ours: ms, fixed: (await fetchTimed(`${still.url}/metrics`)).ms, bytes: body.length });
    if (nth === 0 || (nth + 1) * scrapeEvery > seconds) pages.push(gunzipSync(body).toString());
  }
  const [cpuScraped, scrapedPace] = [scrapedCpu(), await paceNow()];
  const [resident, peak] = [residentMiB(exporter.pid), peakMiB(exporter.pid)];
  const steady = await exporter.longestTurn();
  // First without cached parts, then as a viewer gets it, a second and some polls later.
  const shown: { readonly ms: number; readonly bytes: number }[] = [];
  for (const path of ['/', '/', '/', '/api/v1/fleet']) {
    const { status, body, ms } = await fetchTimed(own + path, gzip);
    if (status !== 200) throw new Error(`${path} of ${targets} targets got ${status}`);
    shown.push({ ms, bytes: gunzipSync(body).length });
    await sleep(1500);
  }
  const look = await exporter.longestTurn();
  configure('there');
  await sleep(10_000);
  const reload = await exporter.longestTurn();
  const livez = await probes.stop();
  await stopAll(exporter, stub, still);

  const page = pages.at(-1) ?? '';
  const [before, after] = [roundsIn(pages[0] ?? ''), roundsIn(page)];
  return {
    targets,
    cpu,
    cpuScraped,
    got,
    pace,
    /** CPU for the number of polls that the plain loop made. */
    ofBare: cpu / pace.snowgauge / (got / pace.got),
    scrapedOfBare: cpuScraped / scrapedPace.snowgauge / (got / pace.got),
    perPollMs: (cpu * 1000) / (pace.snowgauge * (targets / period)),
    resident,
    peak,
    series: page.split('\n').filter((line) => line !== '' && !line.startsWith('#')).length,
    plainMB: page.length / 1e6,
    gzipMB: median(scrapes.map(({ bytes }) => bytes)) / 1e6,
    scrapeMs: median(scrapes.map(({ ours }) => ours)),
    ofStatic: median(scrapes.map(({ ours, fixed }) => fixed / ours)),
    livez,
    turns: { start, steady, look, reload },
    page: { firstMs: shown[0]?.ms ?? Number.NaN, ms: shown[2]?.ms ?? Number.NaN, kB: (shown[2]?.bytes ?? Number.NaN) / 1000 },
    within: (after.within - before.within) / (after.all - before.all),
  };
};
