// The embedded node: chains, checks and socket put together, and the scenario played over them.

import { setMaxListeners } from 'node:events';
import type { Log } from '../log.ts';
import { pause } from '../pause.ts';
import { createClock } from './clock.ts';
import { nodeIdOf } from './identity.ts';
import { type Listener, type Listening, listen } from './listen.ts';
import { delayOf, deliver } from './misbehave.ts';
import { type NodeChains, startNodeChains } from './node-chains.ts';
import { createNodeHealth, type NodeHealth } from './node-health.ts';
import type { NodeOptions } from './options.ts';
import { createPlay, type FaultNow, type Play } from './play.ts';
import { createRoute } from './routes.ts';
import { type ActiveFault, type PlannedChain, plannedChains, quietScenario, type Scenario, subnetIdOf } from './scenario.ts';
import { every, once } from './timers.ts';

export interface NodeDeps {
  /** Seconds since the Unix epoch. */
  readonly now: () => number;
  readonly log: Log;
  /** Aborted: the node stops as if close had been called. */
  readonly signal: AbortSignal;
  readonly scenario?: Scenario;
  /** False: rounds of checks, chains and faults go on only with tick and setFaults. For tests. */
  readonly hasTimers?: boolean;
}

export interface RunningNode {
  /** `http://127.0.0.1:9650` */
  readonly url: string;
  readonly port: number;
  readonly nodeId: string;
  /** The checks that were there at the start have run. */
  readonly firstRound: Promise<void>;
  /** Lets the chains accept and the checks run once, by hand. While a check hangs it does not end. */
  readonly tick: () => Promise<void>;
  /** These faults are active from now on, instead of the scenario's; undefined gives the scenario its say again. */
  readonly setFaults: (faults: readonly FaultNow[] | undefined) => Promise<void>;
  readonly faults: () => readonly ActiveFault[];
  /** Stops gracefully: `shuttingDown` for as long as httpShutdownWait says, then the socket, then the store. */
  readonly close: () => Promise<void>;
  readonly closed: Promise<void>;
}

export type NodeStart =
  | { readonly kind: 'started'; readonly node: RunningNode }
  /** A sentence for the operator, and the exit code that the dialect gives it. */
  | { readonly kind: 'refused'; readonly message: string; readonly exitCode: number };

/** Seconds between two looks at what the scenario wants. */
const heartbeatSeconds = 0.1;
/** Requests under way may take so long to end when the node stops. */
const shutdownGraceSeconds = 10;

/** As openNode; what refuses the start is thrown. */
export const startNode = async (options: NodeOptions, deps: NodeDeps): Promise<RunningNode> => {
  const start = await openNode(options, deps);
  if (start.kind === 'refused') throw new Error(start.message);
  return start.node;
};

/** What is known of a node before anything of it runs. */
interface Plan {
  readonly options: NodeOptions;
  readonly deps: NodeDeps;
  readonly scenario: Scenario;
  readonly seed: number;
  readonly nodeId: string;
  readonly planned: readonly PlannedChain[];
  readonly play: Play;
  /** Seconds since the start. */
  readonly uptime: () => number;
  /** What this node's clock says at a time of the right one, which is deps.now. */
  readonly clock: (at: number) => number;
}

/** What runs. */
interface Parts {
  readonly plan: Plan;
  readonly chains: NodeChains;
  readonly health: NodeHealth;
  readonly listener: Listener;
  /** Aborted once the node answers no more. */
  readonly closing: AbortController;
}

export const openNode = async (options: NodeOptions, deps: NodeDeps): Promise<NodeStart> => {
  const plan = planOf(options, deps);
  const chains = await openChains(plan);
  if (chains.kind === 'refused') return chains;
  let listener: Listener | undefined;
  const health = createNodeHealth(
    { ...plan, dialect: options.dialect, dataDir: options.dataDir, now: () => plan.clock(deps.now()) },
    chains.current,
    () => listener?.inFlight(),
  );
  const closing = new AbortController();
  // Every answer that is held back listens to it: Node.js would take more than ten for a leak.
  setMaxListeners(0, closing.signal);
  const listening = await openPort(plan, chains, health, closing.signal);
  if (listening.kind === 'refused') {
    await chains.close();
    return { ...listening, exitCode: 1 };
  }
  listener = listening.listener;
  return { kind: 'started', node: await runNode({ plan, chains, health, listener, closing }) };
};

