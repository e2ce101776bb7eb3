// The checks of a report, as far as they are within bounds.

import { labelValue } from '../../metrics/labels.ts';
import type { CheckResult, HealthReport } from '../../protocol/health.ts';

export const maxChecks = 200;

export interface Check {
  /** The check's name, as a label value. */
  readonly check: string;
  /** As the node writes it. */
  readonly name: string;
  readonly result: CheckResult;
}

const order = (a: Check, b: Check): number => {
  const failing = Number(b.result.error !== undefined) - Number(a.result.error !== undefined);
  return failing !== 0 ? failing : a.check < b.check ? -1 : Number(a.check > b.check);
};

/** At most 200 checks, each name once: failing ones first, then by name. */
export const boundedChecks = (report: HealthReport): readonly Check[] => {
  const all = Array.from(report.checks, ([name, result]): Check => ({ check: labelValue(name), name, result }));
  const kept = new Map<string, Check>();
  for (const check of all.sort(order)) {
    if (kept.size === maxChecks) break;
    if (!kept.has(check.check)) kept.set(check.check, check);
  }
  return [...kept.values()];
};
