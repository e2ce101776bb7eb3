// What is concluded where the node gave no report.

import { describe, type Failure } from '../client/outcome.ts';
import type { NodeProcess } from '../snapshot/process.ts';
import { printable } from '../text.ts';
import { type Conclusion, type ConditionReason, conclude, type Status } from './condition.ts';

/** One line. */
export const failureText = (failure: Failure): string => printable(describe(failure), 600);

export const notPolled: Conclusion = conclude('Unknown', 'NotPolled', 'the node has not been polled yet');

/**
 * No answer at all is the node's; one that we cannot fetch, may not have or do not understand is no word of its state. A port that has
 * only ever reset what was spoken to it may want the other scheme.
 */
export const isSilence = (failure: Failure): boolean =>
  failure.kind === 'reset' ? failure.maySpeak === undefined : failure.kind === 'refused' || failure.kind === 'timeout';

export const failureReason = (failure: Failure): ConditionReason => {
  if (failure.kind === 'refused') return 'ConnectionRefused';
  return isSilence(failure) ? 'NoResponse' : 'RequestFailed';
};

/** What a failed request says of the node; `silence`: the status that no answer at all stands for. */
export const unanswered = (failure: Failure, silence: Status): Conclusion =>
  conclude(isSilence(failure) ? silence : 'Unknown', failureReason(failure), failureText(failure));

/** Unknown while no report of the process that runs now is there: what the last one said is no word of this one. */
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
