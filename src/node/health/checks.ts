// The checks of the node as a whole: what each looks at, what it says, and the node's own words for what is wrong.

import { formatGoSeconds } from '../../protocol/duration.ts';
import type { Dialect } from '../dialect.ts';
import type { Scenario } from '../scenario.ts';
import type { Disk, Peers, Requests } from './sources.ts';
import type { CheckOutcome } from './worker.ts';

const outcome = (message: unknown, error: string | undefined): CheckOutcome => ({
  ...(message !== undefined && { message }),
  ...(error !== undefined && { error }),
});

const listed = (what: string, reasons: readonly (string | false)[]): string | undefined => {
  const given = reasons.filter((reason) => reason !== false);
  return given.length === 0 ? undefined : `${what} reason: ${given.join(', ')}`;
};

/**
 * A real node warns at the first threshold and ends itself at the second. This one only says so: a drill must not end with the
 * node, and what really fills its disk is met in the store, which stops accepting until there is room.
 */
export const diskspace = (disk: Disk, limits: Scenario['disk'], dialect: Dialect): CheckOutcome => {
  const { availableBytes, availablePercentage: free } = disk;
  const below = (threshold: string, percentage: number): string =>
    `remaining available disk space percentage (${free}%) is below ${threshold} available space percentage (${percentage}%)`;
  const error =
    free < limits.requiredPercentage
      ? below('minimum required', limits.requiredPercentage)
      : free < limits.warningPercentage
        ? below('warning threshold', limits.warningPercentage)
        : undefined;
  return outcome(
    { availableDiskBytes: availableBytes, ...(dialect === 'avalanchego' && { availableDiskPercentage: free }) },
    error,
  );
};

const maxOutstanding = 1024;
const maxRequestSeconds = 5 * 60;

export const router = ({ outstanding, longestSeconds }: Requests): CheckOutcome =>
  outcome(
    { longestRunningRequest: formatGoSeconds(longestSeconds), outstandingRequests: outstanding },
    listed('the router is not healthy', [
      outstanding > maxOutstanding && `number of outstanding requests ${outstanding} > ${maxOutstanding}`,
      longestSeconds > maxRequestSeconds &&
        `time for outstanding requests ${formatGoSeconds(longestSeconds)} > ${formatGoSeconds(maxRequestSeconds)}`,
    ]),
  );

const maxQuietSeconds = 60;
const maxSendFailRate = 0.9;
/** From when on a validator without inbound connections is thought unreachable. */
const ingressGraceSeconds = 10 * 60;

export interface NetworkView {
  readonly peers: Peers;
  readonly uptimeSeconds: number;
  readonly sybilProtection: boolean;
  readonly dialect: Dialect;
}

export const network = ({ peers, uptimeSeconds, sybilProtection, dialect }: NetworkView): CheckOutcome => {
  const { connectedPeers, sendFailRate, secondsSinceReceived: received, secondsSinceSent: sent } = peers;
  const ingress = dialect === 'avalanchego' && sybilProtection && uptimeSeconds >= ingressGraceSeconds;
  const quiet = (seconds: number | undefined, way: 'from' | 'to', verb: 'received' | 'sent'): string | false => {
    if (seconds === undefined) return `no messages ${verb} ${way} network`;
    return seconds > maxQuietSeconds && `no messages ${way} network ${verb} in ${formatGoSeconds(seconds)} > 1m0s`;
  };
  const reasons = [
    connectedPeers < 1 && `not connected to a minimum of 1 peer(s) only ${connectedPeers}`,
    quiet(received, 'from', 'received'),
    quiet(sent, 'to', 'sent'),
    sendFailRate > maxSendFailRate && `messages failure send rate ${sendFailRate} > ${maxSendFailRate}`,
    ingress && connectedPeers === 0 && 'primary network validator has no inbound connections',
  ];
  return outcome(
    {
      connectedPeers,
      ...(ingress && {
        'primary network validator health': { ingressConnectionCount: connectedPeers, primaryNetworkValidator: true },
      }),
      sendFailRate,
      ...(received !== undefined && { timeSinceLastMsgReceived: formatGoSeconds(received) }),
      ...(sent !== undefined && { timeSinceLastMsgSent: formatGoSeconds(sent) }),
    },
    sybilProtection ? listed('network layer is unhealthy', reasons) : undefined,
  );
};

export const bootstrapped = (subnetIds: readonly string[]): CheckOutcome =>
  outcome(subnetIds, subnetIds.length === 0 ? undefined : 'subnets not bootstrapped');

export const bls: CheckOutcome = { message: 'node has the correct BLS key' };

/** No upgrade is announced: the mode is the epoch. */
export const futureUpgrade: CheckOutcome = {
  message: {
    localUpgradeTime: '2020-12-05T05:00:00Z',
    modeUpgradeTime: '1970-01-01T00:00:00Z',
    modeUpgradeWeightPercentage: 0,
    numUpgradeTimes: 0,
  },
};

export const shuttingDown: CheckOutcome = { message: { isShuttingDown: true }, error: 'server shutting down' };
