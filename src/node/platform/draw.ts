// Pseudorandom numbers for the simulated validators, which depend only on the network's seed and their purpose.

import { sha256 } from '../../protocol/id.ts';

/** At least 0, less than 1. */
export const lot = (...names: readonly (string | number)[]): number => sha256(names.join('/')).readUInt32BE(0) / 2 ** 32;
