// The node's three workers, and which checks each of them has at this moment.

import { faultsOf, hasFault } from '../scenario.ts';
import { applicationChecks, bootstrappedCheck, shuttingDownCheck } from './application.ts';
import { chainChecks } from './chain-checks.ts';
import type { CheckContext } from './context.ts';
import { createCheckFaults } from './inject-fault.ts';
import type { HealthWorkers } from './service.ts';
import { type Check, createWorker, latching, type Worker } from './worker.ts';

export interface Health extends HealthWorkers {
  /** Registers what there is by now, takes out what is gone, and ends what no longer hangs. */
  readonly sync: () => void;
  /** Runs the checks of each worker, unless time stands still for them. */
  readonly run: () => Promise<void>;
  /** As a node that comes up again: forgets every result, then runs. */
  readonly restart: () => Promise<void>;
  /** From now on the node is going down, and says so. */
  readonly shutDown: () => void;
}

export const createHealth = (context: CheckContext): Health => {
  const { faults, uptime, now } = context;
  const worker = (): Worker => createWorker(now, uptime);
  const workers = { health: worker(), readiness: worker(), liveness: worker() };
  const { injectFault, release } = createCheckFaults(faults, uptime);
  const newReadyCheck = (): Check => latching(injectFault(bootstrappedCheck(context)));
  let ready = newReadyCheck();
  let hasRun = false;
  let isShuttingDown = false;

  const currentChecks = (): readonly Check[] => [
    ...applicationChecks(context),
    // The first run starts before these are registered: they say "not yet run" until the second.
    ...(hasRun ? [bootstrappedCheck(context), ...chainChecks(context)] : []),
    ...(isShuttingDown || hasFault(faults(), 'node-shuts-down') ? [shuttingDownCheck] : []),
  ];

  const sync = (): void => {
    release();
    const vanished = new Set(faultsOf(faults(), 'check-vanishes').map(({ check }) => check));
    const neverRun = new Set(faultsOf(faults(), 'check-never-runs').map(({ check }) => check));
    const checks = new Map(currentChecks().flatMap((check) => (vanished.has(check.name) ? [] : [[check.name, check]])));
    for (const name of workers.health.names()) if (!checks.has(name) || neverRun.has(name)) workers.health.unregister(name);
    for (const check of checks.values()) workers.health.register(injectFault(check));
    if (hasRun) workers.readiness.register(ready);
  };

  const run = async (): Promise<void> => {
    sync();
    if (hasFault(faults(), 'time-freezes')) return;
    const runs = [workers.readiness, workers.health, workers.liveness].map((worker) => worker.run());
    hasRun = true;
    sync();
    await Promise.all(runs);
  };

  return {
    ...workers,
    sync,
    run,
    restart: () => {
      for (const worker of Object.values(workers)) for (const name of worker.names()) worker.unregister(name);
      ready = newReadyCheck();
      hasRun = false;
      return run();
    },
    shutDown: () => {
      isShuttingDown = true;
      sync();
    },
  };
};
