// The Started condition: whether the API of the node responds. Bootstrapping does not count, because the kubelet kills a container whose
// startup probe fails. It can become False again, because the sidecar keeps running when the node restarts.

import type { Failure } from '../client/outcome.ts';
import type { TargetState } from '../sources/target-state.ts';
import { type Conclusion, conclude } from './condition.ts';
import { unanswered } from './unanswered.ts';

/** Undefined until the node is polled. */
export const started = ({ process, sources: { health, readiness, liveness } }: TargetState): Conclusion | undefined => {
  if (process.state === 'gone') return unanswered(process.failure, 'False');
  let failure: Failure | undefined;
  for (const report of [...health.reports.values(), readiness, liveness]) {
    // Any report counts: if the node cannot encode the message of one check as JSON, its health response has no body.
    if (report.state === 'fresh') return conclude('True', 'NodeResponding', 'the node responds');
    if (report.state !== 'pending') failure ??= report.failure;
  }
  return failure === undefined ? undefined : unanswered(failure, 'False');
};
