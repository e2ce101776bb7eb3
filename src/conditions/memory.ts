// What the conditions of a target remember from poll to poll. That of liveness alone is kept on disk.

import type { HealthReport } from '../protocol/health.ts';
import type { Observed } from '../snapshot/observed.ts';

/** Health check runs of the node, or failed polls, in a row. */
export interface InARow {
  readonly passes: number;
  readonly fails: number;
}

export interface ReadyMemory extends InARow {
  readonly tags: readonly string[];
  readonly ready: boolean;
  /** What was counted last: where the tag set was not asked since, nothing is counted. */
  readonly counted?: Observed<HealthReport>;
  /** Start of the newest run seen; node's clock. */
  readonly run?: number;
  /** The counts before that run: a later poll may see more of it. Absent once it is not to be counted any more. */
  readonly before?: InARow;
}

export interface LiveMemory {
  /** The process that is asked has answered before. Where it is known who listens, it listened before that answer and after it. */
  readonly answered: boolean;
  /** Polls in a row in which every request only timed out. `since`: the first one's end; exporter's clock. */
  readonly timeouts?: { readonly since: number; readonly polls: number };
  /** When it was taken for dead because of them; exporter's clock. */
  readonly deadAt?: number;
  /** Who listened after the last poll, where that is known: what is remembered counts for no other. */
  readonly listener?: string;
  /** The node's check interval, settled while that one listened. */
  readonly interval?: number;
}

export interface ConditionMemory {
  /** Another address is another node. */
  readonly url: string;
  /** Of the state, both: a greater number is another process. */
  readonly restarts: number;
  readonly nodeIdChanges: number;
  /** End of the poll that was judged last; a state that was not polled since changes no count. */
  readonly polledAt?: number;
  /** By the name of the tag set. */
  readonly ready: ReadonlyMap<string, ReadyMemory>;
  readonly live: LiveMemory;
}

export const neverReady = (tags: readonly string[]): ReadyMemory => ({ tags, ready: false, passes: 0, fails: 0 });

export const neverAnswered: LiveMemory = { answered: false };
