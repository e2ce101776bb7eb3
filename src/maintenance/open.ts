// The maintenance windows of a run: what an earlier run kept, what the configuration and the pod say.

import type { Log } from '../log.ts';
import type { StateGuard } from '../memory/guard.ts';
import { within } from '../pause.ts';
import { annotationReader } from './annotation.ts';
import { windowFile } from './window-file.ts';
import { type ConfiguredWindow, createWindows } from './windows.ts';

export interface OpenMaintenanceOptions {
  /** Absent: a restart forgets the windows of the API. */
  readonly stateDir?: string | undefined;
  readonly configured: readonly ConfiguredWindow[];
  /** Where the kubelet keeps the annotations of the pod. */
  readonly podInfoDir?: string | undefined;
  /** A disk that does not answer must not keep the exporter from starting. */
  readonly readMs?: number;
}

export interface OpenMaintenanceDependencies {
  /** Wall clock, seconds. */
  readonly now: () => number;
  readonly steadyNow: () => number;
  readonly log: Log;
  readonly changed: () => void;
  readonly guard?: StateGuard | undefined;
}

/** Seconds between two looks at the pod's annotations: the kubelet brings a change in a minute or so. */
const lookEvery = 5;

export const openMaintenance = async (
  { stateDir, configured, podInfoDir, readMs = 5000 }: OpenMaintenanceOptions,
  { now, steadyNow, log, changed, guard }: OpenMaintenanceDependencies,
) => {
  const file = stateDir === undefined ? undefined : windowFile(stateDir, log, guard, readMs);
  const saved = (await file?.read()) ?? [];
  const windows = createWindows({ saved, configured, now, steadyNow, log, save: file?.write, changed });
  const read =
    podInfoDir === undefined ? undefined : annotationReader({ folder: podInfoDir, now, log, changed: windows.annotate });
  let looking: Promise<void> | undefined;
  let lookedAt = Number.NEGATIVE_INFINITY;
  /** To be called about once a second. */
  const tick = (): void => {
    windows.update();
    const at = now();
    // A clock that was set back must not stop the looks.
    if (read === undefined || looking !== undefined || Math.abs(at - lookedAt) < lookEvery) return;
    lookedAt = at;
    looking = read().finally(() => {
      looking = undefined;
    });
  };
  tick();
  // What the pod says holds from the start on: it is not to end with each restart, and to begin again.
  if (looking !== undefined) await within(looking, readMs / 1000);
  return { ...windows, tick, renew: file?.renew };
};
