// The checks of a report, up to a limit.

import { labelValue } from '../../metrics/labels.ts';
import type { CheckResult, HealthReport } from '../../protocol/health.ts';
import { checksWorstFirst } from './worst-first.ts';

export const maxChecks = 200;

export interface Check {
  /** The check's name, as a label value. */
  readonly check: string;
  /** The name that the node uses. */
  readonly name: string;
  readonly result: CheckResult;
}

/** The worst checks up to this number, with distinct names; or all checks in the order of the report if there are not more. */
export const boundedChecks = (report: HealthReport, max = maxChecks): readonly Check[] => {
  const isWhole = report.checks.size <= max && Array.from(report.checks.keys()).every((name) => labelValue(name) === name);
  if (isWhole) return Array.from(report.checks, ([name, result]) => ({ check: name, name, result }));
  const kept = new Map<string, Check>();
  for (const { check: name, result } of checksWorstFirst(report)) {
    if (kept.size === max) break;
    const check = labelValue(name);
    if (!kept.has(check)) kept.set(check, { check, name, result });
  }
  return [...kept.values()];
};
