// The Healthy condition of a tag set: what the node itself reports, if the report is reliable. The rules of the configuration do not apply.

import type { HealthReport } from '../protocol/health.ts';
import { pending } from '../snapshot/observed.ts';
import type { TagSet } from '../snapshot/options.ts';
import { maxAge, type TargetState } from '../sources/target-state.ts';
import { counted } from '../text.ts';
import { type Conclusion, conclude } from './condition.ts';
import { doubtOf, tooOld } from './doubt.ts';
import { failingOf, namesNothing, namesOf, reasonsOf } from './failing.ts';
import { unanswered, unreported } from './unanswered.ts';

/** Undefined until the tag set is polled. */
export const healthy = (tagSet: TagSet, state: TargetState, now: number): Conclusion | undefined => {
  const observed = state.sources.health.reports.get(tagSet.name) ?? pending;
  if (observed.state === 'pending') return undefined;
  const nothing = unreported(state.process);
  if (nothing !== undefined) return nothing;
  if (observed.state === 'failed') return unanswered(observed.failure, 'Unknown');
  if (observed.state === 'stale' && (now - observed.at > maxAge(state) || isOfAnother(observed.at, state)))
    return unanswered(observed.failure, 'Unknown');
  const old = tooOld(observed.at, state, now);
  if (old !== undefined) return old;
  return unhealthy(observed.value) ?? doubtOf(observed.value, tagSet, state, now) ?? allPass(observed.value);
};

/** The last report is older than the last restart of the node. */
const isOfAnother = (at: number, { restarts: { last } }: TargetState): boolean => last !== undefined && at <= last.at;

/** A failing check makes the node unhealthy, even if the report says `healthy`. */
const unhealthy = (report: HealthReport): Conclusion | undefined => {
  const failing = failingOf(report);
  if (failing.length === 0) return report.healthy ? undefined : conclude('False', 'NodeUnhealthy', namesNothing, ['other']);
  const { size } = report.checks;
  const count = `${failing.length} of ${counted(size, 'check')} fail${failing.length === 1 ? 's' : ''}`;
  return conclude('False', 'ChecksFailing', `${count}: ${namesOf(failing)}`, reasonsOf(failing));
};

const allPass = ({ checks: { size } }: HealthReport): Conclusion =>
  conclude('True', 'ChecksPassing', counted(size, 'check passes', 'checks pass'));
