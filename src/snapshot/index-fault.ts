// What can be wrong with the containers of an index, and how it is seen.

import type { Container } from '../protocol/container.ts';
import { idOfBytes } from '../protocol/container-id.ts';
import type { IndexName } from '../protocol/paths.ts';
import { parseInstantNanoseconds } from '../protocol/time.ts';

/**
 * gap: numbers without a container · number: another number than was asked for, or another container than before under one ·
 * id: number and id do not agree both ways · time: accepted before its predecessor · bytes: no hex, or its checksum is wrong ·
 * hash: the id is not the hash of the bytes
 */
export type IndexFaultKind = 'gap' | 'number' | 'id' | 'time' | 'bytes' | 'hash';

export interface IndexFault {
  readonly kind: IndexFaultKind;
  /** Of the container, or the first of a gap. */
  readonly number: bigint;
  /** One sentence; of the node's it holds numbers and timestamps. */
  readonly detail: string;
}

export const gap = (from: bigint, to: bigint): IndexFault => ({
  kind: 'gap',
  number: from,
  detail: from === to ? `there is no container ${from}` : `there are no containers ${from} to ${to}`,
});

/** The chain's rule on ids binds. On the C-Chain only once a container was seen to keep it: old blocks have Ethereum's ids. */
export const idIsAlwaysHash = (index: IndexName): boolean => index !== 'C/block';

/** What a container says of itself: its bytes and, after `predecessor`, its time. `idIsHash`: the rule binds, before and after. */
export const inspect = (
  container: Container,
  predecessor: Pick<Container, 'timestamp'> | undefined,
  idIsHash: boolean,
): { readonly faults: readonly IndexFault[]; readonly idIsHash: boolean } => {
  const { index: number, timestamp } = container;
  const faults: IndexFault[] = [];
  if (predecessor !== undefined && isEarlier(timestamp, predecessor.timestamp))
    faults.push({ kind: 'time', number, detail: `it was accepted at ${timestamp}, its predecessor at ${predecessor.timestamp}` });
  const id = idOfBytes(container);
  if (id === 'unreadable') faults.push({ kind: 'bytes', number, detail: 'its bytes are no hex, or their checksum is wrong' });
  if (id === 'not-hash' && idIsHash) faults.push({ kind: 'hash', number, detail: 'its id is not the hash of its bytes' });
  return { faults, idIsHash: idIsHash || id === 'hash' };
};

const isEarlier = (a: string, b: string): boolean => (parseInstantNanoseconds(a) ?? 0n) < (parseInstantNanoseconds(b) ?? 0n);
