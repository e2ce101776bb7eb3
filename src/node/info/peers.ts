// List of the simulated peers.

import { primaryNetworkId } from '../../protocol/id.ts';
import type { WirePeer } from '../../protocol/info.ts';
import { formatInstant } from '../../protocol/time.ts';
import { nanosecondsOf } from '../clock.ts';
import type { CheckContext } from '../health/context.ts';
import { peerIdAt } from '../identity.ts';
import { faultsOf } from '../scenario.ts';
import { nodeVersion } from './release.ts';
import { knownUpgrade, lastUpgrade, scheduledUpgrade } from './upgrades.ts';

/** Connected validators first, then peers that are not validators. */
export const simulatedPeers = (context: CheckContext): readonly WirePeer[] => {
  const { connectedPeers, secondsSinceMessage = 0 } = context.peers();
  const { others, connected, saidBy } = context.standing();
  const validators = others.filter((nodeId) => connected.has(nodeId));
  const [upgraded] = faultsOf(context.faults(), 'peers-upgrade');
  const own = knownUpgrade(context) ?? lastUpgrade;
  const upgradeTime = scheduledUpgrade(context) ?? lastUpgrade;
  const messageAt = nanosecondsOf(Math.floor(context.now() - secondsSinceMessage));
  const message = formatInstant(messageAt, context.scenario.utcOffset);
  return Array.from({ length: connectedPeers }, (_, at): WirePeer => {
    const isUpgraded = upgraded !== undefined && at < Math.round(upgraded.share * connectedPeers);
    const nodeID = validators[at] ?? peerIdAt(at);
    const host = `10.${Math.floor(at / 65_536) % 256}.${Math.floor(at / 256) % 256}.${at % 256}`;
    return {
      ip: `${host}:46442`,
      publicIP: `${host}:9651`,
      nodeID,
      version: isUpgraded ? upgraded.version : nodeVersion.version,
      upgradeTime: isUpgraded ? upgradeTime : own,
      lastSent: message,
      lastReceived: message,
      observedUptime: context.scenario.sybilProtection ? `${saidBy(nodeID)}` : '0',
      trackedSubnets: [primaryNetworkId],
      supportedACPs: [],
      objectedACPs: [],
      benched: [],
    };
  });
};
