// The node's three workers and their current checks.

import { faultsOf, hasFault } from '../scenario.ts';
import { applicationChecks, bootstrappedCheck, shuttingDownCheck } from './application.ts';
import { chainChecks } from './chain-checks.ts';
import type { CheckContext } from './context.ts';
import { createCheckFaults } from './inject-fault.ts';
import { createWorker, type HealthCheck, latching, type Worker } from './worker.ts';

export type Health = ReturnType<typeof createHealth>;

export const createHealth = (context: CheckContext) => {
  const { scenario, faults, uptime, now, steadyNow } = context;
  const worker = () => createWorker(now, steadyNow);
  const workers = { health: worker(), readiness: worker(), liveness: worker() };
  const { injectFault, release } = createCheckFaults(faults, uptime);
  const newReadyCheck = (): HealthCheck => latching(injectFault(bootstrappedCheck(context)));
  let ready = newReadyCheck();
  let hasBegun = false;
  let isShuttingDown = false;

  const currentChecks = (): readonly HealthCheck[] => [
    ...applicationChecks(context),
    // The first run starts before these are registered: they are "not yet run" until the second.
    ...(hasBegun ? [bootstrappedCheck(context), ...chainChecks(context)] : []),
    ...(isShuttingDown || hasFault(faults(), 'node-shuts-down') ? [shuttingDownCheck] : []),
  ];

  /** Registers new checks, unregisters removed ones, and releases those that no longer hang. */
  const sync = (): void => {
    release();
    const vanished = new Set(faultsOf(faults(), 'check-vanishes').map(({ check }) => check));
    const neverRun = new Set(faultsOf(faults(), 'check-never-runs').map(({ check }) => check));
    const checks = new Map(currentChecks().flatMap((check) => (vanished.has(check.name) ? [] : [[check.name, check]])));
    for (const name of workers.health.names()) if (!checks.has(name) || neverRun.has(name)) workers.health.unregister(name);
    for (const check of checks.values()) workers.health.register(injectFault(check));
    if (hasBegun) workers.readiness.register(ready);
  };

  /** Runs the checks of these workers, unless a fault freezes time. */
  const runOf = async (running: readonly Worker[]): Promise<void> => {
    sync();
    const runs = hasFault(faults(), 'time-freezes') ? [] : running.map((one) => one.run());
    hasBegun = true;
    sync();
    await Promise.all(runs);
  };

  const run = (): Promise<void> => runOf(Object.values(workers));

  return {
    ...workers,
    /** Of the timestamps in reports. */
    utcOffsetMinutes: scenario.utcOffset,
    sync,
    run,
    /** Runs of one worker each: a hanging check stops those of its own worker only. */
    runs: Object.values(workers).map((one) => () => runOf([one])),
    /** Simulates a node restart: discards all results, then runs. */
    restart: (): Promise<void> => {
      for (const worker of Object.values(workers)) for (const name of worker.names()) worker.unregister(name);
      ready = newReadyCheck();
      hasBegun = false;
      return run();
    },
    /** Reports from now on that the node is shutting down. */
    shutDown: (): void => {
      isShuttingDown = true;
      sync();
    },
  };
};
