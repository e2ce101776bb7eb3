// What happened to a target between two snapshots of it: what the log says and the evidence keeps.

import type { HealthReport } from '../protocol/health.ts';
import type { RestartSign } from './restart.ts';
import { stallingOf, type TargetSnapshot, untagged } from './snapshot.ts';
import { type Stall, stallAt } from './stall.ts';
import { type CheckChange, checkChanges } from './transitions.ts';

interface When {
  /** When it was known; seconds, exporter's clock. */
  readonly at: number;
  /** Rounds of the node's checks just before it that no poll saw: what they showed is not known. */
  readonly missedRuns: number;
}

export type CheckEvent = CheckChange &
  When & {
    /** In whose reports it was seen this time, the untagged set first. */
    readonly tagSets: readonly string[];
    /** The other checks that fail in that report, in its order; at most some. */
    readonly alsoFailing: readonly string[];
    readonly alsoFailingCount: number;
  };

export type TargetEvent =
  | CheckEvent
  | (When & { readonly kind: 'node-restarted'; readonly sign: RestartSign })
  /** No check runs any more, or they run again. `suspect`: the check that holds up the others. */
  | (When & { readonly kind: 'health-frozen'; readonly since: number; readonly suspect?: string })
  | (When & { readonly kind: 'health-running' });

/** Most names of other failing checks beside one event. */
export const maxAlsoFailing = 20;

export const eventsBetween = (before: TargetSnapshot, after: TargetSnapshot): readonly TargetEvent[] => {
  const missedRuns = after.missedRuns - before.missedRuns;
  const restarted = after.restarts.count > before.restarts.count;
  const { last } = after.restarts;
  return [
    ...(restarted && last !== undefined ? [{ kind: 'node-restarted' as const, ...last, missedRuns }] : []),
    ...frozenEvents(before, after).map((event) => ({ ...event, missedRuns })),
    ...checkEvents(before, after, restarted).map((event) => ({ ...event, missedRuns })),
  ];
};

const stillness = (target: TargetSnapshot): Stall | undefined =>
  target.lastPollAt === undefined ? undefined : stallAt(stallingOf(target), target.lastPollAt);

const frozenEvents = (before: TargetSnapshot, after: TargetSnapshot): readonly TargetEvent[] => {
  const was = stillness(before)?.frozen === true;
  const now = stillness(after);
  const at = after.lastPollAt;
  if (at === undefined || now === undefined || now.frozen === was) return [];
  if (!now.frozen) return [{ kind: 'health-running', at, missedRuns: 0 }];
  const { since, suspect } = now;
  return [{ kind: 'health-frozen', at, missedRuns: 0, since, ...(suspect !== undefined && { suspect }) }];
};

/** One check result stands in the reports of several tag sets: it is one event, with the list of them. */
const checkEvents = (before: TargetSnapshot, after: TargetSnapshot, restarted: boolean): readonly CheckEvent[] => {
  const events = new Map<string, CheckEvent>();
  for (const tagSet of wholeNodeFirst(after)) {
    const health = after.health.get(tagSet);
    const known = before.health.get(tagSet) ?? { state: 'pending' };
    if (health?.state !== 'fresh' || health === known) continue;
    const counts = before.transitions.get(tagSet) ?? new Map();
    const changes = checkChanges({ counts, before: known, report: health.value, restarted });
    const failing = changes.length === 0 ? [] : failingIn(health.value);
    for (const change of changes) {
      const key = keyOf(change);
      const same = events.get(key);
      events.set(
        key,
        same === undefined
          ? { ...change, at: health.at, missedRuns: 0, tagSets: [tagSet], ...others(failing, change.check) }
          : { ...same, tagSets: [...same.tagSets, tagSet] },
      );
    }
  }
  return [...events.values()];
};

const wholeNodeFirst = ({ options, health }: TargetSnapshot): readonly string[] => [
  ...new Set([untagged(options).name, ...health.keys()]),
];

const keyOf = (change: CheckChange): string => {
  const to = 'to' in change ? change.to : '';
  const unseen = 'unseen' in change ? 'unseen' : '';
  return `${change.kind} ${to} ${unseen} ${change.check}`;
};

const failingIn = (report: HealthReport): readonly string[] =>
  [...report.checks].filter(([, { error }]) => error !== undefined).map(([name]) => name);

const others = (failing: readonly string[], check: string): Pick<CheckEvent, 'alsoFailing' | 'alsoFailingCount'> => {
  const also = failing.filter((name) => name !== check);
  return { alsoFailing: also.slice(0, maxAlsoFailing), alsoFailingCount: also.length };
};
