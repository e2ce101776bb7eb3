// The checks of the node as a whole, which are part of every answer: what each looks at, what it says, and the node's own
// words for what is wrong.

import { formatGoSeconds } from '../../protocol/duration.ts';
import { faultsOf, subnetIdOf } from '../scenario.ts';
import { chainsWithoutVm } from './chain-checks.ts';
import type { CheckContext } from './context.ts';
import { diskspace } from './diskspace.ts';
import { applicationTag, type Check, type CheckOutcome } from './worker.ts';

const applicationCheck = (name: string, run: Check['run']): Check => ({ name, tags: [applicationTag], run });

export const applicationChecks = (context: CheckContext): readonly Check[] => [
  applicationCheck('network', () => network(context)),
  applicationCheck('router', () => router(context)),
  applicationCheck('database', async () => {
    await context.chains.checkDatabase();
    return {};
  }),
  applicationCheck('diskspace', () => diskspace(context)),
  ...(context.dialect === 'avalanchego'
    ? [
        applicationCheck('bls', () => ({ message: 'node has the correct BLS key' })),
        applicationCheck('futureupgrade', () => futureUpgrade),
      ]
    : []),
];

/** Any subnet that is not bootstrapped fails it, the primary network among them. */
export const bootstrappedCheck = (context: CheckContext): Check =>
  applicationCheck('bootstrapped', () => {
    const unfinished = context.chains.statuses().filter(({ state }) => state !== 'running');
    const subnetIds = [...unfinished, ...chainsWithoutVm(context)].map(({ subnetId }) => subnetId);
    const held = faultsOf(context.faults(), 'subnet-bootstraps').map(({ subnet }) => subnetIdOf(context.scenario, subnet));
    const message = [...new Set([...subnetIds, ...held])].sort();
    return message.length === 0 ? { message } : { message, error: 'subnets not bootstrapped' };
  });

export const shuttingDownCheck = applicationCheck('shuttingDown', () => ({
  message: { isShuttingDown: true },
  error: 'server shutting down',
}));

const outcome = (message: object, what: string, reasons: readonly (string | false)[]): CheckOutcome => {
  const given = reasons.filter((reason) => reason !== false);
  return given.length === 0 ? { message } : { message, error: `${what} reason: ${given.join(', ')}` };
};

const maxQuietSeconds = 60;
/** From then on a validator without inbound connections is taken for unreachable. */
const ingressGraceSeconds = 10 * 60;

const network = ({ peers, uptime, scenario, dialect }: CheckContext): CheckOutcome => {
  const { connectedPeers, secondsSinceMessage: received } = peers();
  const sent = received === undefined ? undefined : received / 2;
  const hasIngress = dialect === 'avalanchego' && scenario.sybilProtection && uptime() >= ingressGraceSeconds;
  const quiet = (seconds: number | undefined, way: 'from' | 'to', verb: 'received' | 'sent'): string | false => {
    if (seconds === undefined) return `no messages ${verb} ${way} network`;
    return seconds > maxQuietSeconds && `no messages ${way} network ${verb} in ${formatGoSeconds(seconds)} > 1m0s`;
  };
  const message = {
    connectedPeers,
    ...(hasIngress && {
      'primary network validator health': { ingressConnectionCount: connectedPeers, primaryNetworkValidator: true },
    }),
    sendFailRate: 0,
    ...(received !== undefined && { timeSinceLastMsgReceived: formatGoSeconds(received) }),
    ...(sent !== undefined && { timeSinceLastMsgSent: formatGoSeconds(sent) }),
  };
  // Without sybil protection it never fails.
  if (!scenario.sybilProtection) return { message };
  return outcome(message, 'network layer is unhealthy', [
    connectedPeers < 1 && `not connected to a minimum of 1 peer(s) only ${connectedPeers}`,
    quiet(received, 'from', 'received'),
    quiet(sent, 'to', 'sent'),
    hasIngress && connectedPeers === 0 && 'primary network validator has no inbound connections',
  ]);
};

const maxOutstanding = 1024;
const maxRequestSeconds = 5 * 60;

const router = ({ requests }: CheckContext): CheckOutcome => {
  const outstanding = requests.size;
  const longest = outstanding === 0 ? 0 : (performance.now() - Math.min(...requests.values())) / 1000;
  return outcome(
    { longestRunningRequest: formatGoSeconds(longest), outstandingRequests: outstanding },
    'the router is not healthy',
    [
      outstanding > maxOutstanding && `number of outstanding requests ${outstanding} > ${maxOutstanding}`,
      longest > maxRequestSeconds &&
        `time for outstanding requests ${formatGoSeconds(longest)} > ${formatGoSeconds(maxRequestSeconds)}`,
    ],
  );
};

/** No upgrade is announced: the mode is the epoch. */
const futureUpgrade: CheckOutcome = {
  message: {
    localUpgradeTime: '2020-12-05T05:00:00Z',
    modeUpgradeTime: '1970-01-01T00:00:00Z',
    modeUpgradeWeightPercentage: 0,
    numUpgradeTimes: 0,
  },
};
