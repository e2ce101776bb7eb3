// Timestamps of acceptance: what this node's own clock says. Set back, it has an index run backwards, as on a real node.

import { formatInstant } from '../../protocol/time.ts';

/** Gives the RFC 3339 timestamp that `clock` has for a time of the network's, in seconds. */
export const acceptanceClock =
  (clock: (at: number) => number, offsetMinutes: number): ((at: number) => string) =>
  (at) =>
    // A double keeps microseconds of today.
    formatInstant(BigInt(Math.round(clock(at) * 1e6)) * 1000n, offsetMinutes);
