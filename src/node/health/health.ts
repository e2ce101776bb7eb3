// The node's three workers, and which checks each of them has at this moment.

import { faultsOf } from '../scenario.ts';
import { applicationChecks, bootstrappedCheck, type HealthOptions } from './application.ts';
import { chainChecks } from './chain-checks.ts';
import { shuttingDown } from './checks.ts';
import { createInjecting } from './inject-fault.ts';
import type { HealthWorkers } from './service.ts';
import type { Sources } from './sources.ts';
import { applicationTag, type Check, createWorker, latching, type Worker, type WorkerDeps } from './worker.ts';

export interface Health extends HealthWorkers {
  /** Registers what there is by now, takes out what is gone, and lets end what hung. */
  readonly sync: () => void;
  /** One round of each worker, unless time stands still for them. */
  readonly round: () => Promise<void>;
  /** From now on the node is going down, and says so. */
  readonly shutDown: () => void;
}

export const createHealth = (options: HealthOptions, sources: Sources, deps: WorkerDeps): Health => {
  const { faults } = options;
  const workers = { health: createWorker(deps), readiness: createWorker(deps), liveness: createWorker(deps) };
  const { injectFault, release } = createInjecting(faults, sources.uptime);
  const ready = latching(injectFault(bootstrappedCheck(options, sources)));
  let begun = false;
  let leaving = false;

  const current = (): readonly Check[] => [
    ...applicationChecks(options, sources),
    // The first round begins before these are registered: they say "not yet run" until the second.
    ...(begun ? [bootstrappedCheck(options, sources), ...chainChecks(options, sources)] : []),
    ...(leaving || faultsOf(faults(), 'node-shuts-down').length > 0 ? [shuttingDownCheck] : []),
  ];

  const sync = (): void => {
    release();
    const gone = new Set(faultsOf(faults(), 'check-vanishes').map(({ check }) => check));
    const unrun = new Set(faultsOf(faults(), 'check-never-runs').map(({ check }) => check));
    const checks = current().filter(({ name }) => !gone.has(name));
    keepOnly(workers.health, new Set(checks.map(({ name }) => name)));
    for (const check of checks)
      if (!workers.health.has(check.name) || unrun.has(check.name)) workers.health.register(injectFault(check));
    if (begun && !workers.readiness.has(ready.name)) workers.readiness.register(ready);
  };

  return {
    ...workers,
    sync,
    round: async () => {
      sync();
      if (faultsOf(faults(), 'time-freezes').length > 0) return;
      const rounds = [workers.readiness, workers.health, workers.liveness].map((worker) => worker.round());
      begun = true;
      sync();
      await Promise.all(rounds);
    },
    shutDown: () => {
      leaving = true;
      sync();
    },
  };
};

const shuttingDownCheck: Check = { name: 'shuttingDown', tags: [applicationTag], run: () => shuttingDown };

const keepOnly = (worker: Worker, names: ReadonlySet<string>): void => {
  for (const name of worker.results([]).checks.keys()) if (!names.has(name)) worker.unregister(name);
};
