// What is known about a validator, and what one poll returns.

import type { Answer } from '../../client/client.ts';
import type { Validator } from '../../protocol/platform.ts';
import type { Observed } from '../../snapshot/observed.ts';
import type { Reward, RewardState } from './reward.ts';

export type Uptime =
  /** The node does not serve it. */
  | { readonly state: 'off' }
  /** It is not a validator, or its P-Chain is bootstrapping. */
  | { readonly state: 'none' }
  /** As ratios of all stake of the Primary Network. */
  | { readonly state: 'seen'; readonly weighted: number; readonly rewarding: number };

/** Whether the node is in the validator set of a subnet, and its record there. */
export type SetMembership =
  /** The node does not serve its P-Chain, or is bootstrapping it. */
  | { readonly state: 'off' | 'bootstrapping' }
  | { readonly state: 'none' }
  | { readonly state: 'validator'; readonly record: Validator };

/** Time of the Helicon upgrade in seconds since the Unix epoch. `at` is absent if it is not scheduled. */
export interface Helicon {
  readonly at?: number;
}

/** Uptime of another node as a node observed it. */
export interface Sighting {
  /** Start of the staking period that it is about, in seconds since the Unix epoch. */
  readonly start: number;
  /** In that period so far, as a ratio. */
  readonly uptime: number;
}

/** Uptime of this node as another watched node observed it, as a ratio. */
export interface Witness {
  readonly target: string;
  readonly uptime: number;
}

export interface AssessedReward extends Reward {
  /** Connected stake as a ratio. Absent if check P does not report it. */
  readonly connected?: number;
  /** When check P ran; node's clock. */
  readonly connectedAt?: number;
  /** Set if another watched node observed it in this staking period. */
  readonly witness?: Witness;
}

export interface ValidatorState {
  /** Whether the configuration expects a Primary Network validator. */
  readonly expected: boolean;
  /** NodeID of the node that this state is about. */
  readonly nodeId?: string;
  readonly uptime: Observed<Uptime>;
  readonly helicon: Observed<Helicon>;
  /** By subnet id. */
  readonly memberships: ReadonlyMap<string, Observed<SetMembership>>;
  /** Continuous fee of an active L1 validator, in nAVAX per second. */
  readonly feePrice: Observed<number>;
  /** What it observed of other watched nodes, by NodeID, while enough of the stake was connected to it. */
  readonly sightings: Observed<ReadonlyMap<string, Sighting>>;
  /** The assessment that follows from all of the above. */
  readonly reward: Observed<AssessedReward>;
  /** The last state of the reward that was not unknown: what was logged stands until another state is known. */
  readonly lastJudged?: RewardState;
  /** Consecutive polls that did not assess the reward because the connected stake was unknown or old. */
  readonly unconnected: number;
  /** Consecutive polls in which the node responded for its readiness, but not for this. */
  readonly unanswered: number;
}

/** What one poll returned. Empty if nothing was asked. */
export interface ValidatorAsked {
  readonly nodeId?: string;
  readonly uptime?: Answer<Uptime>;
  readonly helicon?: Answer<Helicon>;
  /** Undefined for a subnet that is asked for in a later poll. */
  readonly memberships: ReadonlyMap<string, Answer<SetMembership> | undefined>;
  readonly feePrice?: Answer<number>;
  /** Absent if too little stake is connected to the node for them to count. */
  readonly sightings?: ReadonlyMap<string, Sighting>;
  readonly reward?: AssessedReward;
  /** The last reward was assessed with the same run of check P: it stays, like the sightings, until it expires. */
  readonly isRunAssessed?: boolean;
  /** Responses to further requests of the poll, which only tell whether it succeeded. */
  readonly others: readonly Answer<unknown>[];
}
