// Integrity errors in the containers of an index, and their detection.

import type { Container } from '../../protocol/container.ts';
import { type HashFault, hashFaultOf } from '../../protocol/container-hash.ts';
import type { IndexName } from '../../protocol/paths.ts';
import { isEarlier } from '../../protocol/time.ts';

/**
 * gap: numbers without a container · number: not the requested number, or the container of a number has changed ·
 * id: number and id do not map to each other · time: accepted before its predecessor · bytes: not hex, or wrong checksum ·
 * hash: the id is not the hash of the bytes
 */
export const integrityErrorKinds = ['gap', 'number', 'id', 'time', 'bytes', 'hash'] as const;
export type IntegrityErrorKind = (typeof integrityErrorKinds)[number];

export interface IntegrityError {
  readonly kind: IntegrityErrorKind;
  /** Number of the container, or the first of a gap. */
  readonly number: bigint;
  /** One sentence. Data from the node: numbers and timestamps. */
  readonly detail: string;
}

export const gap = (from: bigint, to: bigint): IntegrityError => ({
  kind: 'gap',
  number: from,
  detail: from === to ? `there is no container ${from}` : `there are no containers ${from} to ${to}`,
});

/** A container with the fault of its bytes. The bytes may be megabytes and are not kept until the poll ends. */
export interface Checked extends Omit<Container, 'bytes' | 'encoding'> {
  readonly fault: HashFault | undefined;
}

export const checked = (index: IndexName, { bytes, encoding, ...rest }: Container): Checked => ({
  ...rest,
  fault: hashFaultOf(index, { bytes, encoding, ...rest }),
});

/** Returns the integrity errors of a container: the fault of its bytes, and a time before the time of its predecessor. */
export const inspect = (
  { index: number, timestamp, fault }: Checked,
  predecessor: Pick<Container, 'timestamp'> | undefined,
): readonly IntegrityError[] => {
  const errors: IntegrityError[] = [];
  if (predecessor !== undefined && isEarlier(timestamp, predecessor.timestamp))
    errors.push({ kind: 'time', number, detail: `it was accepted at ${timestamp}, its predecessor at ${predecessor.timestamp}` });
  return fault === undefined ? errors : [...errors, { ...fault, number }];
};
