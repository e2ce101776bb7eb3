// What is concluded of a node, as Kubernetes writes conditions. Probes, CLI, page, API, metrics, log and labels all say these.

import type { MaintenanceWindow } from '../maintenance/window.ts';
import type { Reason } from '../protocol/reasons.ts';
import type { TargetState } from '../sources/target-state.ts';
import type { ConditionMemory } from './memory.ts';

/** False: the node says so, or does not answer at all. Unknown: it cannot be told, often for a fault of our own. */
export type Status = 'True' | 'False' | 'Unknown';

/** Why, in a word of a closed list. */
const conditionReasons = [
  'NotPolled',
  'NodeResponding',
  'ConnectionRefused',
  'NoResponse',
  'RequestFailed',
  'InvalidReport',
  'NodeRestarted',
  'ChecksPassing',
  'ChecksFailing',
  'FailuresIgnored',
  'NodeUnhealthy',
  'WithinThreshold',
  'AwaitingRuns',
  'NotInitialized',
  'NoChecks',
  'UnknownTag',
  'TagNotVerified',
  'HealthFrozen',
  'ReportStale',
  'Unresponsive',
] as const;

export type ConditionReason = (typeof conditionReasons)[number];

export interface Condition {
  readonly status: Status;
  readonly reason: ConditionReason;
  /** One line; may quote the node, bounded and without control characters. */
  readonly message: string;
  /** Of the failing checks that count, each once; empty where the status is True, or has another cause. */
  readonly failureReasons: readonly Reason[];
  /** When the status became what it is; seconds, exporter's steady clock. */
  readonly lastTransitionAt?: number;
}

/** What a condition is before it is known since when it holds. */
export type Conclusion = Omit<Condition, 'lastTransitionAt'>;

export interface Conditions {
  readonly started: Condition;
  readonly live: Condition;
  /** Take it into service: by the rules of the configuration. By the name of the tag set; every configured one is there. */
  readonly ready: ReadonlyMap<string, Condition>;
  /** What the node says of its health, as far as it can be believed. By the name of the tag set. */
  readonly healthy: ReadonlyMap<string, Condition>;
  /** Until when (inclusive) they hold without another poll; seconds, exporter's steady clock. */
  readonly trueUntil: number;
  readonly memory: ConditionMemory;
}

/** May it be taken down now, for as long as a restart takes, with what is known of the other targets. */
export interface SafeToRestart {
  readonly result: 'safe' | 'unknown' | 'unsafe';
  /** What speaks against it first; absent where nothing does. */
  readonly message?: string;
}

/** A target as everybody sees it: one immutable value, made by each poll. */
export interface Target {
  readonly state: TargetState;
  readonly conditions: Conditions;
  /** That is open. It changes nothing of what is concluded. */
  readonly maintenance?: MaintenanceWindow;
  /** Absent where nobody has asked yet. */
  readonly safeToRestart?: SafeToRestart;
}

/** By name, in the order of the configuration. */
export type Targets = ReadonlyMap<string, Target>;

export const conclude = (
  status: Status,
  reason: ConditionReason,
  message: string,
  failureReasons: readonly Reason[] = [],
): Conclusion => ({ status, reason, message, failureReasons });

/** The age of a status goes on while it stays what it was. */
export const conditionAfter = (before: Condition | undefined, conclusion: Conclusion, now: number): Condition => ({
  ...conclusion,
  lastTransitionAt: before?.status === conclusion.status && before.lastTransitionAt !== undefined ? before.lastTransitionAt : now,
});
