// Reads an index between two numbers: fetches several stretches concurrently, returns them in order, and holds only those in flight.

import { type Asking, containerAt } from './asking.ts';
import { type Stretch, type StretchReader, stretchReader } from './stretch.ts';

/** Where a walk begins, and how it sends its requests. */
export interface WalkStart {
  readonly asking: Asking;
  readonly first: bigint;
  /** Stretches in flight, at least 1. */
  readonly concurrency: number;
}

export interface RangeOptions extends WalkStart {
  /** One past the last. */
  readonly end: bigint;
  /** As in stretchReader. */
  readonly strict: boolean;
  /** Requests getContainerByIndex for 0, 1, 2 and so on, instead of ranges: the pattern that the interface documents. */
  readonly oneByOne?: boolean | undefined;
}

/**
 * Yields stretches in order, without a gap between them. Ends after the first failed one. If the reader stops early, requests in flight end
 * with the signal of `asking`.
 */
export async function* ranges(options: RangeOptions): AsyncGenerator<Stretch, void, undefined> {
  const { asking, end, concurrency, strict, oneByOne = false } = options;
  const reader = oneByOne ? singleReader(asking) : stretchReader(asking, strict);
  const inFlight: Promise<Stretch>[] = [];
  let next = options.first;
  const launch = (): void => {
    while (inFlight.length < concurrency && next < end) {
      const span = reader.span();
      const stop = end - next < span ? end : next + span;
      inFlight.push(reader.read(next, stop));
      next = stop;
    }
  };
  launch();
  for (;;) {
    const stretch = await inFlight.shift();
    if (stretch === undefined) return;
    // Requests the next stretch before the reader gets this one, so that the node works while the reader does.
    if (stretch.kind === 'containers') launch();
    yield stretch;
    if (stretch.kind === 'failed') return;
  }
}

const singleReader = (asking: Asking): StretchReader => ({
  span: () => 1n,
  read: async (first, end) => {
    const asked = await asking.ask(containerAt(first));
    if (asked.kind === 'failed') return { ...asked, at: first };
    const { value } = asked;
    if (value.index === first) return { kind: 'containers', first, end, containers: [value] };
    const reason = `container ${value.index} returned instead of ${first}`;
    return { kind: 'failed', at: first, failure: { kind: 'malformed', reason } };
  },
});
