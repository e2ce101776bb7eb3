// What can be wrong with the containers of an index, and how it is seen.

import type { Container } from '../../protocol/container.ts';
import { type HashFault, hashFaultOf } from '../../protocol/container-hash.ts';
import type { IndexName } from '../../protocol/paths.ts';
import { isEarlier } from '../../protocol/time.ts';

/**
 * gap: numbers without a container · number: another number than was asked for, or another container than before under one ·
 * id: number and id do not agree both ways · time: accepted before its predecessor · bytes: no hex, or its checksum is wrong ·
 * hash: the id is not the hash of the bytes
 */
export const integrityErrorKinds = ['gap', 'number', 'id', 'time', 'bytes', 'hash'] as const;
export type IntegrityErrorKind = (typeof integrityErrorKinds)[number];

export interface IntegrityError {
  readonly kind: IntegrityErrorKind;
  /** Of the container, or the first of a gap. */
  readonly number: bigint;
  /** One sentence; of the node's it holds numbers and timestamps. */
  readonly detail: string;
}

export const gap = (from: bigint, to: bigint): IntegrityError => ({
  kind: 'gap',
  number: from,
  detail: from === to ? `there is no container ${from}` : `there are no containers ${from} to ${to}`,
});

/** A container, and what is wrong with its bytes: they themselves may be megabytes, and are not kept until the poll ends. */
export interface Checked extends Omit<Container, 'bytes' | 'encoding'> {
  readonly fault: HashFault | undefined;
}

export const checked = (index: IndexName, { bytes, encoding, ...rest }: Container): Checked => ({
  ...rest,
  fault: hashFaultOf(index, { bytes, encoding, ...rest }),
});

/** What a container says of itself: its bytes, by the rule of the index on ids, and, after `predecessor`, its time. */
export const inspect = (
  { index: number, timestamp, fault }: Checked,
  predecessor: Pick<Container, 'timestamp'> | undefined,
): readonly IntegrityError[] => {
  const errors: IntegrityError[] = [];
  if (predecessor !== undefined && isEarlier(timestamp, predecessor.timestamp))
    errors.push({ kind: 'time', number, detail: `it was accepted at ${timestamp}, its predecessor at ${predecessor.timestamp}` });
  return fault === undefined ? errors : [...errors, { ...fault, number }];
};
