// Computes the conditions of a target from its earlier conditions and its state: a pure step after each poll. Every command, probe, page,
// metric, label and event uses the result.

import type { TagSet } from '../snapshot/options.ts';
import { isUnreported } from '../snapshot/process.ts';
import type { TargetState } from '../sources/target-state.ts';
import { type Conclusion, type Condition, type Conditions, conditionAfter } from './condition.ts';
import { healthy } from './healthy.ts';
import { live } from './live.ts';
import { type ConditionMemory, type LiveMemory, neverAnswered, neverReady, type ReadyMemory } from './memory.ts';
import { ready } from './ready.ts';
import { started } from './started.ts';
import { conditionsTrueUntil } from './true-until.ts';
import { notPolled } from './unanswered.ts';

/**
 * `before`: the earlier conditions of the same target. After a reload, a condition is kept until its requests are sent. After a restart of the
 * node, counting starts again, because the memory of one process does not count for another. `recalled`: the liveness state that an earlier run
 * of the exporter has saved; used if there are no earlier conditions.
 */
export const judge = (
  before: Conditions | undefined,
  state: TargetState,
  now: number,
  recalled: LiveMemory = neverAnswered,
): Conditions => {
  const known = before?.memory.url === state.options.url ? before : undefined;
  const memory = known === undefined ? undefined : remembered(known.memory, state);
  // A condition that is kept expires when it would have expired before.
  let until = conditionsTrueUntil(state, now);
  const next = (was: Condition | undefined, conclusion: Conclusion | undefined): Condition => {
    if (conclusion !== undefined) return conditionAfter(was, conclusion, now);
    if (was === undefined || known === undefined) return conditionAfter(undefined, notPolled, now);
    until = Math.min(until, known.trueUntil);
    return was;
  };

  const steps = state.options.tagSets.map((tagSet) => {
    const [former = '', own = firstMemory(memory, tagSet, known)] = ofSameTags(memory, tagSet);
    const was = known?.ready.get(former);
    const step = ready(own, tagSet, state, now, was);
    return {
      name: tagSet.name,
      ready: next(was, step?.conclusion),
      healthy: next(known?.healthy.get(former), healthy(tagSet, state, now)),
      memory: step?.memory ?? own,
    };
  });
  const polledAt = state.lastPoll?.at;
  // A poll counts once. The last poll of a previous address says nothing about the process at this one.
  const isCounted = polledAt !== undefined && polledAt === before?.memory.polledAt && memory === known?.memory;
  const alive = isCounted ? undefined : live(memory?.live ?? recalled, state, now);
  const conditions = {
    started: next(known?.started, started(state)),
    live: next(known?.live, alive?.conclusion),
    ready: new Map(steps.map((step) => [step.name, step.ready])),
    healthy: new Map(steps.map((step) => [step.name, step.healthy])),
    memory: {
      url: state.options.url,
      restarts: state.restarts.count,
      nodeIdChanges: state.nodeIdChanges,
      ...(polledAt !== undefined && { polledAt }),
      ready: new Map(steps.map((step) => [step.name, step.memory])),
      live: alive?.memory ?? memory?.live ?? recalled,
    },
  };
  return { ...conditions, trueUntil: until };
};

/** The memory of a tag set with the same tags, and its former name, which a reload may have changed. The same name has priority. */
const ofSameTags = (
  memory: ConditionMemory | undefined,
  { name, tags }: TagSet,
): readonly [string, ReadyMemory] | readonly [] => {
  const same = Array.from(memory?.ready ?? []).filter(([, one]) => one.tags.join('\n') === tags.join('\n'));
  return same.find(([former]) => former === name) ?? same[0] ?? [];
};

/** If the whole node is ready, a tag set that a reload adds starts as ready, because its checks are among those that passed. */
const firstMemory = (memory: ConditionMemory | undefined, { tags }: TagSet, known: Conditions | undefined): ReadyMemory => {
  const [whole = '', { ready = false } = {}] = Array.from(memory?.ready ?? []).find(([, one]) => one.tags.length === 0) ?? [];
  return { ...neverReady(tags), ready: ready && known?.ready.get(whole)?.status === 'True' };
};

/** A reload may reset the state, which then counts restarts from 0 again: so only an increase is a restart. */
const remembered = (memory: ConditionMemory, { restarts, nodeIdChanges, process }: TargetState): ConditionMemory => {
  const another = restarts.count > memory.restarts || nodeIdChanges > memory.nodeIdChanges;
  if (!another && !isUnreported(process)) return memory;
  const ready = new Map([...memory.ready].map(([name, { tags }]) => [name, neverReady(tags)]));
  return { ...memory, ready, live: another ? neverAnswered : memory.live };
};
