// Follows the tail of an index: looks at every container that comes, a bounded stretch of them in a poll.
//
// It begins at the head, not at 0, and again at the head when the index is another one, or its head has run too far ahead. A
// gap between two containers is passed over; where a container cannot be had at all, it goes on at the head. So each fault is
// found once.

import type { Answer } from '../../client/client.ts';
import type { Container } from '../../protocol/container.ts';
import type { IndexName } from '../../protocol/paths.ts';
import { noContainer, notFound } from '../../protocol/refusals.ts';
import { gap, type IndexFault, inspect } from './fault.ts';
import type { IndexAnswers, Stretch } from './questions.ts';

/** Most containers in a poll, and most that the tail may be behind the head without restarting there. */
export const maxContainers = 64;
export const maxBehind = 1024n;

/** How far the containers were looked at. */
export interface Tail {
  /** Of the last one; −1 in an index that was seen to be empty. */
  readonly number: bigint;
  readonly last?: Pick<Container, 'id' | 'timestamp'>;
  /** When this was last all there was, or grew; seconds, exporter's clock. */
  readonly at: number;
}

export interface Following {
  readonly tail?: Tail;
  /** Most containers to ask for at once: half as many after an answer that did not come, one more after each that did. */
  readonly stretch: number;
  /** Its rule on ids binds. */
  readonly index: IndexName;
}

/**
 * next: what follows the tail · first: nothing was looked at before · back: the head moved back · far: it is over maxBehind
 * ahead · changed: its number is the tail's, and its id is not. All but the first restart at the head.
 */
export interface TailPlan extends Stretch {
  readonly why: 'next' | 'first' | 'back' | 'far' | 'changed';
}

/** Undefined where there is nothing new to look at. */
export const planTail = ({ tail, stretch }: Following, head: Container): TailPlan | undefined => {
  const restart = (why: TailPlan['why']): TailPlan => ({ why, start: head.index, count: 1 });
  if (tail === undefined) return restart('first');
  const ahead = head.index - tail.number;
  if (ahead < 0n) return restart('back');
  if (ahead > maxBehind) return restart('far');
  if (ahead === 0n) return tail.last?.id === head.id ? undefined : restart('changed');
  return { why: 'next', start: tail.number + 1n, count: Number(ahead < BigInt(stretch) ? ahead : BigInt(stretch)) };
};

export const reachesHead = ({ start, count }: Stretch, head: Container): boolean => start + BigInt(count) > head.index;

export interface Followed extends Following {
  readonly faults: readonly IndexFault[];
}

/** `plan` undefined: the tail is all there is. */
export const follow = (
  before: Following,
  plan: TailPlan | undefined,
  head: Container,
  { stretch, numbersOf }: IndexAnswers,
  at: number,
): Followed => {
  if (plan === undefined) return { ...before, ...(before.tail !== undefined && { tail: { ...before.tail, at } }), faults: [] };
  const started = plan.why === 'next' ? before : withoutTail(before);
  const changed: readonly IndexFault[] =
    plan.why === 'changed' ? [{ kind: 'number', number: head.index, detail: 'it is another container than before' }] : [];
  const atHead: Tail = { number: head.index, last: { id: head.id, timestamp: head.timestamp }, at };
  if (isMissing(plan, stretch)) return { ...started, tail: atHead, faults: [...changed, gap(plan.start, plan.start)] };
  if (stretch?.outcome.kind !== 'ok' || stretch.outcome.value.length === 0)
    return { ...started, stretch: Math.max(1, Math.floor(plan.count / 2)), faults: changed };

  const reaches = reachesHead(plan, head);
  const headsNumber = reaches ? judgeNumber(head, numbersOf.get(head.id)) : 'agrees';
  const looked = observeNode(stretch.outcome.value, plan, { container: head, judged: headsNumber }, started);
  const faults = [...changed, ...looked.faults, ...(typeof headsNumber === 'object' ? [headsNumber] : [])];
  const tail = looked.inOrder ? (looked.last === undefined ? started.tail : { ...looked.last, at }) : atHead;
  return {
    ...(tail !== undefined && { tail }),
    index: before.index,
    stretch: Math.min(maxContainers, before.stretch + 1),
    faults,
  };
};

/** Of what was looked at nothing is kept. */
export const withoutTail = ({ tail: _, ...rest }: Following): Following => rest;

/** One container was asked for by a number below the head's, and there is none. */
const isMissing = ({ count }: TailPlan, answer: Answer<unknown> | undefined): boolean =>
  count === 1 && answer?.outcome.kind === 'rpc-error' && noContainer.test(answer.outcome.message);

/** What the index says of the number of its own last container. */
type Judged = 'agrees' | 'unknown' | IndexFault;

const judgeNumber = ({ index: number }: Container, answer: Answer<{ readonly index: bigint }> | undefined): Judged => {
  const outcome = answer?.outcome;
  if (outcome?.kind === 'ok') {
    const { index } = outcome.value;
    return index === number ? 'agrees' : { kind: 'id', number, detail: `the index gives ${index} for its id` };
  }
  const unfound = outcome?.kind === 'rpc-error' && notFound.test(outcome.message);
  return unfound ? { kind: 'id', number, detail: 'the index does not find its id' } : 'unknown';
};

interface Observation {
  readonly faults: readonly IndexFault[];
  readonly last?: Omit<Tail, 'at'>;
  /** False when the answer was not what was asked for, from some container on. */
  readonly inOrder: boolean;
}

const observeNode = (
  containers: readonly Container[],
  { start, count }: Stretch,
  head: { readonly container: Container; readonly judged: Judged },
  before: Following,
): Observation => {
  const end = start + BigInt(count);
  const faults: IndexFault[] = [];
  let last: Omit<Tail, 'at'> | undefined;
  let expected = start;
  for (const container of containers) {
    const { index: number, id, timestamp } = container;
    if (number < expected || number >= end) {
      const detail = `container ${number} came where ${expected} was asked for`;
      return { faults: [...faults, { kind: 'number', number: expected, detail }], inOrder: false };
    }
    const isHead = number === head.container.index;
    if (isHead && head.judged === 'unknown') break;
    if (number > expected) faults.push(gap(expected, number - 1n));
    faults.push(...inspect(before.index, container, last?.last ?? before.tail?.last));
    if (isHead && id !== head.container.id && head.judged === 'agrees')
      faults.push({ kind: 'id', number, detail: 'it is not the container that was accepted last under that number' });
    last = { number, last: { id: isHead ? head.container.id : id, timestamp } };
    expected = number + 1n;
  }
  return { faults, inOrder: true, ...(last !== undefined && { last }) };
};
