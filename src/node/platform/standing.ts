// The node's current place among the network's validators, according to the scenario.

import { primaryNetworkId } from '../../protocol/id.ts';
import type { Peers } from '../health/peers.ts';
import { idAmong, nodeIdOf } from '../identity.ts';
import { scheduledUpgrade } from '../info/upgrades.ts';
import type { Simulation } from '../play.ts';
import { type ActiveFault, faultsOf, type Scenario, subnetIdOf } from '../scenario.ts';
import { currentPeriod, membersOf, type NetworkMember } from './members.ts';
import { isStakingAt, observationsOf, uptimeRequirementOf, weightOf } from './stake-network.ts';
import { type Vote, wholePercent } from './votes.ts';

export interface Standing {
  /** Validators in their staking period, including this node, in order of end time. */
  readonly validators: readonly NetworkMember[];
  /** Undefined if this node is not a validator. */
  readonly own: NetworkMember | undefined;
  /** NodeID that was registered as a validator: the current one, unless the key was lost. */
  readonly registeredId: string;
  /** NodeIDs of all others, in a stable order; those that the node is connected to come first. */
  readonly others: readonly string[];
  readonly connected: ReadonlySet<string>;
  /** Ratio of the member's period in which this node saw it; 1 for itself. */
  readonly seen: (member: NetworkMember) => number;
  /** Uptime of this node as reported by a validator, in whole percent. */
  readonly saidBy: (nodeId: string) => number;
  /** Votes of connected validators; their total weight matches check P. */
  readonly votes: () => readonly Vote[];
  /** Total stake of all validators, in nAVAX. */
  readonly whole: number;
  readonly requirement: number;
}

/** Connected ratio of the stake, from check P. */
const connectedShare = (scenario: Scenario, faults: readonly ActiveFault[]): number =>
  faultsOf(faults, 'stake-disconnects').find(({ chain }) => chain === 'P' || subnetIdOf(scenario, chain) === primaryNetworkId)
    ?.percentConnected ?? 1;

export const createStanding = (simulation: Simulation, peers: () => Peers): (() => Standing) => {
  const { scenario, seed, epoch, faults, uptime, networkNow } = simulation;
  const { own: self, others: all, outages } = membersOf(scenario, seed, epoch);
  const observations = observationsOf(outages);
  const listed = new Set(all.map(({ nodeId }) => nodeId));

  return () => {
    const [at, active] = [networkNow(), faults()];
    const startedAt = at - uptime();
    const ownId = idAmong(active, seed);
    // A machine with another validator's key is that validator; its own NodeID is then unused.
    const isTwin = faultsOf(active, 'key-replaced').some((fault) => fault.seed !== undefined);
    const registeredId = isTwin ? ownId : nodeIdOf(seed);
    const missing = [nodeIdOf(seed), registeredId].filter((id, at, ids) => ids.indexOf(id) === at && !listed.has(id));
    const members = [...all, ...(self === undefined ? [] : missing.map((nodeId) => ({ ...self, nodeId })))];
    const [ends] = faultsOf(active, 'staking-ends');
    const validators = members
      .map((one) => {
        if (one.nodeId !== ownId && listed.has(one.nodeId)) return currentPeriod(one, at);
        return ends === undefined ? one : { ...one, endTime: Math.round(startedAt + ends.since + ends.in) };
      })
      .filter((one) => isStakingAt(one, at))
      .sort((a, b) => a.endTime - b.endTime);
    const own = validators.find(({ nodeId }) => nodeId === ownId);
    const whole = validators.reduce((sum, one) => sum + weightOf(one), 0);

    const others = all.map(({ nodeId }) => nodeId).filter((nodeId) => nodeId !== ownId);
    const share = connectedShare(scenario, active);
    const count = scenario.sybilProtection ? Math.round(others.length * share) : Math.min(others.length, peers().connectedPeers);
    const connected = new Set(others.slice(0, count));
    const fall = fallOf(active, at - startedAt);
    const spared = new Set(others.slice(Math.round(others.length * fall.share)));
    const saidBy = (nodeId: string): number => {
      if (own === undefined) return 0;
      const seen = observations.seen(nodeId, own, at);
      return wholePercent(spared.has(nodeId) ? seen : fall.of(undefined, seen));
    };
    const votes = (): readonly Vote[] => {
      const reached = validators.filter(({ nodeId }) => connected.has(nodeId));
      const weights = reached.reduce((sum, one) => sum + weightOf(one), 0);
      // No set of validators holds exactly that share of the stake.
      const scale = share === 1 ? 1 : Math.max(0, share * whole - (own === undefined ? 0 : weightOf(own))) / weights;
      return reached.map((one) => ({ weight: weightOf(one) * scale, percent: saidBy(one.nodeId) }));
    };
    return {
      validators,
      own,
      registeredId,
      others,
      connected,
      seen: (member) => fall.of(member.nodeId, observations.seen(ownId, member, at)),
      saidBy,
      votes,
      whole,
      requirement: own === undefined ? 0.8 : uptimeRequirementOf(own, { helicon: scheduledUpgrade(simulation) }),
    };
  };
};

/** Reduces observed uptime by the active falls. `nodeId`: undefined for what the others saw of this node. */
const fallOf = (faults: readonly ActiveFault[], uptime: number) => {
  const falls = faultsOf(faults, 'uptime-falls');
  const own = falls.find(({ node }) => node === undefined);
  return {
    /** Ratio of other validators that see this node fall. */
    share: own?.share ?? 1,
    of: (nodeId: string | undefined, seen: number): number => {
      const fall = falls.find(({ node }) => (node === undefined ? undefined : nodeIdOf(node)) === nodeId);
      if (fall === undefined) return seen;
      const { to, over = 0, since } = fall;
      const passed = over === 0 ? 1 : Math.min(1, (uptime - since) / over);
      return passed === 1 ? Math.min(seen, to) : Math.min(seen, seen + (to - seen) * passed);
    },
  };
};
