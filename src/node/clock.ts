// The node's own clock: correct, unless the scenario skews it.

import { type ActiveFault, faultsOf } from './scenario.ts';

/** Time of the node's clock at the correct time `now`; both in seconds since the Unix epoch. */
export const skewed = (faults: readonly ActiveFault[], now: number): number =>
  faultsOf(faults, 'clock-skewed').reduce((time, { offset }) => time + offset, now);

/** From seconds since the Unix epoch: a double keeps their microseconds. */
export const nanosecondsOf = (seconds: number): bigint => BigInt(Math.round(seconds * 1e6)) * 1000n;
