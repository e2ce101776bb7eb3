// Fetches one stretch of an index completely, in smaller pieces if a response would be too large or too slow, or is cut off.

import type { Failure } from '../client/outcome.ts';
import { type Container, maxFetchedByRange } from '../protocol/container.ts';
import { isAbsence } from '../protocol/refusals.ts';
import type { Asking, AskOutcome } from './asking.ts';

/** `containers`: of [first, end), in the order of the responses. */
export type Stretch =
  | { readonly kind: 'containers'; readonly first: bigint; readonly end: bigint; readonly containers: readonly Container[] }
  | { readonly kind: 'failed'; readonly at: bigint; readonly failure: Failure };

export interface StretchReader {
  /** At most maxFetchedByRange containers. */
  readonly read: (first: bigint, end: bigint) => Promise<Stretch>;
  /** Recommended size of a stretch: smaller after a response was too large or too slow, and then slowly larger again. */
  readonly span: () => bigint;
}

const failed = (at: bigint, failure: Failure): Stretch => ({ kind: 'failed', at, failure });

/** A node or a proxy whose own time limit is shorter than ours resets the connection. */
const isTooSlow = ({ kind }: Failure): boolean => kind === 'timeout' || kind === 'reset';

const isTooMuch = (failure: Failure): boolean => failure.kind === 'too-large' || isTooSlow(failure);

const min = (a: bigint, b: bigint): bigint => (a < b ? a : b);

const maxSpan = BigInt(maxFetchedByRange);

/**
 * Strict: it is a failure if the node returns anything but the requested numbers in order. Not strict: containers stay as they arrived, and
 * ranges that the node rejects are split until only the numbers without a container remain, which are left out. If its database fails for a
 * single number, the request is retried: that is not a gap.
 */
export const stretchReader = (asking: Asking, strict: boolean): StretchReader => {
  let span = maxSpan;

  const askRange = (startIndex: bigint, numToFetch: bigint): Promise<AskOutcome<readonly Container[]>> =>
    asking.ask(
      (client, index, signal) => client.indexRpc(index, 'index.getContainerRange', { startIndex, numToFetch }, signal),
      (failure) => isTooMuch(failure) || (!strict && numToFetch > 1n && failure.kind === 'rpc-error'),
    );

  const read = async (first: bigint, end: bigint): Promise<Stretch> => {
    const pieces: (readonly Container[])[] = [];
    let at = first;
    let piece = end - first;
    let failures = 0;
    while (at < end) {
      const count = min(piece, end - at);
      const asked = await askRange(at, count);
      if (asked.kind === 'ok') {
        const fault = strict ? wrongNumber(asked.value, at, count) : undefined;
        if (fault !== undefined) return failed(at, { kind: 'malformed', reason: fault });
        pieces.push(asked.value);
        at = after(at, BigInt(asked.value.length), asked.value);
        failures = 0;
        piece = count * 2n;
        if (count === span) span = min(maxSpan, span + span / 16n + 1n);
        continue;
      }
      const { failure } = asked;
      if (isTooSlow(failure)) failures += 1;
      if (failures >= asking.tries || asking.signal.aborted) return failed(at, failure);
      // It may also be a restart of the node.
      if (failure.kind === 'reset') asking.backOff(failure, failures);
      if (isTooMuch(failure)) {
        if (failure.kind === 'too-large' && count === 1n) return failed(at, failure);
        piece = count > 1n ? count / 2n : 1n;
        span = min(span, piece);
      } else {
        if (strict || failure.kind !== 'rpc-error') return failed(at, failure);
        if (count > 1n) piece = count / 2n;
        else if (isAbsence(failure)) at += 1n;
        else return failed(at, failure);
      }
    }
    const [only] = pieces;
    return { kind: 'containers', first, end, containers: pieces.length === 1 && only !== undefined ? only : pieces.flat() };
  };

  return { read, span: () => span };
};

const wrongNumber = (containers: readonly Container[], first: bigint, count: bigint): string | undefined => {
  if (containers.length === 0) return `no container ${first}, though a later one was accepted`;
  if (containers.length > count) return `${containers.length} containers returned instead of ${count}`;
  let expected = first;
  for (const { index } of containers) {
    if (index !== expected) return `container ${index} returned instead of ${expected}`;
    expected += 1n;
  }
  return undefined;
};

/** The next number to request. A node that skips lost containers returns fewer, so its last number shows how far it got. */
const after = (at: bigint, count: bigint, containers: readonly Container[]): bigint => {
  const last = containers.at(-1)?.index;
  const next = last !== undefined && last >= at + count ? last + 1n : at + count;
  return next > at ? next : at + 1n;
};
