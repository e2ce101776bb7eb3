// What a process remembers about its targets, and with `stateDir` keeps across restarts: events, maintenance windows, liveness, indexes
// that were on, subnets that were found, and discovered targets that responded.

import { randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Target } from '../conditions/condition.ts';
import type { Config } from '../config/types.ts';
import { openEventHistory } from '../events/open.ts';
import { openMaintenance } from '../maintenance/open.ts';
import { openDiscoveredMemory } from '../memory/discovered-memory.ts';
import { warnIfOpen } from '../memory/exposure.ts';
import type { StateGuard } from '../memory/guard.ts';
import { openIndexMemory } from '../memory/index-memory.ts';
import { openLivenessFiles } from '../memory/liveness-file.ts';
import { lockStateDir, type StateLock } from '../memory/state-lock.ts';
import { openSubnetMemory } from '../memory/subnet-memory.ts';
import type { StateDirTally } from '../metrics/state-dir-families.ts';
import { within } from '../pause.ts';
import type { Recall } from '../replaced.ts';
import type { CommandContext } from './context.ts';

interface Given {
  readonly stateDir: string | undefined;
  readonly maintenance: Config['maintenance'] | undefined;
  /** Names of the targets at the start. */
  readonly targets: readonly string[];
  readonly podInfoDir: string | undefined;
}

interface Dependencies extends Required<Pick<CommandContext, 'now' | 'wallClock' | 'sinceBoot' | 'log' | 'signal'>> {
  /** Called when the open maintenance windows may have changed. */
  readonly changed: () => void;
}

/** Seconds between two checks whether files of stateDir were removed. */
const lookEvery = 10;

/** Maximum seconds to wait for writes at the end: a stop must take no more than one second in total. */
const writtenSeconds = 0.5;

export const openRemembered = async (
  { stateDir, maintenance, targets, podInfoDir }: Given,
  { now, wallClock, sinceBoot, log, signal, changed }: Dependencies,
) => {
  const lock = stateDir === undefined ? undefined : await lockStateDir(stateDir, log, signal);
  if (lock?.kind === 'taken') return { kind: 'invalid' as const, errors: [{ path: 'stateDir', message: lock.message }] };
  if (stateDir !== undefined) void warnIfOpen(stateDir, log);
  const state = lock && guardOf(lock);
  const run = `${Math.floor(wallClock() * 1000).toString(36)}${randomBytes(3).toString('hex')}`;
  const kept = stateDir === undefined ? undefined : { stateDir, targets, guard: state?.guard };
  const [eventHistory, liveness, indexes, subnets, discovered, windows] = await Promise.all([
    openEventHistory({ run, ...(stateDir !== undefined && { stateDir }) }, { now: wallClock, log, signal, guard: state?.guard }),
    kept && openLivenessFiles(kept, { now, sinceBoot, log }),
    kept && openIndexMemory(kept, log),
    kept && openSubnetMemory(kept, log),
    kept && openDiscoveredMemory(kept, log),
    openMaintenance(
      { stateDir, configured: maintenance?.windows ?? [], podInfoDir },
      { now: wallClock, steadyNow: now, log, changed, guard: state?.guard },
    ),
  ]);
  const recall: Recall = (target) => ({
    live: liveness?.recall(target),
    indexes: indexes?.recall(target) ?? [],
    subnets: subnets?.recall(target) ?? [],
  });
  /** Writes in progress. The lock is held until they have ended, but no longer than the maximum wait for a disk that hangs. */
  const writes = new Set<Promise<unknown>>();
  const tracked = (write: Promise<unknown> | undefined): Promise<unknown> => {
    if (write === undefined) return Promise.resolve();
    const ended = write.finally(() => writes.delete(ended));
    writes.add(ended);
    return ended;
  };
  let lookedAt = now();
  return {
    kind: 'ok' as const,
    /** Call it about once per second. */
    tick: (): void => {
      windows.tick();
      if (now() - lookedAt < lookEvery) return;
      lookedAt = now();
      for (const file of [indexes, subnets, discovered, windows]) void tracked(file?.renew?.());
    },
    eventHistory,
    windows,
    discovered: discovered && {
      ...discovered,
      keep: (names: readonly string[], isWhole: boolean) => tracked(discovered.keep(names, isWhole)),
    },
    recall,
    /** Undefined without a stateDir. */
    stateDir: state && ((): StateDirTally => state.tally(eventHistory.fault())),
    keep: (target: Target): void => {
      void tracked(liveness?.keep(target));
      void tracked(indexes?.keep(target));
      void tracked(subnets?.keep(target));
    },
    forget: (name: string): void => {
      void tracked(liveness?.forget(name));
      void tracked(indexes?.forget(name));
      void tracked(subnets?.forget(name));
    },
    close: async (): Promise<void> => {
      await eventHistory.close();
      await within(Promise.all(writes), writtenSeconds);
      await lock?.release();
    },
  };
};

/** Decides what may be written under stateDir, and provides the state for metrics and probes. */
const guardOf = ({ isHeld, fault }: StateLock) => {
  const newer = new Map<string, number>();
  const guard: StateGuard = {
    mayWrite: isHeld,
    newer: (file, version) => {
      if (version === undefined) newer.delete(file);
      else newer.set(file, version);
    },
  };
  let last: StateDirTally = { newer: [] };
  /** A new object with each change. */
  const tally = (writeFault: string | undefined): StateDirTally => {
    const now = { fault: fault() ?? writeFault, newer: [...newer.keys()] };
    if (!isDeepStrictEqual(last, now)) last = now;
    return last;
  };
  return { guard, tally };
};
