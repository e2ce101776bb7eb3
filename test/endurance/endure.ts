// Runs an exporter for a long virtual time: scrapes, reloads and restarts it, and measures its memory, timers and handles.

import { defaultConnections } from '../../src/client/connections.ts';
import { yieldToEventLoop } from '../../src/pause.ts';
import { firstSettings, type Settings, settingsAfter } from './fleet-settings.ts';
import type { Expected } from './holes.ts';
import { type ModelNode, modelNode } from './model-node.ts';
import { type PageWatch, pageWatch } from './page-watch.ts';
import { writePast } from './past.ts';
import { installVirtualTime, type VirtualTime } from './virtual-time.ts';
import { vitalsOf } from './vitals.ts';

export interface Length {
  readonly stateDir: string;
  readonly days: number;
  readonly targets: number;
  /** Seconds. */
  readonly interval: number;
  readonly scrapeEvery: number;
}

export interface Running {
  /** Names of the targets by the effect of the reload. */
  readonly replace: (next: readonly Settings[]) => Promise<Record<'added' | 'reset' | 'kept', readonly string[]>>;
  readonly scrape: () => Promise<string>;
  /** Resolves with the newest event when all events are on disk. */
  readonly written: () => Promise<string | undefined>;
  readonly stop: () => Promise<void>;
}

/** An exporter and its nodes. */
export interface World {
  readonly urls: readonly string[];
  readonly start: (settings: readonly Settings[]) => Promise<Running>;
  /** Resolves when all work is done that does not wait for a timer. */
  readonly settled: () => Promise<void>;
  readonly polls: () => number;
  /** Listening sockets of its nodes; a node that is down has none. */
  readonly listening: () => number;
  /** Open connections to its nodes. */
  readonly connections: () => number;
}

export interface Surroundings {
  readonly nodes: readonly ModelNode[];
  readonly time: VirtualTime;
  readonly stateDir: string;
  readonly fault: (text: string) => void;
}

/** Fractions of the total time: between two reloads, between two measurements with a line of progress, and at the restarts. */
const [reloadEvery, sampleEvery] = [1 / 56, 1 / 40];
const restarts = [0.05, 0.1, 0.15, 0.2];

const startsAt = Date.UTC(2026, 0, 1) / 1000;

export const endure = async (
  { stateDir, days, targets, interval, scrapeEvery }: Length,
  stride: number | undefined,
  worldOf: (surroundings: Surroundings) => Promise<World>,
): Promise<void> => {
  const length = days * 24 * 3600;
  const pace = { interval, renamedEvery: length / 6, subnetEvery: length / 8 };
  const nodes = Array.from({ length: targets }, (_, nth) => modelNode(nth, pace));
  await writePast(
    stateDir,
    Array.from(nodes, (_, nth) => `node-${nth}`),
    startsAt,
  );
  const time = installVirtualTime({ start: startsAt, stride });
  const watch = pageWatch(console.error);
  const fault = (text: string): void => watch.fault(time.now(), text);
  const world = await worldOf({ nodes, time, stateDir, fault });
  const vitals = vitalsOf({ stateDir, timers: time.timers, fault });

  let settings: readonly Settings[] = nodes.map((_, nth) => firstSettings(nth, world.urls[nth] ?? '', interval));
  const since = new Map<string, number>();
  const configured = (): readonly Settings[] => settings.filter(({ isConfigured }) => isConfigured);
  const expected = (): readonly Expected[] =>
    configured().flatMap(({ nth, name, staleAfter }) => {
      const node = nodes[nth];
      return node === undefined ? [] : [{ name, node, interval, staleAfter, since: since.get(name) ?? time.now() }];
    });
  const begin = (names: readonly string[]): void => {
    for (const name of names) since.set(name, time.now());
  };
  const scrape = async () => watch.scraped(await running.scrape(), time.now(), expected());

  let running = await world.start(configured());
  begin(configured().map(({ name }) => name));
  let reloads = 0;
  const reload = async (): Promise<void> => {
    const before = await scrape();
    settings = settingsAfter(settings, reloads);
    reloads += 1;
    const { added, reset, kept } = await running.replace(configured());
    const names = new Set(configured().map(({ name }) => name));
    for (const name of [...added, ...reset, ...[...since.keys()].filter((one) => !names.has(one))]) watch.forget(name);
    begin([...added, ...reset]);
    watch.kept(before, await scrape(), kept, time.now());
  };
  const stop = async (): Promise<string | undefined> => {
    const newest = await running.written();
    let isOver = false;
    const stopped = running.stop().finally(() => {
      isOver = true;
    });
    // Files and sockets close in real time; only timers need virtual time.
    while (!isOver) await (time.isAwaited() ? time.advance(world.settled) : yieldToEventLoop());
    await stopped;
    return newest;
  };
  const restart = async (): Promise<void> => {
    await stop();
    watch.forgetAll();
    running = await world.start(configured());
    begin(configured().map(({ name }) => name));
  };
  const sample = async (): Promise<void> => {
    await running.written();
    // A renamed target is still polled under its old name for some minutes.
    if (world.connections() > defaultConnections * (targets + 1)) fault(`${world.connections()} connections to ${targets} nodes`);
    await vitals.sample((time.now() - startsAt) / length, world.listening());
    progress((time.now() - startsAt) / length, days, world.polls());
  };

  const plan = [
    every(scrapeEvery / length, () => scrape()),
    every(reloadEvery, reload),
    every(sampleEvery, sample),
    ...restarts.map((part) => once(part, restart)),
  ];
  for (let part = 0; part < 1; part = (time.now() - startsAt) / length) {
    await time.advance(world.settled);
    for (const due of plan) await due(part);
  }
  await vitals.readBack(await stop());
  report(vitals.table(), { days, targets, polls: world.polls(), scrapes: watch.scrapes(), reloads }, watch);
};

type Due = (part: number) => Promise<unknown>;

const every = (share: number, work: () => Promise<unknown>): Due => {
  let next = share;
  return async (part) => {
    if (part < next) return;
    next = Math.max(next + share, part);
    await work();
  };
};

const once = (at: number, work: () => Promise<unknown>): Due => {
  let isDone = false;
  return async (part) => {
    if (isDone || part < at) return;
    isDone = true;
    await work();
  };
};

const cpuSeconds = (): number => {
  const { user, system } = process.cpuUsage();
  return Math.round((user + system) / 1e6);
};

const progress = (part: number, days: number, polls: number): void =>
  console.error(`${Math.round(part * 100)} % of ${days} days: ${polls} polls, ${cpuSeconds()} s of CPU`);

/** Prints the result as the last line. */
const report = (quarters: readonly object[], counts: object, { faults }: PageWatch): void => {
  const seconds = Math.round(process.uptime());
  console.log(JSON.stringify({ quarters, counts: { ...counts, cpuSeconds: cpuSeconds(), seconds }, faults }));
};
