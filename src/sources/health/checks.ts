// The checks of a report, as far as they are within bounds.

import { labelValue } from '../../metrics/labels.ts';
import type { CheckResult, HealthReport } from '../../protocol/health.ts';
import { checksWorstFirst } from './worst-first.ts';

export const maxChecks = 200;

export interface Check {
  /** The check's name, as a label value. */
  readonly check: string;
  /** As the node writes it. */
  readonly name: string;
  readonly result: CheckResult;
}

/** At most so many checks, each name once: the worst. Where there is room for all, in the order of the report. */
export const boundedChecks = (report: HealthReport, most = maxChecks): readonly Check[] => {
  const isWhole = report.checks.size <= most && Array.from(report.checks.keys()).every((name) => labelValue(name) === name);
  if (isWhole) return Array.from(report.checks, ([name, result]) => ({ check: name, name, result }));
  const kept = new Map<string, Check>();
  for (const { check: name, result } of checksWorstFirst(report)) {
    if (kept.size === most) break;
    const check = labelValue(name);
    if (!kept.has(check)) kept.set(check, { check, name, result });
  }
  return [...kept.values()];
};
