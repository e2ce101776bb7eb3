// The disk check: the file system of the data dir, or the values of the scenario.

import { statfs } from 'node:fs/promises';
import { type ActiveFault, faultsOf } from '../scenario.ts';
import type { CheckContext } from './context.ts';
import type { CheckOutcome } from './worker.ts';

interface Disk {
  readonly availableBytes: number;
  readonly availablePercentage: number;
}

/**
 * A real node warns at the first threshold and exits at the second. This one only reports it: a drill must not stop the
 * node, and a disk that is really full shows in the store, which stops accepting until there is room.
 */
export const diskspace = async ({ dataDir, faults, scenario, dialect }: CheckContext): Promise<CheckOutcome> => {
  const { availableBytes, availablePercentage } = filled(await diskOf(dataDir), faults());
  const { warningPercentage, requiredPercentage } = scenario.disk;
  const message = {
    availableDiskBytes: availableBytes,
    ...(dialect === 'avalanchego' && { availableDiskPercentage: availablePercentage }),
  };
  const below = (threshold: string, percentage: number): CheckOutcome => ({
    message,
    error: `remaining available disk space percentage (${availablePercentage}%) is below ${threshold} available space percentage (${percentage}%)`,
  });
  if (availablePercentage < requiredPercentage) return below('minimum required', requiredPercentage);
  return availablePercentage < warningPercentage ? below('warning threshold', warningPercentage) : { message };
};

/** Actual state of the file system that holds `folder`. */
const diskOf = async (folder: string): Promise<Disk> => {
  const { bavail, bsize, blocks } = await statfs(folder);
  return { availableBytes: bavail * bsize, availablePercentage: blocks === 0 ? 0 : Math.floor((bavail / blocks) * 100) };
};

/** The disk as filled by the scenario: bytes or percentage, if missing, follow from the other. */
const filled = (real: Disk, faults: readonly ActiveFault[]): Disk => {
  const [fault] = faultsOf(faults, 'disk-fills');
  if (fault === undefined) return real;
  const total = real.availablePercentage === 0 ? 0 : (real.availableBytes / real.availablePercentage) * 100;
  const { availablePercentage, availableBytes = Math.round((total * (availablePercentage ?? 0)) / 100) } = fault;
  const percentage = total === 0 ? 0 : Math.floor((availableBytes / total) * 100);
  return { availableBytes, availablePercentage: availablePercentage ?? percentage };
};
