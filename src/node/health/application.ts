// Checks of the node as a whole, which are part of every report: what each examines, its message, and the node's own
// words for its error.

import { least } from '../../lists.ts';
import { formatGoSeconds } from '../../protocol/duration.ts';
import { faultsOf, subnetIdOf } from '../scenario.ts';
import { chainsWithoutVm } from './chain-checks.ts';
import type { CheckContext } from './context.ts';
import { diskspace } from './diskspace.ts';
import { futureUpgrade } from './future-upgrade.ts';
import { applicationTag, type CheckOutcome, type HealthCheck } from './worker.ts';

const applicationCheck = (name: string, run: HealthCheck['run']): HealthCheck => ({ name, tags: [applicationTag], run });

export const applicationChecks = (context: CheckContext): readonly HealthCheck[] => [
  applicationCheck('network', () => network(context)),
  applicationCheck('router', () => router(context)),
  applicationCheck('database', async () => {
    await context.chains.checkDatabase();
    return {};
  }),
  applicationCheck('diskspace', () => diskspace(context)),
  ...(context.dialect === 'avalanchego'
    ? [applicationCheck('bls', () => bls(context)), applicationCheck('futureupgrade', () => futureUpgrade(context))]
    : []),
];

/** Fails if any subnet is not bootstrapped, including the Primary Network. */
export const bootstrappedCheck = (context: CheckContext): HealthCheck =>
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
/** Uptime after which a validator without inbound connections counts as unreachable. */
const ingressGraceSeconds = 10 * 60;

const network = (context: CheckContext): CheckOutcome => {
  const { peers, uptime, scenario, dialect } = context;
  const primaryNetworkValidator = isValidator(context);
  const { connectedPeers, secondsSinceMessage: received } = peers();
  const sent = received === undefined ? undefined : received / 2;
  const hasIngress = dialect === 'avalanchego' && uptime() >= ingressGraceSeconds;
  // As in the real node: `from` for sent messages too.
  const quiet = (seconds: number | undefined, way: 'from' | 'to', verb: 'received' | 'sent'): string | false => {
    if (seconds === undefined) return `no messages ${verb} ${way} network`;
    return seconds > maxQuietSeconds && `no messages from network ${verb} in ${formatGoSeconds(seconds)} > 1m0s`;
  };
  const message = {
    connectedPeers,
    ...(hasIngress && {
      'primary network validator health': { ingressConnectionCount: connectedPeers, primaryNetworkValidator },
    }),
    sendFailRate: 0,
    ...(received !== undefined && { timeSinceLastMsgReceived: formatGoSeconds(received) }),
    ...(sent !== undefined && { timeSinceLastMsgSent: formatGoSeconds(sent) }),
  };
  // Never fails without sybil protection.
  if (!scenario.sybilProtection) return { message };
  return outcome(message, 'network layer is unhealthy', [
    connectedPeers < 1 && `not connected to a minimum of 1 peer(s) only ${connectedPeers}`,
    quiet(received, 'from', 'received'),
    quiet(sent, 'to', 'sent'),
    hasIngress && primaryNetworkValidator && connectedPeers === 0 && 'primary network validator has no inbound connections',
  ]);
};

const maxOutstanding = 1024;
const maxRequestSeconds = 5 * 60;

const router = ({ requests }: CheckContext): CheckOutcome => {
  const outstanding = requests.size;
  const longest = outstanding === 0 ? 0 : (performance.now() - least(requests.values())) / 1000;
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

const bls = (context: CheckContext): CheckOutcome => ({
  message: isValidator(context) ? 'node has the correct BLS key' : 'node is not a validator',
});

/** Without sybil protection every node is a validator. */
const isValidator = ({ scenario, standing }: CheckContext): boolean => !scenario.sybilProtection || standing().own !== undefined;
