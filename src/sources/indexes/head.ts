// Head of an index, from the response to index.getLastAccepted. Empty, off and historical are states, not errors.

import type { Answer } from '../../client/client.ts';
import type { Failure, Outcome } from '../../client/outcome.ts';
import type { Container } from '../../protocol/container.ts';
import type { IndexName } from '../../protocol/paths.ts';
import { nothingAccepted } from '../../protocol/refusals.ts';
import { valueIn } from '../../snapshot/observed.ts';
import { refusals } from '../source.ts';

/** A container without its bytes, which may be megabytes. */
export type Accepted = Omit<Container, 'bytes' | 'encoding'>;

export type IndexHead =
  | { readonly state: 'ok'; readonly last: Accepted }
  /** Nothing accepted yet. */
  | { readonly state: 'empty' }
  /** 404: indexing is off, or the chain is not created yet. */
  | { readonly state: 'off' }
  /** X/vtx, and X/tx until it grows: `last` is from before the Cortina activation, if present. */
  | { readonly state: 'historical'; readonly last?: Accepted };

/** Last container. Undefined if there is none. */
export const lastOf = (head: IndexHead): Accepted | undefined => ('last' in head ? head.last : undefined);

/** The node serves the index. */
export const isOn = (answer: Answer<IndexHead>): boolean => answer.outcome.kind === 'ok' && !isOff(answer);

/** The node does not serve the index. */
export const isOff = (answer: Answer<IndexHead>): boolean => valueIn(answer)?.state === 'off';

const isEmpty = (failure: Failure): boolean => failure.kind === 'rpc-error' && nothingAccepted.test(failure.message);

/** `before`: previous head of this index on this node, to detect growth. */
export const headOf = (index: IndexName, outcome: Outcome<Container>, before: IndexHead | undefined): Outcome<IndexHead> => {
  if (outcome.kind === 'ok') return { kind: 'ok', value: filled(index, outcome.value, before) };
  if (isEmpty(outcome)) return { kind: 'ok', value: index === 'X/vtx' ? { state: 'historical' } : { state: 'empty' } };
  if (outcome.kind === 'http-status' && outcome.status === 404) return { kind: 'ok', value: { state: 'off' } };
  return outcome;
};

/** For an index that has never been on: any response but a head means that it is not served. */
export const presenceOf = (index: IndexName, outcome: Outcome<Container>): Outcome<IndexHead> => {
  const head = headOf(index, outcome, undefined);
  return refusals.has(head.kind) ? { kind: 'ok', value: { state: 'off' } } : head;
};

const filled = (index: IndexName, { bytes: _, encoding: __, ...last }: Container, before: IndexHead | undefined): IndexHead => {
  if (index === 'X/vtx') return { state: 'historical', last };
  if (index !== 'X/tx') return { state: 'ok', last };
  // The interface lists X/tx like the others, but real nodes stopped filling it at Cortina. Growth shows the difference.
  const grows =
    before?.state === 'ok' ||
    before?.state === 'empty' ||
    (before?.state === 'historical' && (before.last === undefined || before.last.index < last.index));
  return grows ? { state: 'ok', last } : { state: 'historical', last };
};
