// The conclusions if the node gave no report.

import { describe, type Failure } from '../client/outcome.ts';
import type { NodeProcess } from '../snapshot/process.ts';
import { printable } from '../text.ts';
import { type Conclusion, type ConditionReason, conclude, type Status } from './condition.ts';

/** One line. */
export const failureText = (failure: Failure): string => printable(describe(failure), 600);

export const notPolled: Conclusion = conclude('Unknown', 'NotPolled', 'the node has not been polled yet');

/**
 * Whether the node itself does not respond. Other failures, such as a missing permission or an invalid response, say nothing about its
 * state. A port that has reset every request so far may need the other scheme (`maySpeak`).
 */
export const isSilence = (failure: Failure): boolean =>
  failure.kind === 'reset' ? failure.maySpeak === undefined : failure.kind === 'refused' || failure.kind === 'timeout';

export const failureReason = (failure: Failure): ConditionReason => {
  if (failure.kind === 'refused') return 'ConnectionRefused';
  return isSilence(failure) ? 'NoResponse' : 'RequestFailed';
};

/** The conclusion from a failed request. `silence`: the status if the node does not respond at all. */
export const unanswered = (failure: Failure, silence: Status): Conclusion =>
  conclude(isSilence(failure) ? silence : 'Unknown', failureReason(failure), failureText(failure));

/** Unknown until the current process has sent a report: the report of an earlier process does not describe it. */
export const unreported = (process: NodeProcess): Conclusion | undefined => {
  switch (process.state) {
    case 'gone':
      return unanswered(process.failure, 'Unknown');
    case 'starting':
      return conclude('Unknown', 'NodeRestarted', 'the node was restarted and has not reported its health yet');
    case 'unseen':
    case 'reported':
      return undefined;
    default:
      return process satisfies never;
  }
};
