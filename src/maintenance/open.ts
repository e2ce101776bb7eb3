// Collects the maintenance windows of a run: windows of the API that an earlier run saved, of the configuration, and of the pod's
// annotations.

import type { Log } from '../log.ts';
import type { StateGuard } from '../memory/guard.ts';
import { within } from '../pause.ts';
import { annotationReader } from './annotation.ts';
import { windowFile } from './window-file.ts';
import { type ConfiguredWindow, createWindows } from './windows.ts';

export interface OpenMaintenanceOptions {
  /** Absent: windows of the API end with a restart. */
  readonly stateDir?: string | undefined;
  readonly configured: readonly ConfiguredWindow[];
  /** Folder in which the kubelet keeps the annotations of the pod. */
  readonly podInfoDir?: string | undefined;
  /** Maximum milliseconds for which the start waits for a disk that does not respond. */
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

/** Seconds between two reads of the pod's annotations. The kubelet writes a change to the files after about a minute. */
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
  /** Must be called about once a second. */
  const tick = (): void => {
    windows.update();
    const at = now();
    // The absolute difference, because a clock that was set back must not stop the reads.
    if (read === undefined || looking !== undefined || Math.abs(at - lookedAt) < lookEvery) return;
    lookedAt = at;
    looking = read().finally(() => {
      looking = undefined;
    });
  };
  tick();
  // Waits for the first read, so that the pod's window is open from the start. Otherwise, it would end at each restart and start again.
  if (looking !== undefined) await within(looking, readMs / 1000);
  return { ...windows, tick, renew: file?.renew };
};
