// What a run remembers of its targets and keeps across a restart where there is a stateDir: events, maintenance windows, liveness and
// the indexes that were on.

import { randomBytes } from 'node:crypto';
import type { Target } from '../conditions/condition.ts';
import type { Config } from '../config/types.ts';
import { openEventHistory } from '../events/open.ts';
import { openMaintenance } from '../maintenance/open.ts';
import { openIndexMemory } from '../memory/index-memory.ts';
import { openLivenessFiles } from '../memory/liveness-file.ts';
import type { Recall } from '../replaced.ts';
import type { CommandContext } from './context.ts';

interface Given {
  readonly stateDir: string | undefined;
  readonly maintenance: Config['maintenance'] | undefined;
  /** Names of the targets that the run begins with. */
  readonly targets: readonly string[];
  readonly podInfoDir: string | undefined;
}

interface Dependencies extends Required<Pick<CommandContext, 'now' | 'wallClock' | 'sinceBoot' | 'log'>> {
  /** Another maintenance window may be open than before. */
  readonly changed: () => void;
}

export const openRemembered = async (
  { stateDir, maintenance, targets, podInfoDir }: Given,
  { now, wallClock, sinceBoot, log, changed }: Dependencies,
) => {
  const run = `${Math.floor(wallClock() * 1000).toString(36)}${randomBytes(3).toString('hex')}`;
  const kept = stateDir === undefined ? undefined : { stateDir, run, targets };
  const [eventHistory, liveness, indexes, windows] = await Promise.all([
    openEventHistory({ run, ...(stateDir !== undefined && { stateDir }) }, { now: wallClock, log }),
    kept && openLivenessFiles(kept, { now, sinceBoot, log }),
    kept && openIndexMemory(kept, log),
    openMaintenance({ stateDir, run, configured: maintenance?.windows ?? [], podInfoDir }, { now: wallClock, log, changed }),
  ]);
  const recall: Recall = (target) => ({ live: liveness?.recall(target), indexes: indexes?.recall(target) ?? [] });
  return {
    eventHistory,
    windows,
    recall,
    keep: (target: Target): void => {
      void liveness?.keep(target);
      void indexes?.keep(target);
    },
    forget: (name: string): void => {
      void liveness?.forget(name);
      void indexes?.forget(name);
    },
  };
};
