// Runs an assembled node: its timers, the scenario's faults, and its shutdown.

import type { Log } from '../log.ts';
import { oneAtATime, pause } from '../pause.ts';
import type { Health } from './health/health.ts';
import type { Listener } from './listen.ts';
import type { Chains } from './network/chains.ts';
import type { NodeOptions } from './options.ts';
import { chainFaults, type FaultNow, type Play } from './play.ts';
import { hasFault, type Scenario, subnetIdOf } from './scenario.ts';
import { every } from './timers.ts';

export interface NodeDeps {
  /** Seconds since the Unix epoch. */
  readonly now: () => number;
  /** Seconds by a clock that is never set, and finer than a millisecond: measures how long checks take. By default `now`. */
  readonly steadyNow?: () => number;
  readonly log: Log;
  /** When aborted, the node stops as if close had been called. */
  readonly signal: AbortSignal;
  readonly scenario?: Scenario;
  /** If false, checks, chains and faults advance only with tick and setFaults. For tests. */
  readonly hasTimers?: boolean;
}

export type RunningNode = Awaited<ReturnType<typeof runNode>>;

interface NodeParts {
  readonly options: NodeOptions;
  readonly deps: NodeDeps;
  readonly nodeId: string;
  readonly scenario: Scenario;
  readonly play: Play;
  readonly chains: Chains;
  readonly health: Health;
  readonly listener: Listener;
  /** Aborted after the shutdown wait. */
  readonly closing: AbortController;
}

/** Between two updates of the active faults, and between two rounds of bootstrapped chains. */
const intervalSeconds = 0.1;
/** Between two rounds while a chain is bootstrapping, which a fault may make it do for ever. */
const bootstrappingSeconds = 0.01;
/** Time for requests in progress to end when the node stops. */
const shutdownGraceSeconds = 10;

export const runNode = async (parts: NodeParts) => {
  const { options, deps, nodeId, scenario, play, health, listener } = parts;
  const applyFaults = faultsApplier(parts);
  const firstRun = health.run();
  await applyFaults();
  const timers = deps.hasTimers === false ? [] : startTimers(parts, applyFaults);
  let stop = (): void => undefined;
  const stopped = new Promise<void>((resolve) => {
    stop = resolve;
  });
  deps.signal.addEventListener('abort', stop, { once: true });
  if (deps.signal.aborted) stop();
  // An error while closing is a bug of ours, and ends the process as an unhandled rejection.
  const closed = stopped.then(() => closeNode(parts, timers, applyFaults));
  // Requests for a subnet's checks need its id, which the scenario may leave to us.
  const subnets = Object.fromEntries(scenario.subnets.map(({ name }) => [name, subnetIdOf(scenario, name)]));
  const named = scenario.subnets.length === 0 ? {} : { subnets };
  deps.log.info({ nodeId, port: listener.port, dialect: options.dialect, ...named }, 'node listening');
  return {
    /** `http://127.0.0.1:9650` */
    url: `http://${options.httpHost.includes(':') ? `[${options.httpHost}]` : options.httpHost}:${listener.port}`,
    port: listener.port,
    nodeId,
    /** Resolves when the checks of the start have run. */
    firstRun,
    /** Runs the chains and the checks once, manually. Does not end while a check hangs. */
    tick: async (): Promise<void> => {
      await applyFaults();
      await tickChains(parts);
      await health.run();
    },
    /** Activates these faults instead of the scenario's; undefined restores the scenario's. */
    setFaults: (faults: readonly FaultNow[] | undefined): Promise<void> => {
      play.override(faults);
      return applyFaults();
    },
    /** Stops gracefully: reports `shuttingDown` for httpShutdownWait, then closes the socket, then the store. */
    close: (): Promise<void> => {
      stop();
      return closed;
    },
    closed,
  };
};

/** A node that is down accepts nothing: it catches up after its start, as a real one. */
const tickChains = async ({ deps, play, chains }: NodeParts): Promise<void> => {
  if (!hasFault(play.faults(), 'node-restarts')) await chains.tick(deps.now());
};

const startTimers = (parts: NodeParts, applyFaults: () => Promise<void>): readonly Promise<void>[] => {
  const { options, chains, health, closing } = parts;
  const { signal } = closing;
  const follow = async (): Promise<void> => {
    while (!signal.aborted) {
      await tickChains(parts);
      const areRunning = chains.statuses().every(({ state }) => state === 'running');
      await pause(areRunning ? intervalSeconds : bootstrappingSeconds, signal);
    }
  };
  // Not awaited: a bootstrapping round is cut short when the chains are closed.
  void follow();
  const checks = health.runs.map((run) => every(options.healthCheckFrequency, run, signal));
  return [...checks, every(intervalSeconds, applyFaults, signal)];
};

/** Applies the active faults to chains, checks and port, until the node closes. Calls take turns. */
const faultsApplier = (parts: NodeParts): (() => Promise<void>) => {
  const { deps, nodeId, scenario, play, chains, health, listener, closing } = parts;
  const takeTurn = oneAtATime();
  let wasDown = false;
  const applyFaults = async (): Promise<void> => {
    if (closing.signal.aborted) return;
    const active = play.faults();
    const isDown = hasFault(active, 'node-restarts');
    const isShut = isDown || hasFault(active, 'api-refuses');
    chains.setFaults(chainFaults(active, scenario));
    health.sync();
    if (isShut) await listener.shut();
    if (wasDown && !isDown) {
      deps.log.info({ nodeId }, 'node restarting');
      await chains.restart();
      void health.restart();
    }
    if (!isShut) await listener.reopen(closing.signal, (why) => deps.log.error({ nodeId }, why));
    wasDown = isDown;
  };
  return () => takeTurn(applyFaults);
};

const closeNode = async (parts: NodeParts, timers: readonly Promise<void>[], applyFaults: () => Promise<void>): Promise<void> => {
  const { options, deps, nodeId, chains, health, listener, closing } = parts;
  health.shutDown();
  await pause(options.httpShutdownWait);
  closing.abort();
  await Promise.all(timers);
  // Waits for its turn: the current one may be reopening the port.
  await applyFaults();
  await listener.close(shutdownGraceSeconds);
  await chains.close();
  deps.log.info({ nodeId }, 'node stopped');
};
