// The separate findings for and against a restart: state of the node, remaining validators of its subnets, and its reward.

import { primaryNetworkId } from '../protocol/id.ts';
import { enoughConnected } from '../sources/validator/reward.ts';
import { rewardWords } from '../sources/validator/status.ts';
import { isoOf, percent, span } from '../text.ts';
import type { OtherValidators } from './groups.ts';
import type { Duty, WatchedNode } from './node.ts';
import { type ReasonDraft, safe, unknown, unsafe } from './reason.ts';

/** Share of the remaining downtime that a restart may use: the rest is a reserve for failures. */
export const allowedShare = 0.5;

/** Networks that also have validators of other operators: they continue without the watched validators. */
const publicNetworks: ReadonlySet<string> = new Set(['mainnet', 'fuji']);

/** A subnet of the node, and its other validators. */
export interface Subnet {
  readonly duty: Duty;
  readonly others: OtherValidators;
}

/** `seconds`: expected downtime. */
export const findings = (node: WatchedNode, subnets: readonly Subnet[], seconds: number): readonly ReasonDraft[] => [
  ...knowledge(node),
  ...subnets.flatMap((one) => ofSubnet(node, one)),
  ...ofReward(node, seconds),
  ...maintenance(node),
];

/** Whether enough is known about the node itself. */
const knowledge = ({ doubt, unexpected, network, duties, unplacedChecks, connected }: WatchedNode): readonly ReasonDraft[] => {
  if (doubt !== undefined) return [unknown('StateUnknown', () => doubt)];
  const uncertain = duties.filter(({ isCertain }) => !isCertain);
  return [
    ...(unexpected !== undefined ? [unsafe('IdentityUnexpected', () => unexpected)] : []),
    ...(network === undefined
      ? [unknown('NetworkUnknown', () => 'the network of the node is unknown: info is off, or has not responded yet')]
      : []),
    ...(uncertain.length > 0
      ? [
          unknown(
            'MembershipUnknown',
            () => `cannot tell whether the node validates ${uncertain.map(({ name }) => name).join(', ')}`,
          ),
        ]
      : []),
    ...(unplacedChecks > 0 ? [unknown('SubnetsUnknown', () => `the subnet of ${unplacedChecks} of its checks is unknown`)] : []),
    ...(duties.length > 0 && (connected ?? 0) < enoughConnected
      ? [
          unknown(
            'ConnectedStakeLow',
            () => `it is connected to ${share(connected)} of the stake, at least ${percent(enoughConnected)} is required`,
          ),
        ]
      : []),
    ...(duties.length === 0 ? [safe('NotValidator', () => 'it is not a validator: a restart costs no reward')] : []),
  ];
};

const ofSubnet = (node: WatchedNode, { duty, others }: Subnet): readonly ReasonDraft[] => {
  const { name, isBootstrapping } = duty;
  const { bootstrapping, names } = others;
  const are = bootstrapping > 1 ? 'are' : 'is';
  return [
    ...(isBootstrapping ? [unsafe('Bootstrapping', () => `it is bootstrapping ${name}`)] : []),
    ...(bootstrapping > 0
      ? [unsafe('OthersBootstrapping', () => `${name}: ${names('bootstrapping').join(', ')} ${are} bootstrapping`)]
      : []),
    others.total === 0 ? alone(node, duty) : left(duty, others),
  ];
};

const alone = ({ network }: WatchedNode, { subnet, name }: Duty): ReasonDraft =>
  subnet === primaryNetworkId && network !== undefined && publicNetworks.has(network)
    ? safe('NoOthersWatched', () => `${name}: no other validator is watched; ${network} has others`)
    : unknown('NoOthersWatched', () => `${name}: no other validator is watched, so the state of the others is unknown`);

/** More than half of the others must be ready: both of two, two of three. */
const left = ({ name }: Duty, { total, ready, uncertain, names }: OtherValidators): ReasonDraft => {
  const counted = () => `${name}: ${ready} of ${total} other watched validators ${ready === 1 ? 'is' : 'are'} ready`;
  if (2 * ready > total) return safe('OthersReady', counted);
  const text = () => `${counted()}, more than half are required; not ready: ${names('notReady').join(', ')}`;
  return 2 * (ready + uncertain) > total
    ? unknown('OthersUnknown', () => `${text()}; of ${uncertain} it is unknown whether they validate it`)
    : unsafe('OthersNotReady', text);
};

const isStaking = ({ duties }: WatchedNode): boolean =>
  duties.some(({ subnet, isCertain }) => subnet === primaryNetworkId && isCertain);

/** Seconds of downtime left until the reward is lost. Undefined unless the reward is on track. */
export const onTrackBudget = (node: WatchedNode): number | undefined =>
  isStaking(node) && node.reward?.state === 'on-track' ? node.reward.outlook?.budgetSeconds : undefined;

/** Reward of the Primary Network: an L1 validator pays its fee whether it is up or not. */
const ofReward = (node: WatchedNode, seconds: number): readonly ReasonDraft[] => {
  if (!isStaking(node)) return [];
  const { state, reason } = node.reward ?? {};
  const budget = onTrackBudget(node);
  if (state === 'lost') return [safe('RewardLost', () => `a restart costs no reward: ${rewardWords.RequirementOutOfReach}`)];
  if (state === 'at-risk' && reason !== undefined)
    return [unsafe('RewardAtRisk', () => `the reward is at risk: ${rewardWords[reason]}`)];
  if (budget === undefined) {
    const why = reason === undefined ? 'uptime and staking period are not known yet, or too old' : rewardWords[reason];
    return [unknown('RewardUnknown', () => `the reward is unknown: ${why}`)];
  }
  const budgetLeft = () => `${span(Math.max(0, budget))} of downtime left until the reward is lost`;
  if (seconds > budget * allowedShare)
    return [unsafe('BudgetTooSmall', () => `${budgetLeft()}: ${span(seconds)} is more than half of it`)];
  return [safe('RewardOnTrack', budgetLeft)];
};

const maintenance = ({ maintenance: window }: WatchedNode): readonly ReasonDraft[] =>
  window === undefined
    ? []
    : [safe('MaintenanceOpen', () => `a maintenance window is open until ${isoOf(window.end)}: ${window.reason}`)];

const share = (connected: number | undefined): string =>
  connected === undefined ? 'an unknown share' : `only ${percent(connected)}`;
