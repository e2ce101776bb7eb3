// The clock that the node believes in: the right one, unless the scenario has it wrong.

import { type ActiveFault, faultsOf } from './scenario.ts';

/** What the node's clock says at a time of the right one; both in seconds since the Unix epoch. */
export const createClock =
  (faults: () => readonly ActiveFault[]): ((at: number) => number) =>
  (at) =>
    faultsOf(faults(), 'clock-skewed').reduce((time, { offset }) => time + offset, at);
