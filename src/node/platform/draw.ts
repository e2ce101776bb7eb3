// What is drawn for the simulated validators: numbers that depend on nothing but the network's seed and what they are for.

import { sha256 } from '../../protocol/id.ts';

/** At least 0, less than 1. */
export const lot = (...names: readonly (string | number)[]): number => sha256(names.join('/')).readUInt32BE(0) / 2 ** 32;

/** Between the two, small ones more often. */
export const lotBetween = (min: number, max: number, ...names: readonly (string | number)[]): number =>
  min * (max / min) ** lot(names.join('/'));
