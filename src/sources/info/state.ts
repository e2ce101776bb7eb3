// What is known of what a node says of itself, and what one poll brings.

import type { Answer } from '../../client/client.ts';
import type { Peer } from '../../protocol/info.ts';
import { lastValue, type Observed } from '../../snapshot/observed.ts';

export type InfoApi =
  /** 404, or whatever else is no answer of it: the node does not serve it. */
  { readonly state: 'off' } | { readonly state: 'on'; readonly nodeId: string };

export interface NextUpgrade {
  readonly name: string;
  /** Seconds since the Unix epoch. */
  readonly at: number;
}

export interface Upgrades {
  readonly scheduled: ReadonlyMap<string, number>;
  /** The first that was not past when the node answered. */
  readonly next?: NextUpgrade;
}

export interface PeerVersions {
  /** By version, the commonest first: at most `maxVersions`, the rest as `other`, those that say none as `unknown`. */
  readonly counts: ReadonlyMap<string, number>;
  /** How many run a newer version than the node; absent where its own is unknown. */
  readonly newer?: number;
}

/** Each answer is observed by itself: one that is odd costs no other. */
export interface InfoState {
  readonly api: Observed<InfoApi>;
  /** `avalanchego/1.14.2` */
  readonly version: Observed<string>;
  /** What it was before the process that runs now, until that has said its own. */
  readonly formerVersion?: string | undefined;
  /** `mainnet`, `fuji`, `network-12345` */
  readonly network: Observed<string>;
  readonly upgrades: Observed<Upgrades>;
  readonly peers: Observed<PeerVersions>;
  /** Polls in a row in which the node answered its readiness, and not this. */
  readonly unanswered: number;
}

/** The last one that was known, of whatever process. */
export const lastVersion = ({ version, formerVersion }: InfoState): string | undefined => lastValue(version) ?? formerVersion;

/** Nothing, where it is not asked. */
export interface InfoAsked {
  readonly api?: Answer<InfoApi>;
  readonly version?: Answer<string>;
  readonly network?: Answer<string>;
  readonly upgrades?: Answer<Upgrades>;
  readonly peers?: Answer<readonly Peer[]>;
}
