// Begin and end of a target's maintenance as records.

import type { Target } from '../conditions/condition.ts';
import type { MaintenanceWindow } from '../maintenance/window.ts';
import { isoOf } from '../text.ts';
import type { Draft, EventKind } from './record.ts';

const kinds: ReadonlySet<EventKind> = new Set(['maintenance', 'maintenance-ended']);

const messageOf = ({ end, reason, source }: MaintenanceWindow): string => `until ${isoOf(end)} (${source}): ${reason}`;

/** `told`: of the target, newest last. What an earlier run told, or the poll before a reload, is not told again. */
export const maintenanceRecords = (
  { state, maintenance }: Target,
  told: readonly Pick<Draft, 'kind' | 'message'>[],
  at: number,
): readonly Draft[] => {
  const target = state.options.name;
  const draft: Draft =
    maintenance === undefined
      ? { kind: 'maintenance-ended', at, target }
      : { kind: 'maintenance', at, target, message: messageOf(maintenance) };
  const last = told.findLast(({ kind }) => kinds.has(kind));
  return last?.kind === draft.kind && last.message === draft.message ? [] : [draft];
};
