// Scrapes per second and CPU per scrape of the metrics page, compared with static bytes of the same size from the same server, in
// interleaved rounds. The load comes from a separate process over one connection.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { text } from 'node:stream/consumers';
import type { Targets } from '../src/conditions/condition.ts';
import { judge } from '../src/conditions/judge.ts';
import { targetFrom } from '../src/config/target.ts';
import { createEventHistory } from '../src/events/event-history.ts';
import { addAll } from '../src/lists.ts';
import { silentLog } from '../src/log.ts';
import { createPage, type PageState, type RenderedPage } from '../src/metrics/page.ts';
import { startServer } from '../src/server/listen.ts';
import type { MetricsReply } from '../src/server/reply.ts';
import { newTarget, type TargetState } from '../src/sources/target-state.ts';
import { type Measure, median } from './support/measure.ts';

// Many short rounds, so that background load affects both.
const rounds = 9;
const secondsEach = 1;
const aim = 0.9;

const now = (): number => Date.now() / 1000;
const loader = createRequire(import.meta.url).resolve('autocannon');

/** The maximum number of exported checks per report. */
const perReport = 200;

/** Targets with this many checks in total; each has four series and one as a member of its tag set. */
const targetsOf = (checks: number): Targets => {
  const at = now();
  const states = Array.from({ length: Math.max(1, Math.ceil(checks / perReport)) }, (_, nth): TargetState => {
    const target = newTarget(targetFrom({ name: `node-${nth}`, healthCheckFrequency: '1h' }).options);
    const count = Math.min(perReport, checks - nth * perReport);
    const names = Array.from({ length: count }, (_, check) => `2pTYkiUwYtMgXZQSZYbQGhcCGjUQCXfFLGrTvcTqAVFy${check}`);
    const results = new Map(
      names.map((check) => [check, { timestamp: at - check.length, duration: 1e-5, contiguousFailures: 0 }]),
    );
    const reports = new Map([['all', { state: 'fresh', value: { checks: results, healthy: true }, at } as const]]);
    return { ...target, sources: { ...target.sources, health: { ...target.sources.health, reports } } };
  });
  return new Map(states.map((state) => [state.options.name, { state, conditions: judge(undefined, state, at) }]));
};

const serve = async (metrics: MetricsReply): Promise<{ readonly url: string; readonly close: () => Promise<void> }> => {
  const started = await startServer(
    { host: '127.0.0.1', port: 0, drainMs: 0 },
    {
      state: () => ({ targets: new Map(), version: 0, startedAt: now(), stopping: false, wallOffset: 0 }),
      lastTick: now,
      metrics,
      eventHistory: createEventHistory({ run: 'bench' }),
      now,
      version: 'bench',
      log: silentLog,
      signal: new AbortController().signal,
    },
  );
  if (started.kind !== 'ok') throw new Error('the server did not start');
  return started.value;
};

/** Buffered or streamed. */
const bytesOf = (body: RenderedPage['body']): Buffer =>
  'chunks' in body ? Buffer.concat(Array.from(body.chunks(), (chunk) => Buffer.from(chunk))) : Buffer.from(body);

interface Run {
  readonly perSecond: number;
  /** CPU of this process in microseconds. */
  readonly cpu: number;
}

const load = async (url: string, encoding: string): Promise<Run> => {
  const before = process.cpuUsage();
  const args = ['--connections', '1', '--duration', `${secondsEach}`, '--json', '--headers', `Accept-Encoding=${encoding}`];
  const child = spawn(process.execPath, [loader, ...args, `${url}/metrics`], { stdio: ['ignore', 'pipe', 'ignore'] });
  const [output] = await Promise.all([text(child.stdout), once(child, 'close')]);
  const { user, system } = process.cpuUsage(before);
  const { requests } = JSON.parse(output);
  return { perSecond: requests.average, cpu: (user + system) / requests.total };
};

const page = createPage({ version: 'bench' }).at;

const measure = async (checks: number, encoding: 'identity' | 'gzip'): Promise<readonly Measure[]> => {
  const reload = { successful: true, succeededAt: now() };
  const state: PageState = { targets: targetsOf(checks), version: 1, reload, wallOffset: 0 };
  const first = await page(state, now(), undefined, encoding);
  const plain = bytesOf((await page(state, now(), undefined, 'identity')).body).toString();
  const series = plain.split('\n').filter((line) => line !== '' && !line.startsWith('#')).length;

  const live = await serve((accept, acceptEncoding) => page(state, now(), accept, acceptEncoding));
  const fixed = await serve(() => first);
  const runs: { readonly live: Run; readonly fixed: Run }[] = [];
  for (let round = 0; round < rounds; round += 1)
    runs.push({ live: await load(live.url, encoding), fixed: await load(fixed.url, encoding) });
  await Promise.all([live.close(), fixed.close()]);

  const of = (read: (run: (typeof runs)[number]) => number): number => median(runs.map(read));
  const name = `scrape, ${series} series, ${encoding === 'gzip' ? 'gzip' : 'plain'}`;
  console.log(
    `${name}: ${of((run) => run.live.perSecond).toFixed(0)} scrapes/s at ${of((run) => run.live.cpu).toFixed(0)} µs of CPU; ` +
      `static bytes ${of((run) => run.fixed.perSecond).toFixed(0)}/s at ${of((run) => run.fixed.cpu).toFixed(0)} µs`,
  );
  return [
    { name, ratio: of((run) => run.live.perSecond / run.fixed.perSecond), aim, atLeast: true },
    { name: `${name}, by CPU`, ratio: of((run) => run.fixed.cpu / run.live.cpu), aim, atLeast: true },
  ];
};

const measures: Measure[] = [];
for (const checks of [0, 200, 2450])
  for (const encoding of ['identity', 'gzip'] as const) addAll(measures, await measure(checks, encoding));
console.log(JSON.stringify(measures));
