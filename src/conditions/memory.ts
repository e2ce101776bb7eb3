// What the conditions of a target remember from poll to poll. Only the memory of liveness is saved on disk.

import type { HealthReport } from '../protocol/health.ts';
import type { Observed } from '../snapshot/observed.ts';

/** Numbers of consecutive health check runs that passed, and of runs or polls that failed. */
export interface InARow {
  readonly passes: number;
  readonly fails: number;
}

export interface ReadyMemory extends InARow {
  readonly tags: readonly string[];
  readonly ready: boolean;
  /** The last result that was counted, so that it is not counted again before the tag set is polled again. */
  readonly counted?: Observed<HealthReport>;
  /** The exporter was delayed since the last report, which does not count any more: a failed poll after it is no improvement. */
  readonly isDelayed?: boolean;
  /** Start of the newest run; node's clock. */
  readonly run?: number;
  /** The counts before that run, because a later poll may see more results of it. Absent if the run is not counted. */
  readonly before?: InARow;
}

export interface LiveMemory {
  /** The current process has responded before. If the listening process is known, it was the same before and after that response. */
  readonly answered: boolean;
  /** Consecutive polls in which all requests timed out. `since`: the end of the first one; exporter's clock. */
  readonly timeouts?: { readonly since: number; readonly polls: number };
  /** When the condition became False because of them; exporter's clock. */
  readonly deadAt?: number;
  /** The listening process after the last poll, if known. The memory does not count for a different one. */
  readonly listener?: string;
  /** The check interval of the node, settled while that process listened. */
  readonly interval?: number;
}

export interface ConditionMemory {
  /** The memory does not count for a different URL. */
  readonly url: string;
  /** This and the next are copied from the state: a greater number means a different process. */
  readonly restarts: number;
  readonly nodeIdChanges: number;
  /** End of the last poll that was evaluated: the same poll must not be counted twice. */
  readonly polledAt?: number;
  /** By name of the tag set. */
  readonly ready: ReadonlyMap<string, ReadyMemory>;
  readonly live: LiveMemory;
}

export const neverReady = (tags: readonly string[]): ReadyMemory => ({ tags, ready: false, passes: 0, fails: 0 });

export const neverAnswered: LiveMemory = { answered: false };
