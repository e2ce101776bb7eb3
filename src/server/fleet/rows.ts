// The rows of all targets, as they were made after their polls: only what changed is made again, and of much of that a little in
// each turn of the event loop.

import type { Targets } from '../../conditions/condition.ts';
import { yieldToEventLoop } from '../../pause.ts';
import type { Sources } from '../../sources/sources.ts';
import type { Present } from '../status.ts';
import type { Happening } from '../strip.ts';
import { type FleetRow, fleetRow, isStillTrue } from './row.ts';

/** Most that are made in one turn of the event loop, which takes a few milliseconds. */
export const inOneTurn = 50;

/** In the order of the targets. */
export type FleetRows = (targets: Targets, present: Present) => Promise<readonly FleetRow[]>;

/** `made`: one more was made. */
export const createFleetRows = (
  table: Sources,
  happenings: (target: string) => readonly Happening[],
  made: () => void = () => undefined,
): FleetRows => {
  const kept = new Map<string, FleetRow>();
  return async (targets, present) => {
    for (const name of kept.keys()) if (!targets.has(name)) kept.delete(name);
    let count = 0;
    for (const name of [...targets.keys()]) {
      const target = targets.get(name);
      // Taken away in one of the turns.
      if (target === undefined || isStillTrue(kept.get(name), target, present)) continue;
      kept.set(name, fleetRow(table, target, present, happenings));
      made();
      count += 1;
      if (count % inOneTurn === 0) await yieldToEventLoop();
    }
    return Array.from(targets.keys()).flatMap((name) => kept.get(name) ?? []);
  };
};
