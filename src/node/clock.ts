// The clock that the node believes in: the right one, unless the scenario has it wrong.

import { type ActiveFault, faultsOf } from './scenario.ts';

/** What the node's clock says at the right time; both in seconds since the Unix epoch. */
export const skewed = (faults: readonly ActiveFault[], now: number): number =>
  faultsOf(faults, 'clock-skewed').reduce((time, { offset }) => time + offset, now);

/** Of seconds since the Unix epoch: a double keeps their microseconds. */
export const nanosecondsOf = (seconds: number): bigint => BigInt(Math.round(seconds * 1e6)) * 1000n;
