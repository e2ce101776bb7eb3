// Follows the tail of an index: verifies each newly accepted container, a limited range per poll.
//
// Verification starts at the head, not at 0. It restarts at the head if the index is another one, or if the head is too far ahead. A gap
// between two containers is skipped. If a requested container or its id does not exist, verification continues at the head. So each error is
// found once.

import type { Answer } from '../../client/client.ts';
import { addAll } from '../../lists.ts';
import { noContainer, noNumber, notFound } from '../../protocol/refusals.ts';
import { valueIn } from '../../snapshot/observed.ts';
import type { Accepted } from './head.ts';
import { type Checked, gap, type IntegrityError, inspect } from './integrity-error.ts';
import type { ContainerRange, IndexAnswers } from './questions.ts';

/** Maximum containers per poll, and maximum distance of the tail to the head before it restarts there. */
export const maxContainers = 64;
export const maxBehind = 1024n;

/** The last verified container. */
export interface Tail {
  /** −1 if the index was empty. */
  readonly number: bigint;
  readonly last?: Pick<Accepted, 'id' | 'timestamp'>;
  /** When the tail last grew or was at the head; seconds, exporter's clock. */
  readonly at: number;
}

export interface Following {
  readonly tail?: Tail;
  /** Maximum containers per request: halved after a failed request, one more after each successful one. */
  readonly rangeSize: number;
}

export interface Followed extends Following {
  readonly errors: readonly IntegrityError[];
}

/**
 * next: continue after the tail · first: nothing was verified before · back: the head moved back · far: the head is more than
 * maxBehind ahead · changed: the head has the tail's number, but another id. All but `next` start at the head.
 */
export interface TailPlan extends ContainerRange {
  readonly why: 'next' | 'first' | 'back' | 'far' | 'changed';
}

/** Undefined if there is nothing new. */
export const planTail = ({ tail, rangeSize }: Following, head: Accepted): TailPlan | undefined => {
  const atHead = (why: TailPlan['why']): TailPlan => ({ why, start: head.index, count: 1 });
  if (tail === undefined) return atHead('first');
  const ahead = head.index - tail.number;
  if (ahead < 0n) return atHead('back');
  if (ahead > maxBehind) return atHead('far');
  if (ahead === 0n) return tail.last?.id === head.id ? undefined : atHead('changed');
  return { why: 'next', start: tail.number + 1n, count: Math.min(Number(ahead), rangeSize) };
};

export const reachesHead = ({ start, count }: ContainerRange, head: Accepted): boolean => start + BigInt(count) > head.index;

/** Forgets what was verified. */
export const withoutTail = ({ tail: _, ...rest }: Following): Following => rest;

/** `plan`: undefined if the tail is at the head. */
export const followTail = (
  before: Following,
  plan: TailPlan | undefined,
  head: Accepted,
  { range, numbersOf }: IndexAnswers,
  at: number,
): Followed => {
  if (plan === undefined) return { ...before, ...(before.tail && { tail: { ...before.tail, at } }), errors: [] };
  const started = plan.why === 'next' ? before : withoutTail(before);
  const changed: readonly IntegrityError[] =
    plan.why === 'changed' ? [{ kind: 'number', number: head.index, detail: 'the container at this index has changed' }] : [];
  const atHead: Tail = { number: head.index, last: { id: head.id, timestamp: head.timestamp }, at };
  const lost = lossOf(plan, range);
  if (lost !== undefined) return { ...started, tail: atHead, errors: [...changed, lost] };
  const containers = valueIn(range) ?? [];
  if (containers.length === 0) return { ...started, rangeSize: Math.max(1, Math.floor(plan.count / 2)), errors: changed };

  const headCheck = reachesHead(plan, head) ? checkNumber(head, numbersOf.get(head.id)) : 'agrees';
  const { errors, last, inOrder } = inspectRange(containers, plan, { container: head, check: headCheck }, started);
  const next: Tail | undefined = last ? { ...last, at } : started.tail;
  const tail = inOrder ? next : atHead;
  return {
    ...(tail && { tail }),
    rangeSize: Math.min(maxContainers, before.rangeSize + 1),
    errors: [...changed, ...errors, ...(typeof headCheck === 'object' ? [headCheck] : [])],
  };
};

/** A single container was requested, and the index has lost it, or its id. */
const lossOf = ({ start, count }: TailPlan, answer: Answer<unknown> | undefined): IntegrityError | undefined => {
  if (count > 1 || answer?.outcome.kind !== 'rpc-error') return undefined;
  const { message } = answer.outcome;
  if (noContainer.test(message)) return gap(start, start);
  return noNumber.test(message) ? unfoundId(start) : undefined;
};

const unfoundId = (number: bigint): IntegrityError => ({ kind: 'id', number, detail: 'the index does not find its id' });

/** Whether the index returns the same number for the id of its last container. */
type HeadCheck = 'agrees' | 'unknown' | IntegrityError;

const checkNumber = ({ index: number }: Accepted, answer: Answer<{ readonly index: bigint }> | undefined): HeadCheck => {
  const outcome = answer?.outcome;
  if (outcome?.kind === 'ok') {
    const { index } = outcome.value;
    return index === number ? 'agrees' : { kind: 'id', number, detail: `the index returns ${index} for its id` };
  }
  const isUnfound = outcome?.kind === 'rpc-error' && notFound.test(outcome.message);
  return isUnfound ? unfoundId(number) : 'unknown';
};

interface InspectedRange {
  readonly errors: readonly IntegrityError[];
  readonly last?: Omit<Tail, 'at'> | undefined;
  /** False if the response has a number out of order or out of range. */
  readonly inOrder: boolean;
}

const inspectRange = (
  containers: readonly Checked[],
  { start, count }: ContainerRange,
  head: { readonly container: Accepted; readonly check: HeadCheck },
  before: Following,
): InspectedRange => {
  const errors: IntegrityError[] = [];
  let last: Omit<Tail, 'at'> | undefined;
  let expected = start;
  for (const container of containers) {
    const { index: number, id, timestamp } = container;
    if (number < expected || number >= start + BigInt(count)) {
      const detail = `container ${number} was returned instead of ${expected}`;
      return { errors: [...errors, { kind: 'number', number: expected, detail }], inOrder: false };
    }
    const isHead = number === head.container.index;
    if (isHead && head.check === 'unknown') break;
    if (number > expected) errors.push(gap(expected, number - 1n));
    addAll(errors, inspect(container, last?.last ?? before.tail?.last));
    if (isHead && id !== head.container.id && head.check === 'agrees')
      errors.push({ kind: 'id', number, detail: 'it is not the last accepted container of this index' });
    last = { number, last: { id: isHead ? head.container.id : id, timestamp } };
    expected = number + 1n;
  }
  return { errors, inOrder: true, last };
};
