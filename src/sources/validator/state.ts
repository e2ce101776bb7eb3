// What is known of a node as a validator, and what one poll brings.

import type { Answer } from '../../client/client.ts';
import type { Validator } from '../../protocol/platform.ts';
import type { Observed } from '../../snapshot/observed.ts';
import type { Reward, RewardState } from './reward.ts';

export type Uptime =
  /** The node does not serve it. */
  | { readonly state: 'off' }
  /** It is no validator, or its P-Chain is bootstrapping. */
  | { readonly state: 'none' }
  /** As ratios of the whole stake of the Primary Network. */
  | { readonly state: 'seen'; readonly weighted: number; readonly rewarding: number };

/** In the validator set of a subnet. */
export type SetMembership =
  /** The node does not serve its P-Chain, or it is bootstrapping. */
  | { readonly state: 'off' | 'bootstrapping' }
  | { readonly state: 'none' }
  | { readonly state: 'validator'; readonly record: Validator };

/** When the Helicon upgrade is; `at` is absent where it is not scheduled. */
export interface Helicon {
  readonly at?: number;
}

/** What a node saw of another. */
export interface Sighting {
  /** Of the staking period that it is about; seconds since the Unix epoch. */
  readonly start: number;
  /** Of that period so far, as a ratio. */
  readonly uptime: number;
}

/** What another watched node saw of this one. */
export interface Witness {
  readonly target: string;
  readonly uptime: number;
}

export interface AssessedReward extends Reward {
  /** Share of the stake; absent where the check of chain P does not say. */
  readonly connected?: number;
  /** Where another watched node saw it in this staking period. */
  readonly witness?: Witness;
}

export interface ValidatorState {
  /** Of the Primary Network, by the configuration. */
  readonly expected: boolean;
  /** Whose state it is. */
  readonly nodeId?: string;
  readonly uptime: Observed<Uptime>;
  readonly helicon: Observed<Helicon>;
  /** By the id of the subnet. */
  readonly memberships: ReadonlyMap<string, Observed<SetMembership>>;
  /** Of the continuous fee of an active L1 validator: nAVAX a second. */
  readonly feePrice: Observed<number>;
  /** What it saw of other watched nodes, by NodeID, while enough of the stake was connected to it. */
  readonly sightings: Observed<ReadonlyMap<string, Sighting>>;
  /** What follows from all of it. */
  readonly reward: Observed<AssessedReward>;
  /** Of the reward the last state that was not unknown: what the log has said stands until it is known to be otherwise. */
  readonly lastJudged?: RewardState;
  /** Polls in a row after which the reward was unknown for want of the connected stake. */
  readonly unconnected: number;
  /** Polls in a row in which the node answered its readiness, and not this. */
  readonly unanswered: number;
}

/** Nothing, where it is not asked. */
export interface ValidatorAsked {
  readonly nodeId?: string;
  readonly uptime?: Answer<Uptime>;
  readonly helicon?: Answer<Helicon>;
  readonly memberships: ReadonlyMap<string, Answer<SetMembership>>;
  readonly feePrice?: Answer<number>;
  /** Absent where its view counts for nothing. */
  readonly sightings?: ReadonlyMap<string, Sighting>;
  readonly reward?: AssessedReward;
  /** What else was asked on the way. */
  readonly others: readonly Answer<unknown>[];
}
