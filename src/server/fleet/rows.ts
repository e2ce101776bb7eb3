// Cache of the rows of all targets: only rows of changed targets are rendered again, a few per iteration of the event loop.

import type { Targets } from '../../conditions/condition.ts';
import { yieldToEventLoop } from '../../pause.ts';
import type { Sources } from '../../sources/sources.ts';
import type { Present } from '../status.ts';
import type { ShownTransition } from '../strip.ts';
import { type FleetRow, fleetRow, isStillTrue, type RowFormat } from './row.ts';

/** Rows rendered per iteration of the event loop, which takes a few milliseconds. */
export const maxRowsPerIteration = 50;

/** In the order of the targets. */
type FleetRows = (targets: Targets, present: Present) => Promise<readonly FleetRow[]>;

export const createFleetRows = (
  table: Sources,
  transitions: (target: string) => readonly ShownTransition[],
  format: RowFormat,
): FleetRows => {
  const cached = new Map<string, FleetRow>();
  return async (targets, present) => {
    for (const name of cached.keys()) if (!targets.has(name)) cached.delete(name);
    let count = 0;
    for (const name of [...targets.keys()]) {
      const target = targets.get(name);
      // The target may have been removed while this loop yielded.
      if (target === undefined || isStillTrue(cached.get(name), target, present)) continue;
      cached.set(name, fleetRow(table, target, present, transitions, format));
      count += 1;
      if (count % maxRowsPerIteration === 0) await yieldToEventLoop();
    }
    return Array.from(targets.keys()).flatMap((name) => cached.get(name) ?? []);
  };
};
