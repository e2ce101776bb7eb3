// The servers that hostile requests are sent to: an exporter that serves all its paths, alone, as a shard, as the listener of the probe
// paths, without a configuration, and behind passwords, tokens and limits; and an embedded node with all its paths.

import { onTestFinished } from 'vitest';
import { fileReader } from '../../src/client/files.ts';
import { createLookups } from '../../src/client/lookup.ts';
import type { Targets } from '../../src/conditions/condition.ts';
import { createEventHistory } from '../../src/events/event-history.ts';
import { silentLog } from '../../src/log.ts';
import { createWindows } from '../../src/maintenance/windows.ts';
import { createPage } from '../../src/metrics/page.ts';
import { createProber } from '../../src/probe/prober.ts';
import type { ServerInputs } from '../../src/server/inputs.ts';
import type { FleetShards } from '../../src/server/shards.ts';
import { standbyRoutes } from '../../src/server/standby.ts';
import { loadWeb } from '../../src/server/web/web.ts';
import { createWatchdog } from '../../src/watchdog/watchdog.ts';
import { draft } from '../support/events.ts';
import { serveExporter, stateOf } from '../support/exporter-server.ts';
import { build, reload } from '../support/metrics.ts';
import { roundsToSettle, startTestNode } from '../support/node.ts';
import { probeConfig } from '../support/probing.ts';
import { hash } from '../support/web-config.ts';
import { token } from './credentials.ts';
import type { Destination } from './paths.ts';
import type { World } from './world.ts';

export interface Besieged {
  readonly ports: Readonly<Record<Destination, number>>;
  /** Advances the clock of the rate limits, which is separate so that a case is reproducible. */
  readonly pass: (seconds: number) => void;
  /** Uncaught errors, which would have ended the process. */
  readonly faults: readonly unknown[];
}

/** All inputs of the server: a new one must be given here too. */
type Known = Required<
  Omit<ServerInputs, 'shards' | 'table' | 'transitions' | 'externalAddress' | 'isSecure' | 'replies' | 'version'>
>;

/** Inputs of an exporter with these targets by name. Ends with the test. */
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

// A browser that loads many pages quickly may close the event streams of earlier ones late. The clock of page and API is fixed, so the
// burst is the total that is allowed.
const options = { events: { maxOfAddress: 64 }, burst: 10_000_000 };

/** Port of an exporter with these targets by name. Ends with the test. */
export const serveKnown = async (targets: Targets, at: number, stop: AbortSignal): Promise<number> =>
  (await serveExporter({ ...(await inputsOf(targets, at, stop)), options })).port;

/** Host and port of the other shard. */
export const otherShard = '127.0.0.1:9701';

/** The first of two shards, which watches all these targets; the other one watches one more. */
const shardsOf = (targets: Targets): FleetShards => ({
  ...{ shard: 0, total: 2, settled: 2 },
  addressOf: (shard) => (shard === 0 ? '127.0.0.1:9700' : otherShard),
  ownerOf: (name) => (targets.has(name) ? 0 : 1),
  targets: [...targets.keys(), 'elsewhere'].map((name) => ({ name, labels: {} })),
});

const webOf = async (text: string, now: () => number) => {
  const refused = (): never => {
    throw new Error('there are no certificates');
  };
  const loaded = await loadWeb({
    file: 'web.yml',
    text,
    read: fileReader(),
    now,
    refused,
    renewed: refused,
    disconnected: refused,
  });
  if (loaded.kind === 'invalid') throw new Error(JSON.stringify(loaded.errors));
  return loaded.value;
};

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
  let time = 0;
  const now = (): number => time;
  const { port: standby } = await serveExporter({ ...inputs, routes, now, options: { perSecond: 6, burst: 1 } });
  const passwords = await webOf(`basic_auth_users: { prometheus: "${hash}" }\n`, now);
  const { port: users } = await serveExporter({ ...inputs, options, web: passwords });
  const limited = await webOf('rate_limit: { interval: 20ms, burst: 3 }\n', now);
  const maintenance = { ...inputs.maintenance, token: () => ({ kind: 'ok' as const, text: token }) };
  const { port: tokened } = await serveExporter({ ...inputs, options, maintenance, web: limited });
  const faults: unknown[] = [];
  const found = (fault: unknown): void => void faults.push(fault);
  for (const event of ['uncaughtException', 'unhandledRejection']) process.on(event, found);
  onTestFinished(() => {
    for (const event of ['uncaughtException', 'unhandledRejection']) process.off(event, found);
  });
  const pass = (seconds: number): void => {
    time += seconds;
  };
  return { ports: { exporter, shard, probes, standby, users, token: tokened, node: node.port }, pass, faults };
};
