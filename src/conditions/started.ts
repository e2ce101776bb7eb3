// Has the node started: does its API answer. Nothing of bootstrapping is in it, because a failed startup probe makes the
// kubelet kill the node; and it is not latched, because the sidecar outlives the node's restarts.

import type { Failure } from '../client/outcome.ts';
import type { TargetState } from '../sources/target-state.ts';
import { type Conclusion, conclude } from './condition.ts';
import { unanswered } from './unanswered.ts';

/** Undefined while nothing was asked. */
export const started = ({ process, sources: { health, readiness, liveness } }: TargetState): Conclusion | undefined => {
  if (process.state === 'gone') return unanswered(process.failure, 'False');
  let failure: Failure | undefined;
  for (const report of [...health.reports.values(), readiness, liveness]) {
    // Any report will do: where one check's message cannot be written as JSON, the node's health has no body at all.
    if (report.state === 'fresh') return conclude('True', 'NodeResponding', 'the node responds');
    if (report.state !== 'pending') failure ??= report.failure;
  }
  return failure === undefined ? undefined : unanswered(failure, 'False');
};
