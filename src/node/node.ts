// Assembles the embedded node: chains, checks and socket.

import { setMaxListeners } from 'node:events';
import { tmpdir } from 'node:os';
import { pause } from '../pause.ts';
import { shortened } from '../text.ts';
import { createArrivals } from '../turns.ts';
import { createCalls } from './call.ts';
import { skewed } from './clock.ts';
import type { CheckContext } from './health/context.ts';
import { createHealth } from './health/health.ts';
import { simulatePeers } from './health/peers.ts';
import { idAmong, nodeIdOf } from './identity.ts';
import { delayOf, deliver } from './inject-fault.ts';
import { listen } from './listen.ts';
import { startChains } from './network/chains.ts';
import type { NodeOptions } from './options.ts';
import { createStanding } from './platform/standing.ts';
import { createPlay, type Simulation } from './play.ts';
import { createRoute } from './routes.ts';
import { type NodeDeps, type RunningNode, runNode } from './run-node.ts';
import { plannedChains, quietScenario } from './scenario.ts';

export type { RunningNode } from './run-node.ts';

/** Like openNode, but throws if the start is refused. */
export const startNode = async (options: NodeOptions, deps: NodeDeps): Promise<RunningNode> => {
  const start = await openNode(options, deps);
  if (start.kind === 'refused') throw new Error(start.message);
  return start.node;
};

/**
 * `refused`: a message for the operator, which names flags of `snowgauge node`, or only `why`; and the exit code: that of the dialect for
 * an index rule, otherwise 2 (usage error).
 */
export const openNode = async (options: NodeOptions, deps: NodeDeps) => {
  const { dialect } = options;
  const { now, steadyNow = now, log, scenario = quietScenario } = deps;
  const seed = options.seed ?? scenario.seed ?? 1;
  const nodeId = nodeIdOf(seed);
  const planned = plannedChains(scenario);
  const play = createPlay(scenario, now);
  const { faults, uptime } = play;
  const clock = (at: number): number => skewed(faults(), at);

  // A chain without its VM is never created: it only has a check.
  const ownChains = planned.filter(({ vmMissing }) => !vmMissing);
  const chainsOptions = { ...options, seed, chains: ownChains, utcOffsetMinutes: scenario.utcOffset };
  const opened = await startChains(chainsOptions, { now, clock, log });
  if (opened.kind === 'refused') {
    const { message: why, reason } = opened;
    const refused = { kind: 'refused' as const, why };
    if (reason === 'data-dir') return { ...refused, message: why, exitCode: 2 };
    // A real node that an index rule keeps from starting logs it and exits as on success.
    if (dialect === 'avalanchego') return { ...refused, message: why, exitCode: 0 };
    const remedy = `start with --index-allow-incomplete, or choose another data dir than ${options.dataDir} with --data-dir`;
    return { ...refused, message: `${why}: ${remedy}`, exitCode: 1 };
  }
  const { chains } = opened;

  const requests = new Map<object, number>();
  const simulation: Simulation = { scenario, seed, epoch: chains.epoch, faults, uptime, networkNow: now };
  const peers = simulatePeers(simulation);
  const context: CheckContext = {
    ...simulation,
    nodeId: () => idAmong(faults(), seed),
    planned,
    dialect,
    chains,
    peers,
    standing: createStanding(simulation, peers),
    requests,
    dataDir: options.dataDir ?? tmpdir(),
    now: () => clock(now()),
    steadyNow,
  };
  const health = createHealth(context);

  const closing = new AbortController();
  // Every delayed response listens to it: Node.js would report more than ten as a leak.
  setMaxListeners(0, closing.signal);
  const arrivals = createArrivals();
  const route = createRoute({ options, context, health, callMethod: createCalls(arrivals) });
  const listening = await listen(options.httpHost, options.httpPort, {
    now: context.now,
    requests,
    arrivals,
    onFault: (error, { method, url = '' }) => {
      const stack = error instanceof Error ? error.stack : String(error);
      log.error({ method, path: shortened(url, 200), stack }, 'no response to a request: this is a bug in snowgauge');
    },
    answer: async (request, admit) => {
      const { url = '/' } = request;
      const delay = delayOf(url, faults());
      if (delay > 0) await pause(delay, closing.signal);
      return deliver(await route(request, admit), url, faults());
    },
  });
  if (listening.kind === 'refused') {
    await chains.close();
    return { ...listening, exitCode: 2 };
  }
  const { listener } = listening;
  const node = await runNode({ options, deps, nodeId, scenario, play, chains, health, listener, closing });
  return { kind: 'started' as const, node };
};
