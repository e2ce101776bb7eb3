// What we ourselves conclude of a node, beside what it says: verdicts, a frozen health worker, tags that nothing has.

import { stallingOf, type TagSet, type TargetSnapshot } from '../snapshot/snapshot.ts';
import { stallAt } from '../snapshot/stall.ts';
import { doubtfulTags } from '../snapshot/tag-knowledge.ts';
import type { Judgement, TargetVerdicts } from '../verdict/judgement.ts';
import { isoOf, rounded, shortened } from './text.ts';

/** A target's verdicts without what only their next step needs. */
export type TargetJudgements = Pick<TargetVerdicts, 'started' | 'ready' | 'live'>;

/** By the name of the target. */
export type Judgements = ReadonlyMap<string, TargetJudgements>;

/** Our own verdict, as a probe gives it. */
export interface JudgementStatus {
  readonly state: 'yes' | 'no' | 'unknown';
  readonly because: string;
  readonly reasons: readonly string[];
  /** Since when it is so; exporter's clock. */
  readonly since?: string;
  readonly sinceSeconds?: number;
}

/** Of a target. */
export interface OwnStatus {
  readonly started?: JudgementStatus;
  readonly live?: JudgementStatus;
  /** The API answers, and no check has run any more since then; absent while they run, or as long as that cannot be told. */
  readonly frozen?: { readonly since: string; readonly sinceSeconds: number; readonly suspect?: string };
}

/** Of a tag set. */
export interface OwnTagSetStatus {
  readonly ready?: JudgementStatus;
  /** Tags that add no check of their own: nothing of the node has them. */
  readonly unknownTags?: readonly string[];
}

const judgementOf = ({ state, because, reasons, since }: Judgement, now: number): JudgementStatus => ({
  state,
  because: shortened(because, 500),
  reasons,
  ...(since !== undefined && { since: isoOf(since), sinceSeconds: rounded(now - since) }),
});

export const ownStatusOf = (target: TargetSnapshot, verdicts: TargetJudgements | undefined, now: number): OwnStatus => ({
  ...frozenOf(target, now),
  ...(verdicts !== undefined && { started: judgementOf(verdicts.started, now), live: judgementOf(verdicts.live, now) }),
});

export const ownTagSetStatusOf = (
  target: TargetSnapshot,
  verdicts: TargetJudgements | undefined,
  tagSet: TagSet,
  now: number,
): OwnTagSetStatus => {
  const ready = verdicts?.ready.get(tagSet.name);
  const { unknown } = doubtfulTags(target, tagSet);
  return {
    ...(ready !== undefined && { ready: judgementOf(ready, now) }),
    ...(unknown.length > 0 && { unknownTags: unknown }),
  };
};

const frozenOf = (target: TargetSnapshot, now: number): Pick<OwnStatus, 'frozen'> => {
  const stillness = stallAt(stallingOf(target), now);
  if (stillness === undefined || !stillness.frozen) return {};
  const { since, suspect } = stillness;
  const suspected = suspect !== undefined && { suspect: shortened(suspect, 128) };
  return { frozen: { since: isoOf(since), sinceSeconds: rounded(now - since), ...suspected } };
};
