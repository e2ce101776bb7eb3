// Begin and end of a target's maintenance as records.

import type { Target } from '../conditions/condition.ts';
import type { MaintenanceWindow } from '../maintenance/window.ts';
import { isoOf } from '../text.ts';
import type { Draft, EventKind } from './record.ts';

const kinds: ReadonlySet<EventKind> = new Set(['maintenance', 'maintenance-ended']);

const messageOf = ({ end, reason, source }: MaintenanceWindow): string => `until ${isoOf(end)} (${source}): ${reason}`;

/** Of the target, newest last. */
type Told = readonly Pick<Draft, 'kind' | 'message'>[];

const lastOf = (told: Told): Told[number] | undefined => told.findLast(({ kind }) => kinds.has(kind));

/** What an earlier run told, or the poll before a reload, is not told again. */
export const maintenanceRecords = ({ state, maintenance }: Target, told: Told, at: number): readonly Draft[] => {
  const target = state.options.name;
  const draft: Draft =
    maintenance === undefined
      ? { kind: 'maintenance-ended', at, target }
      : { kind: 'maintenance', at, target, message: messageOf(maintenance) };
  const last = lastOf(told);
  return last?.kind === draft.kind && last.message === draft.message ? [] : [draft];
};

/** Of a target that begins: that what was told as open ended while nobody watched it. */
export const endedUnwatched = (target: Target, told: Told, at: number): readonly Draft[] =>
  target.maintenance === undefined && lastOf(told)?.kind === 'maintenance' ? maintenanceRecords(target, told, at) : [];
