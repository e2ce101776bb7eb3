// What is wrong with an index, container by container: a machine that is fed the containers in their order.

import type { Container } from '../protocol/container.ts';
import { hashFaultOf } from '../protocol/container-hash.ts';
import type { IndexName } from '../protocol/paths.ts';
import { isEarlier } from '../protocol/time.ts';
import { seenIds } from './seen-ids.ts';

export const findingKinds = ['gap', 'number', 'duplicate', 'time', 'bytes', 'hash', 'id', 'last'] as const;

/**
 * gap: numbers without a container · number: a number again, or not in order · duplicate: one id under two numbers · time: accepted
 * before its predecessor · bytes: no hex, or its checksum is wrong · hash: the id is not the hash of the bytes · id: asked for
 * by its id or its number alone, the index gives something else · last: the newest container is another when asked for itself.
 */
export type FindingKind = (typeof findingKinds)[number];

export interface Finding {
  readonly kind: FindingKind;
  /** Of the container, or the first of a gap. */
  readonly number: bigint;
  readonly detail: string;
  /** Of a gap: how many numbers. */
  readonly missing?: bigint;
}

/** The same id may stand under two numbers: the caller must compare the two containers, since only a mark of each id is kept. */
export interface Suspect {
  readonly id: string;
  readonly earlier: bigint;
  readonly number: bigint;
}

/** Takes the containers of [first, end) as they came, stretch after stretch. */
export type Checker = (
  containers: readonly Container[],
  first: bigint,
  end: bigint,
) => { readonly findings: readonly Finding[]; readonly suspects: readonly Suspect[] };

export const checkerOf = (index: IndexName, first: bigint): Checker => {
  const seenBefore = seenIds(first);
  let before: string | undefined;

  return (containers, start, end) => {
    const findings: Finding[] = [];
    const suspects: Suspect[] = [];
    let expected = start;
    for (const container of containers) {
      const { index: number, id, timestamp } = container;
      const found = (kind: FindingKind, detail: string): void => void findings.push({ kind, number, detail });
      if (number > expected) findings.push(gapFinding(expected, number));
      if (number < expected) found('number', `found index ${number} where ${expected} was expected`);
      else expected = number + 1n;
      if (before !== undefined && isEarlier(timestamp, before))
        found('time', `accepted at ${timestamp}, its predecessor at ${before}`);
      before = timestamp;
      const fault = hashFaultOf(index, container);
      if (fault !== undefined) found(fault.kind, fault.detail);
      const earlier = seenBefore(id, number);
      if (earlier !== undefined) suspects.push({ id, earlier, number });
    }
    if (expected < end) findings.push(gapFinding(expected, end));
    return { findings, suspects };
  };
};

/** The numbers from `first` on, up to and without `end`. */
export const gapFinding = (first: bigint, end: bigint): Finding => ({
  kind: 'gap',
  number: first,
  detail: end - first === 1n ? `no container ${first}` : `no containers ${first} to ${end - 1n}`,
  missing: end - first,
});
