// The conditions of a node, in the form that Kubernetes uses. Probes, CLI, page, API, metrics, log and labels all use them.

import type { MaintenanceWindow } from '../maintenance/window.ts';
import type { Reason } from '../protocol/reasons.ts';
import type { TargetState } from '../sources/target-state.ts';
import type { ConditionMemory } from './memory.ts';

/** False: the node says so, or does not respond at all. Unknown: it cannot be determined, often because of a problem of the exporter. */
export type Status = 'True' | 'False' | 'Unknown';

export type ConditionReason =
  | 'NotPolled'
  | 'NodeResponding'
  | 'ConnectionRefused'
  | 'NoResponse'
  | 'RequestFailed'
  | 'InvalidReport'
  | 'NodeRestarted'
  | 'ChecksPassing'
  | 'ChecksFailing'
  | 'FailuresIgnored'
  | 'NodeUnhealthy'
  | 'WithinThreshold'
  | 'AwaitingRuns'
  | 'NotInitialized'
  | 'NoChecks'
  | 'UnknownTag'
  | 'TagNotVerified'
  | 'HealthFrozen'
  | 'ReportStale'
  | 'Unresponsive';

export interface Condition {
  readonly status: Status;
  readonly reason: ConditionReason;
  /** One line. It may quote the node, cut to a limit and without control characters. */
  readonly message: string;
  /** The distinct reasons of the failing checks that count; empty if the status is True or has a different cause. */
  readonly failureReasons: readonly Reason[];
  /** When the status last changed; seconds, exporter's steady clock. */
  readonly lastTransitionAt?: number;
}

/** A condition without the time of its last transition. */
export type Conclusion = Omit<Condition, 'lastTransitionAt'>;

export interface Conditions {
  readonly started: Condition;
  readonly live: Condition;
  /** By name of the tag set, for every configured one: whether the node is ready, by the rules of the configuration. */
  readonly ready: ReadonlyMap<string, Condition>;
  /** By name of the tag set: the health that the node reports, or Unknown if the report is not reliable. */
  readonly healthy: ReadonlyMap<string, Condition>;
  /** The time until which (inclusive) the conditions hold without another poll; seconds, exporter's steady clock. */
  readonly trueUntil: number;
  readonly memory: ConditionMemory;
}

/** Whether the node may be restarted now, given the state of the other targets. */
export interface SafeToRestart {
  readonly result: 'safe' | 'unknown' | 'unsafe';
  /** The most important reason against a restart; absent if there is none. */
  readonly message?: string;
}

/** A target with its state and conditions: an immutable value that each poll replaces. */
export interface Target {
  readonly state: TargetState;
  readonly conditions: Conditions;
  /** The open maintenance window. It does not affect the conditions. */
  readonly maintenance?: MaintenanceWindow;
  /** Absent until it is first computed. */
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

/** The transition time stays the same as long as the status does not change. */
export const conditionAfter = (before: Condition | undefined, conclusion: Conclusion, now: number): Condition => ({
  ...conclusion,
  lastTransitionAt: before?.status === conclusion.status && before.lastTransitionAt !== undefined ? before.lastTransitionAt : now,
});
