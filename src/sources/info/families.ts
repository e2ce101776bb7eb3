// Metric families of the info API. The node's version and network are labels of snowgauge_target_info.

import { oneOrNone } from '../../lists.ts';
import { type FamilyGroup, group, type Row } from '../../metrics/family.ts';
import { current } from '../../snapshot/observed.ts';
import type { InfoState, NextUpgrade, PeerVersions } from './state.ts';

const beta = { stability: 'beta', type: 'gauge' } as const;

const versionRows: readonly Row<readonly [version: string, count: number]>[] = [
  {
    ...beta,
    name: 'snowgauge_peers_by_version',
    labels: ['target', 'version'],
    unit: 'count',
    help: 'Peers by version. The 20 most common versions; the others are `other`, and `unknown` if a peer reports none.',
    source: 'info.peers',
    value: ([, count]) => count,
  },
];

const newerRows: readonly Row<PeerVersions>[] = [
  {
    ...beta,
    name: 'snowgauge_peers_newer_version',
    labels: ['target'],
    unit: 'count',
    help: 'Peers that run a newer version than the node.',
    source: 'info.peers, info.getNodeVersion',
    value: ({ newer }) => newer,
  },
];

const upgradeRows: readonly Row<NextUpgrade>[] = [
  {
    ...beta,
    name: 'snowgauge_upgrade_scheduled_timestamp_seconds',
    labels: ['target', 'upgrade'],
    unit: 'timestamp',
    help: 'Time of the next network upgrade that is scheduled in the version of the node. No sample if none is.',
    source: 'info.upgrades',
    value: ({ at }) => at,
  },
];

export const infoFamilies: readonly FamilyGroup<InfoState>[] = [
  group<InfoState, readonly [string, number]>(
    versionRows,
    ({ peers }, { now, maxAge }) => current(peers, now, maxAge)?.counts ?? [],
    ([version]) => [version],
  ),
  group<InfoState, PeerVersions>(newerRows, ({ peers }, { now, maxAge }) => oneOrNone(current(peers, now, maxAge))),
  group<InfoState, NextUpgrade>(
    upgradeRows,
    ({ upgrades }, { now, maxAge }) => oneOrNone(current(upgrades, now, maxAge)?.next),
    ({ name }) => [name],
  ),
];
