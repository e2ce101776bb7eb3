// What the families of the health part are about: tag sets and their checks, as far as they are current and within bounds.

import type { CheckResult, HealthReport } from '../protocol/health.ts';
import { current } from '../snapshot/observed.ts';
import { maxAge, type Snapshot, stallingOf, type TargetSnapshot } from '../snapshot/snapshot.ts';
import { movingUntil } from '../snapshot/stall.ts';
import { labelValue } from './labels.ts';

export const maxChecks = 200;

export interface Check {
  readonly target: string;
  readonly tagSet: string;
  /** The check's name, as a label value. */
  readonly check: string;
  /** As the node writes it. */
  readonly name: string;
  readonly result: CheckResult;
}

export interface TagSetReport {
  readonly target: string;
  readonly tagSet: string;
  readonly report: HealthReport;
  readonly checks: readonly Check[];
  /** Checks left out: over the limit, or of a name that became another's when it was made well-formed. */
  readonly dropped: number;
}

const order = (a: Check, b: Check): number => {
  const failing = Number(b.result.error !== undefined) - Number(a.result.error !== undefined);
  return failing !== 0 ? failing : a.check < b.check ? -1 : Number(a.check > b.check);
};

/** At most 200 checks, each name once: failing ones first, then by name. */
const bounded = (target: string, tagSet: string, report: HealthReport): readonly Check[] => {
  const all = Array.from(report.checks, ([name, result]): Check => ({ target, tagSet, check: labelValue(name), name, result }));
  const kept = new Map<string, Check>();
  for (const check of all.sort(order)) {
    if (kept.size === maxChecks) break;
    if (!kept.has(check.check)) kept.set(check.check, check);
  }
  return [...kept.values()];
};

const reportsOf = (target: TargetSnapshot, now: number): readonly TagSetReport[] => {
  const limit = maxAge(target);
  return Array.from(target.health).flatMap(([tagSet, observed]) => {
    const report = current(observed, now, limit);
    if (report === undefined) return [];
    const checks = bounded(target.options.name, tagSet, report);
    return [{ target: target.options.name, tagSet, report, checks, dropped: report.checks.size - checks.length }];
  });
};

/** The reports that are still true at `now`, tag set by tag set. */
export const currentReports = (snapshot: Snapshot, now: number): readonly TagSetReport[] =>
  Array.from(snapshot.targets.values()).flatMap((target) => reportsOf(target, now));

/** The instant until which (inclusive) what is current at `now` stays so, if nothing new is learnt. */
export const currentUntil = (snapshot: Snapshot, now: number): number => {
  let until = Number.POSITIVE_INFINITY;
  for (const target of snapshot.targets.values()) {
    const limit = maxAge(target);
    for (const observed of [...target.health.values(), target.readiness, target.liveness, ...target.indexes.values()]) {
      if (current<unknown>(observed, now, limit) === undefined) continue;
      if (observed.state === 'fresh' || observed.state === 'stale') until = Math.min(until, observed.at + limit);
    }
    until = Math.min(until, movingUntil(stallingOf(target), now));
    for (const { chain, following } of target.watches.values()) {
      for (const known of [chain.compared, following.tail]) {
        if (known !== undefined && now - known.at <= limit) until = Math.min(until, known.at + limit);
      }
    }
  }
  return until;
};
