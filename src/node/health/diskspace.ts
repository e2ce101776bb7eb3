// The disk check: the file system of the data dir, or what the scenario says of it.

import { statfs } from 'node:fs/promises';
import { type ActiveFault, faultsOf } from '../scenario.ts';
import type { CheckContext } from './context.ts';
import type { CheckOutcome } from './worker.ts';

interface Disk {
  readonly availableBytes: number;
  readonly availablePercentage: number;
}

/**
 * A real node warns at the first threshold and ends itself at the second. This one only says so: a drill must not end with the
 * node, and what really fills its disk is met in the store, which stops accepting until there is room.
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

/** The file system that holds `folder`, as it is. */
const diskOf = async (folder: string): Promise<Disk> => {
  const { bavail, bsize, blocks } = await statfs(folder);
  return { availableBytes: bavail * bsize, availablePercentage: blocks === 0 ? 0 : Math.floor((bavail / blocks) * 100) };
};

/** The disk as the scenario fills it: of bytes and percentage the one that it leaves out follows from the other. */
const filled = (real: Disk, faults: readonly ActiveFault[]): Disk => {
  const [fault] = faultsOf(faults, 'disk-fills');
  if (fault === undefined) return real;
  const total = real.availablePercentage === 0 ? 0 : (real.availableBytes / real.availablePercentage) * 100;
  const { availablePercentage, availableBytes = Math.round((total * (availablePercentage ?? 0)) / 100) } = fault;
  const percentage = total === 0 ? 0 : Math.floor((availableBytes / total) * 100);
  return { availableBytes, availablePercentage: availablePercentage ?? percentage };
};
