// What is known from the info API, and what one poll returns.

import type { Answer } from '../../client/client.ts';
import type { Peer } from '../../protocol/info.ts';
import { lastValue, type Observed } from '../../snapshot/observed.ts';

export interface InfoApi {
  /** off: the node does not serve it: 404, or a response that it cannot have sent */
  readonly state: 'off' | 'on';
}

export interface NextUpgrade {
  readonly name: string;
  /** Seconds since the Unix epoch. */
  readonly at: number;
}

export interface Upgrades {
  /** The first one after the time of the response. Absent if none is scheduled. */
  readonly next?: NextUpgrade;
}

export interface PeerVersions {
  /** By version, the most common first: at most `maxVersions`, then `other`. Peers that report no version count as `unknown`. */
  readonly counts: ReadonlyMap<string, number>;
  /** Peers with a newer version than the node's. Absent if that is unknown. */
  readonly newer?: number;
}

/** Each response is observed separately, so that an invalid one does not affect the others. */
export interface InfoState {
  readonly api: Observed<InfoApi>;
  /** `avalanchego/1.14.2` */
  readonly version: Observed<string>;
  /** Version before the last restart, until the node has reported its current one. */
  readonly formerVersion?: string | undefined;
  /** `mainnet`, `fuji`, `network-12345` */
  readonly network: Observed<string>;
  readonly upgrades: Observed<Upgrades>;
  readonly peers: Observed<PeerVersions>;
  /** Consecutive polls in which the node responded for its readiness, but not for this. */
  readonly unanswered: number;
}

/** The last version that was known, also from before a restart. */
export const lastVersion = ({ version, formerVersion }: InfoState): string | undefined => lastValue(version) ?? formerVersion;

/** What one poll returned. Empty if nothing was asked. */
export interface InfoAsked {
  readonly api?: Answer<InfoApi>;
  readonly version?: Answer<string>;
  readonly network?: Answer<string>;
  readonly upgrades?: Answer<Upgrades>;
  readonly peers?: Answer<readonly Peer[]>;
}
