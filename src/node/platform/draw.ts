// What is drawn for the simulated validators: numbers that depend on nothing but the network's seed and what they are for.

import { sha256 } from '../../protocol/id.ts';
import type { Outage } from './stake-network.ts';

/** At least 0, less than 1. */
export const lot = (...names: readonly (string | number)[]): number => sha256(names.join('/')).readUInt32BE(0) / 2 ** 32;

/** Between the two, small ones more often. */
export const lotBetween = (min: number, max: number, ...names: readonly (string | number)[]): number =>
  // biome-ignore lint/plugin: as many as this call was given.
  min * (max / min) ** lot(...names);

export interface OutageRate {
  /** Seconds from the end of one outage to the next, and of an outage: means of exponential distributions. */
  readonly between: number;
  readonly length: number;
}

/** The outages of a node's process from `from` to `to`. */
export const drawOutages = (seed: number, nodeId: string, from: number, to: number, rate: OutageRate): readonly Outage[] => {
  const span = (mean: number, ...names: readonly (string | number)[]): number =>
    // biome-ignore lint/plugin: as many as this call was given.
    -mean * Math.log(1 - lot(seed, nodeId, ...names));
  const outages: Outage[] = [];
  for (let at = from + span(rate.between, 'first'); at < to; ) {
    const end = at + span(rate.length, 'length', outages.length);
    outages.push({ nodeId, from: at, to: Math.min(end, to) });
    at = end + span(rate.between, 'between', outages.length);
  }
  return outages;
};
