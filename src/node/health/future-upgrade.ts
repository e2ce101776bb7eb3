// The check of network upgrades: whether most of the connected stake announces one that this release does not know.

import { formatGoSeconds } from '../../protocol/duration.ts';
import { formatInstant } from '../../protocol/time.ts';
import { nanosecondsOf } from '../clock.ts';
import { simulatedPeers } from '../info/peers.ts';
import { knownUpgrade, lastUpgrade } from '../info/upgrades.ts';
import { weightOf } from '../platform/stake-network.ts';
import type { CheckContext } from './context.ts';
import type { CheckOutcome } from './worker.ts';

const hour = 3600;
const day = 24 * hour;

/** The node's errors, by seconds until the upgrade. */
const errors = [
  { within: hour, error: 'imminent network upgrade detected - update immediately' },
  { within: day, error: 'unknown network upgrade detected - update as soon as possible' },
  { within: 3 * day, error: 'unknown network upgrade detected' },
] as const;

export const futureUpgrade = (context: CheckContext): CheckOutcome => {
  const { scenario, standing, now } = context;
  const { validators, whole } = standing();
  // Without sybil protection every node has weight 1, including this one.
  const weights = new Map(validators.map((one) => [one.nodeId, weightOf(one)]));
  if (scenario.sybilProtection && whole === 0) return { error: 'no validators in the current validator set' };
  const announced = new Map<number, number>();
  for (const { nodeID, upgradeTime } of simulatedPeers(context)) {
    const weight = scenario.sybilProtection ? weights.get(nodeID) : 1;
    if (weight !== undefined) announced.set(upgradeTime, (announced.get(upgradeTime) ?? 0) + weight);
  }
  const [mode, weight] = [...announced].reduce((best, one) => (one[1] > best[1] ? one : best), [0, 0] as const);
  const total = scenario.sybilProtection ? whole : 1 + context.peers().connectedPeers;
  const local = knownUpgrade(context) ?? lastUpgrade;
  const message = {
    localUpgradeTime: formatInstant(nanosecondsOf(local)),
    modeUpgradeTime: formatInstant(nanosecondsOf(mode)),
    modeUpgradeWeightPercentage: (100 * weight) / total,
    numUpgradeTimes: announced.size,
  };
  if (local >= mode || weight / total < 0.5) return { message };
  const left = mode - now();
  const told = { ...message, timeUntilUpgrade: formatGoSeconds(left) };
  const error = errors.find(({ within }) => left <= within)?.error;
  return error === undefined ? { message: told } : { message: told, error };
};