const planOf = (options: NodeOptions, deps: NodeDeps): Plan => {
  const { scenario = quietScenario } = deps;
  const seed = options.seed ?? scenario.seed ?? 1;
  const startedAt = deps.now();
  const uptime = (): number => deps.now() - startedAt;
  const play = createPlay(scenario, uptime);
  return {
    options,
    deps,
    scenario,
    seed,
    nodeId: nodeIdOf(seed),
    planned: plannedChains(scenario),
    play,
    uptime,
    clock: createClock(play.faults),
  };
};

const openChains = ({ options, deps, scenario, seed, planned, clock }: Plan): ReturnType<typeof startNodeChains> =>
  startNodeChains(
    { options, seed, planned, hasTimers: deps.hasTimers ?? true, utcOffsetMinutes: scenario.utcOffset },
    { now: deps.now, clock, log: deps.log },
  );

const openPort = (
  { options, deps, scenario, nodeId, play, clock }: Plan,
  chains: NodeChains,
  health: NodeHealth,
  closing: AbortSignal,
): Promise<Listening> => {
  const route = createRoute(
    {
      nodeId,
      allowedHosts: options.httpAllowedHosts,
      allowedOrigins: options.httpAllowedOrigins,
      healthEnabled: options.apiHealthEnabled,
      dialect: options.dialect,
      utcOffsetMinutes: scenario.utcOffset,
    },
    { workers: health.current, index: (name) => chains.current().indexService(name) },
  );
  return listen(
    { host: options.httpHost, port: options.httpPort },
    {
      now: () => clock(deps.now()),
      answer: async (request) => {
        const delay = delayOf(request.target, play.faults());
        if (delay > 0) await pause(delay, closing);
        return deliver(await route(request), request.target, play.faults());
      },
    },
  );
};

const runNode = async (parts: Parts): Promise<RunningNode> => {
  const { plan, chains, health, listener, closing } = parts;
  const { options, deps, nodeId, play } = plan;
  const settle = settling(parts);
  health.begin();
  await settle();
  const timers =
    deps.hasTimers === false
      ? []
      : [
          every(options.healthCheckFrequency, () => health.current().round(), closing.signal),
          every(heartbeatSeconds, settle, closing.signal),
        ];
  const { run: close, done: closed } = once(() => finish(parts, timers));
  // What closing throws is a fault of ours, and ends the process as an unhandled rejection.
  deps.signal.addEventListener('abort', () => void close(), { once: true });
  if (deps.signal.aborted) void close();
  // Whoever asks for a subnet's checks needs its id, which the scenario may leave to us.
  const subnets = Object.fromEntries(plan.scenario.subnets.map(({ name }) => [name, subnetIdOf(plan.scenario, name)]));
  const named = plan.scenario.subnets.length === 0 ? {} : { subnets };
  deps.log.info({ nodeId, port: listener.port, dialect: options.dialect, ...named }, 'node listening');
  return {
    url: `http://${options.httpHost.includes(':') ? `[${options.httpHost}]` : options.httpHost}:${listener.port}`,
    port: listener.port,
    nodeId,
    get firstRound() {
      return health.firstRound();
    },
    tick: async () => {
      await settle();
      await chains.current().tick(deps.now());
      await health.current().round();
    },
    setFaults: (faults) => {
      play.override(faults);
      return settle();
    },
    faults: play.faults,
    close,
    closed,
  };
};

/** Brings chains, checks and port to what the scenario wants at each call. */
const settling = ({ plan: { play, nodeId, deps }, chains, health, listener }: Parts): (() => Promise<void>) =>
  play.settling({
    setChainFaults: chains.setFaults,
    syncChecks: () => health.current().sync(),
    shut: listener.shut,
    reopen: listener.reopen,
    restart: async () => {
      deps.log.info({ nodeId }, 'node restarting');
      await chains.restart();
      health.reset();
    },
  });

const finish = async ({ plan, chains, health, listener, closing }: Parts, timers: readonly Promise<void>[]): Promise<void> => {
  health.current().shutDown();
  await pause(plan.options.httpShutdownWait);
  closing.abort();
  await Promise.all(timers);
  await listener.close(shutdownGraceSeconds);
  await chains.close();
  plan.deps.log.info({ nodeId: plan.nodeId }, 'node stopped');
};
