// The checks of a report, up to a limit.

import type { HealthReport } from '../../protocol/health.ts';
import { checksWorstFirst, type NamedCheck } from './worst-first.ts';

export const maxChecks = 200;

/** The worst checks up to this number; or all checks in the order of the report if there are not more. */
export const boundedChecks = (report: HealthReport, max = maxChecks): readonly NamedCheck[] =>
  report.checks.size <= max
    ? Array.from(report.checks, ([check, result]) => ({ check, result }))
    : checksWorstFirst(report).slice(0, max);
