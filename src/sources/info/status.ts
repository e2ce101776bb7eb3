// What API and page show from the info API.

import { current, lastValue, type Observed } from '../../snapshot/observed.ts';
import { counted, isoOf } from '../../text.ts';
import { type ObservedStatus, observedStatus } from '../observed-status.ts';
import type { Fact, StatusContext } from '../source.ts';
import type { InfoState } from './state.ts';

export interface InfoStatus {
  readonly info: NodeInfo;
}

/** Observations that are too old are left out, except for the network, which does not change. */
interface NodeInfo extends ObservedStatus {
  /** off: the node does not serve /ext/info, or it is not asked */
  readonly state: 'on' | 'off' | 'unknown';
  readonly version?: string;
  readonly network?: string;
  readonly nextUpgrade?: { readonly name: string; readonly at: string };
  /** The most common first. */
  readonly peerVersions?: readonly { readonly version: string; readonly peers: number }[];
  /** Peers that run a newer version than the node. */
  readonly newerPeers?: number;
}

export const infoStatus = ({ api, version, network, upgrades, peers }: InfoState, context: StatusContext): InfoStatus => {
  const now = <T>(observed: Observed<T>): T | undefined => current(observed, context.now, context.maxAge);
  const [runs, chain, next, versions] = [now(version), lastValue(network), now(upgrades)?.next, now(peers)];
  return {
    info: {
      ...observedStatus(api, context),
      state: context.options.info ? (lastValue(api)?.state ?? 'unknown') : 'off',
      ...(runs !== undefined && { version: runs }),
      ...(chain !== undefined && { network: chain }),
      ...(next !== undefined && { nextUpgrade: { name: next.name, at: isoOf(next.at) } }),
      ...(versions !== undefined && {
        peerVersions: Array.from(versions.counts, ([name, count]) => ({ version: name, peers: count })),
      }),
      ...(versions?.newer !== undefined && { newerPeers: versions.newer }),
    },
  };
};

export const infoFacts = ({ state, version, network, nextUpgrade, newerPeers = 0, lastError }: NodeInfo): readonly Fact[] => {
  if (state === 'off') return [{ name: 'Version', value: 'unknown', note: 'the info API is off' }];
  const note = newerPeers > 0 ? { note: `${counted(newerPeers, 'peer runs', 'peers run')} a newer one` } : {};
  const failed = version === undefined && lastError !== undefined ? { note: lastError } : {};
  return [
    { name: 'Version', value: version ?? 'not known yet', ...note, ...failed },
    { name: 'Network', value: network ?? 'not known yet' },
    ...(nextUpgrade === undefined ? [] : [{ name: 'Next upgrade', value: `${nextUpgrade.name}, ${nextUpgrade.at}` }]),
  ];
};
