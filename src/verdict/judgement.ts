// What a verdict is. Probe, page, metrics, log and evidence all say the same one.

import type { Reason } from '../protocol/reasons.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import type { LiveMemory } from './live.ts';
import type { ReadyMemory } from './ready.ts';

/** `no`: the node says so, or does not answer at all. `unknown`: it cannot be told, often for a fault of our own. */
export type State = 'yes' | 'no' | 'unknown';

export interface Judgement {
  readonly state: State;
  /** One line; may quote the node, bounded and without control characters. */
  readonly because: string;
  /** Of the failing checks that count, each once; empty where the state is `yes`, or has another cause. */
  readonly reasons: readonly Reason[];
  /** When the state became what it is; seconds, exporter's clock. */
  readonly since?: number;
}

/** What the next step needs to know. Never kept on disk. */
export interface Memory {
  /** Another address is another node. */
  readonly url: string;
  /** Of the snapshot: another number is another process. */
  readonly restarts: number;
  readonly ready: ReadonlyMap<string, ReadyMemory>;
  readonly live: LiveMemory;
}

export interface TargetVerdicts {
  readonly started: Judgement;
  /** By the name of the tag set; every configured one is there from the start. */
  readonly ready: ReadonlyMap<string, Judgement>;
  readonly live: Judgement;
  readonly memory: Memory;
}

/** By the name of the target. */
export type Verdicts = ReadonlyMap<string, TargetVerdicts>;

/** Everything that is known: what the exporter holds in one variable. */
export interface Known {
  readonly snapshot: Snapshot;
  readonly verdicts: Verdicts;
}

/** What a judgement is before it is known since when it holds. */
export type Finding = Omit<Judgement, 'since'>;

export const finding = (state: State, because: string, reasons: readonly Reason[] = []): Finding => ({
  state,
  because,
  reasons,
});

/** The state's age goes on while it stays what it was. */
export const judgementOf = (before: Judgement | undefined, { state, because, reasons }: Finding, now: number): Judgement => ({
  state,
  because,
  reasons,
  since: before?.state === state && before.since !== undefined ? before.since : now,
});
