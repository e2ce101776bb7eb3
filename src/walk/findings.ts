// Checks containers one by one, in order, for faults of an index. Keeps state between them.

import type { Container } from '../protocol/container.ts';
import { hashFaultOf } from '../protocol/container-hash.ts';
import type { IndexName } from '../protocol/paths.ts';
import { isEarlier } from '../protocol/time.ts';
import { seenIds } from './seen-ids.ts';

export const findingKinds = ['gap', 'number', 'duplicate', 'time', 'bytes', 'hash', 'id', 'last'] as const;

/**
 * gap: numbers without a container · number: a number that is repeated, or out of order · duplicate: one ID at two numbers · time:
 * accepted before its predecessor · bytes: not hex, or a wrong checksum · hash: the ID is not the hash of the bytes · id: a request by ID or by
 * number returns something else · last: getLastAccepted returns another container for the newest number.
 */
export type FindingKind = (typeof findingKinds)[number];

export interface Finding {
  readonly kind: FindingKind;
  /** Number of the container, or the first number of a gap. */
  readonly number: bigint;
  readonly detail: string;
  /** Only for a gap: how many numbers it has. */
  readonly missing?: bigint;
}

/** An ID that may be at two numbers. The caller must compare the containers, because only a hash of each ID is kept. */
export interface Suspect {
  readonly id: string;
  readonly earlier: bigint;
  readonly number: bigint;
}

/** Takes the containers of [first, end) as they arrived. Call it for consecutive stretches. */
type Checker = (
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

/** A gap of the numbers from `first` to before `end`. */
export const gapFinding = (first: bigint, end: bigint): Finding => ({
  kind: 'gap',
  number: first,
  detail: end - first === 1n ? `no container ${first}` : `no containers ${first} to ${end - 1n}`,
  missing: end - first,
});
