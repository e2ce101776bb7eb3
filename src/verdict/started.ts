// Has the node started: does its API answer. Nothing of bootstrapping is in it, because a failed startup probe makes the
// kubelet kill the node; and it is not latched, because the sidecar outlives the node's restarts.

import type { Failure } from '../client/outcome.ts';
import type { TargetSnapshot } from '../snapshot/snapshot.ts';
import { type Finding, finding } from './judgement.ts';
import { unanswered } from './words.ts';

/** Undefined while nothing was asked. */
export const started = ({ health, readiness, liveness }: TargetSnapshot): Finding | undefined => {
  let failure: Failure | undefined;
  for (const report of [...health.values(), readiness, liveness]) {
    // Any report will do: where one check's message cannot be written as JSON, the node's health has no body at all.
    if (report.state === 'fresh') return finding('yes', 'the node answers');
    if (report.state !== 'pending') failure ??= report.failure;
  }
  return failure === undefined ? undefined : unanswered(failure);
};
