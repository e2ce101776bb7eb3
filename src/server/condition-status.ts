// The conditions of a node in the format of Kubernetes conditions.

import type { Condition, ConditionReason, Conditions, Status } from '../conditions/condition.ts';
import { notPolled } from '../conditions/unanswered.ts';
import { isoOf, shortened } from '../text.ts';

export interface ConditionStatus {
  readonly type: 'Started' | 'Live' | 'Ready' | 'Healthy';
  readonly status: Status;
  /** One of a fixed list of words in CamelCase. */
  readonly reason: ConditionReason;
  readonly message: string;
  /** When the status last changed: RFC 3339, by the exporter's clock. */
  readonly lastTransitionTime?: string;
  /** Reasons of the failing checks that count; absent if there are none. */
  readonly failureReasons?: readonly string[];
}

/** The conditions of a target. */
export type TargetConditions = readonly [started: ConditionStatus, live: ConditionStatus];

/** The conditions of a tag set. */
export type TagSetConditions = readonly [ready: ConditionStatus, healthy: ConditionStatus];

export const conditionStatus = (
  type: ConditionStatus['type'],
  { status, reason, message, failureReasons, lastTransitionAt }: Condition,
  wallOffset: number,
): ConditionStatus => ({
  type,
  status,
  reason,
  message: shortened(message, 500),
  ...(lastTransitionAt !== undefined && { lastTransitionTime: isoOf(lastTransitionAt + wallOffset) }),
  ...(failureReasons.length > 0 && { failureReasons }),
});

export const targetConditions = ({ started, live }: Conditions, wallOffset: number): TargetConditions => [
  conditionStatus('Started', started, wallOffset),
  conditionStatus('Live', live, wallOffset),
];

export const tagSetConditions = ({ ready, healthy }: Conditions, tagSet: string, wallOffset: number): TagSetConditions => [
  conditionStatus('Ready', ready.get(tagSet) ?? notPolled, wallOffset),
  conditionStatus('Healthy', healthy.get(tagSet) ?? notPolled, wallOffset),
];
