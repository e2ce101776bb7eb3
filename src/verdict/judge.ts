// The verdicts of a target, made from those before and the snapshot: a pure step, taken after each round of polls.

import type { Snapshot, TargetSnapshot } from '../snapshot/snapshot.ts';
import { finding, type Judgement, judgementOf, type Known, type Memory, type TargetVerdicts } from './judgement.ts';
import { live, neverAnswered } from './live.ts';
import { type ReadyMemory, ready, unready } from './ready.ts';
import { started } from './started.ts';

const notAsked = finding('unknown', 'the node has not been asked yet');

/**
 * `before`: of the same target, before or after a reload of the configuration: what is not asked yet keeps its verdict. What is
 * remembered of a process counts for nobody else: after a restart of the node it is judged afresh.
 */
export const judge = (before: TargetVerdicts | undefined, target: TargetSnapshot, now: number): TargetVerdicts => {
  const { url, tagSets } = target.options;
  const known = before?.memory.url === url ? before : undefined;
  const memory = known === undefined ? undefined : remembered(known.memory, target);

  const readiness = new Map<string, Judgement>();
  const readyMemory = new Map<string, ReadyMemory>();
  for (const tagSet of tagSets) {
    const own = memory?.ready.get(tagSet.name);
    const same = own !== undefined && own.tags.join('\n') === tagSet.tags.join('\n');
    const step = ready(same ? own : unready(tagSet.tags), tagSet, target, now);
    const judged = same ? known?.ready.get(tagSet.name) : undefined;
    readiness.set(
      tagSet.name,
      step === undefined && judged !== undefined ? judged : judgementOf(judged, step?.finding ?? notAsked, now),
    );
    readyMemory.set(tagSet.name, step?.memory ?? (same ? own : unready(tagSet.tags)));
  }
  const start = started(target);
  const alive = live(memory?.live ?? neverAnswered, target, now);
  return {
    started: start === undefined && known !== undefined ? known.started : judgementOf(known?.started, start ?? notAsked, now),
    ready: readiness,
    live: alive === undefined && known !== undefined ? known.live : judgementOf(known?.live, alive?.finding ?? notAsked, now),
    memory: {
      url,
      restarts: target.restarts.count,
      ready: readyMemory,
      live: alive?.memory ?? memory?.live ?? neverAnswered,
    },
  };
};

/** A snapshot that begins anew, after a reload, counts restarts from 0 again and knows of none: so only a rise is one. */
const remembered = (memory: Memory, { restarts }: TargetSnapshot): Memory =>
  restarts.count > memory.restarts
    ? { ...memory, ready: new Map([...memory.ready].map(([name, { tags }]) => [name, unready(tags)])), live: neverAnswered }
    : memory;

/** Every target of a snapshot judged with nothing before: what a saved report, or the first moment, allows to say. */
export const judgeAll = (snapshot: Snapshot, now: number): Known => ({
  snapshot,
  verdicts: new Map([...snapshot.targets].map(([name, target]) => [name, judge(undefined, target, now)])),
});
