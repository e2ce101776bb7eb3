// Who hostile requests are sent to: an exporter that serves all its paths of a target, alone, as a shard, as the listener of the probe
// paths and without a configuration; and an embedded node with all of its own.

import { onTestFinished } from 'vitest';
import { createLookups } from '../../src/client/lookup.ts';
import type { Targets } from '../../src/conditions/condition.ts';
import { createEventHistory } from '../../src/events/event-history.ts';
import { silentLog } from '../../src/log.ts';
import { createWindows } from '../../src/maintenance/windows.ts';
import { createPage } from '../../src/metrics/page.ts';
import { createProber } from '../../src/probe/prober.ts';
import type { ServerInputs } from '../../src/server/routes.ts';
import type { FleetShards } from '../../src/server/shards.ts';
import { standbyRoutes } from '../../src/server/standby.ts';
import { createWatchdog } from '../../src/watchdog/watchdog.ts';
import { draft } from '../support/events.ts';
import { serveExporter, stateOf } from '../support/exporter-server.ts';
import { build, reload } from '../support/metrics.ts';
import { roundsToSettle, startTestNode } from '../support/node.ts';
import { probeConfig } from '../support/probing.ts';
import type { Destination } from './paths.ts';
import type { World } from './world.ts';

export interface Besieged {
  readonly ports: Readonly<Record<Destination, number>>;
  /** What nobody caught, which would have ended the process. */
  readonly faults: readonly unknown[];
}

/** All that a path may be served for: another input has to be given too. */
type Known = Required<Omit<ServerInputs, 'shards' | 'table' | 'happenings' | 'externalAddress' | 'replies' | 'version'>>;

/** Of an exporter that knows these targets, by their names. Ends with the test. */
const inputsOf = async (targets: Targets, at: number, stop: AbortSignal): Promise<Known> => {
  const page = createPage(build);
  const state = { targets, version: 1, wallOffset: 0, reload };
  const prober = createProber(await probeConfig('{ allow: [{ cidr: 127.0.0.1, ports: [1] }] }'), {
    resolve: createLookups().resolve,
    userAgent: 'fuzz',
    now: () => at,
    wallOffset: () => 0,
    onFault: (_, { error }) => {
      throw error;
    },
    signal: stop,
  });
  const windows = createWindows({
    ...{ saved: [], configured: [], now: () => at, steadyNow: () => at, log: silentLog },
    save: async () => true,
    changed: () => undefined,
  });
  const eventHistory = createEventHistory({ run: 'fuzz' });
  eventHistory.add(Array.from(targets.keys(), (target) => draft(0, { at: at - 60, target })));
  const watchdog = createWatchdog(() => ({ lag: 0, heapLimit: 2 ** 30 }), silentLog, at);
  return {
    state: () => stateOf(targets, { startedAt: at - 3600 }),
    lastTick: () => at,
    now: () => at,
    metrics: (accept, encoding, part) => page.at(state, at, accept, encoding, part),
    probe: prober.answer,
    maintenance: { windows, token: () => undefined },
    eventHistory,
    probed: () => undefined,
    removedProbed: () => undefined,
    lists: () => null,
    stateDir: () => ({ newer: [] }),
    watched: watchdog.current,
  };
};

// A browser that looks at many pages in a moment may end the streams of those before later.
const options = { events: { maxOfAddress: 64 } };

/** The port of an exporter that knows these targets, by their names. Ends with the test. */
export const serveKnown = async (targets: Targets, at: number, stop: AbortSignal): Promise<number> =>
  (await serveExporter({ ...(await inputsOf(targets, at, stop)), options })).port;

/** Host and port of the other shard. */
export const otherShard = '127.0.0.1:9701';

/** The first of two, which watches all of them: the other has one more. */
const shardsOf = (targets: Targets): FleetShards => ({
  ...{ shard: 0, total: 2, settled: 2 },
  addressOf: (shard) => (shard === 0 ? '127.0.0.1:9700' : otherShard),
  ownerOf: (name) => (targets.has(name) ? 0 : 1),
  targets: [...targets.keys(), 'elsewhere'].map((name) => ({ name, labels: {} })),
});

export const besiege = async (world: World, stop: AbortSignal): Promise<Besieged> => {
  const node = await startTestNode({ indexEnabled: true });
  await node.ticks(roundsToSettle);
  const { target, at } = world.warm;
  const targets = new Map([[target.state.options.name, target]]);
  const inputs = await inputsOf(targets, at, stop);
  const routes = standbyRoutes({ errors: () => ['targets: missing'], metrics: inputs.metrics }, 'all');
  const { port: exporter } = await serveExporter({ ...inputs, options });
  const { port: shard } = await serveExporter({ ...inputs, options, shards: () => shardsOf(targets) });
  const { port: probes } = await serveExporter({ ...inputs, options: { paths: 'probes' } });
  const { port: standby } = await serveExporter({ ...inputs, routes });
  const faults: unknown[] = [];
  const found = (fault: unknown): void => void faults.push(fault);
  for (const event of ['uncaughtException', 'unhandledRejection']) process.on(event, found);
  onTestFinished(() => {
    for (const event of ['uncaughtException', 'unhandledRejection']) process.off(event, found);
  });
  return { ports: { exporter, shard, probes, standby, node: node.port }, faults };
};
