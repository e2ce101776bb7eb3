// Walks from a number to the newest container, and optionally follows newly accepted ones.

import type { Failure } from '../client/outcome.ts';
import { pause } from '../pause.ts';
import type { Container } from '../protocol/container.ts';
import { nothingAccepted } from '../protocol/refusals.ts';
import type { Asking } from './asking.ts';
import { type RangeOptions, ranges } from './ranges.ts';
import type { Stretch } from './stretch.ts';

export interface WalkOptions extends Omit<RangeOptions, 'end'> {
  /** The last number to read. Default: the newest. */
  readonly last?: bigint | undefined;
  /** Seconds between two requests for the newest container. Default: the walk ends at the newest. */
  readonly followEvery?: number | undefined;
}

/** The size of the index at the time of the request. */
export interface HeadStep {
  readonly kind: 'head';
  /** One past the last number of this stage of the walk. Not larger than `first` if there is nothing to read. */
  readonly end: bigint;
  /** One past the newest number. */
  readonly size: bigint;
  /** Undefined if nothing was accepted yet. */
  readonly newest?: Container;
}

export type WalkStep = Stretch | HeadStep;

/** Ends after the first failed step, at `last`, or when the signal is aborted. */
export async function* walk(options: WalkOptions): AsyncGenerator<WalkStep, void, undefined> {
  const { asking, last, followEvery } = options;
  let next = options.first;
  while (!asking.signal.aborted) {
    const head = await headOf(asking, last);
    if (head.kind === 'failed') {
      yield { ...head, at: next };
      return;
    }
    yield head;
    for await (const stretch of ranges({ ...options, first: next, end: head.end })) {
      yield stretch;
      if (stretch.kind === 'failed') return;
    }
    if (next < head.end) next = head.end;
    if (followEvery === undefined || (last !== undefined && next > last)) return;
    await pause(followEvery, asking.signal);
  }
}

const headOf = async (
  asking: Asking,
  last: bigint | undefined,
): Promise<HeadStep | { readonly kind: 'failed'; readonly failure: Failure }> => {
  const asked = await asking.ask((client, index, signal) => client.indexRpc(index, 'index.getLastAccepted', {}, signal));
  if (asked.kind === 'ok') {
    const newest = asked.value;
    const size = newest.index + 1n;
    return { kind: 'head', end: last !== undefined && last + 1n < size ? last + 1n : size, size, newest };
  }
  const { failure } = asked;
  const isEmpty = failure.kind === 'rpc-error' && nothingAccepted.test(failure.message);
  return isEmpty ? { kind: 'head', end: 0n, size: 0n } : { kind: 'failed', failure };
};
