// Counts peers by version. A node may have thousands of peers, and each may report any text.

import type { Peer } from '../../protocol/info.ts';
import type { PeerVersions } from './state.ts';

/** Maximum number of versions with a count of their own. */
const maxVersions = 20;

/** Maximum number of versions that are distinguished. A network has dozens; to parse and sort 10,000 takes 100 ms. */
const maxTold = 1000;

/** `own`: the version of the node. */
export const countVersions = (peers: readonly Peer[], own: string | undefined): PeerVersions => {
  const all = new Map<string, number>();
  let untold = 0;
  for (const { version = 'unknown' } of peers) {
    if (all.has(version) || all.size < maxTold) all.set(version, (all.get(version) ?? 0) + 1);
    else untold += 1;
  }
  // Equal counts are ordered by name, so that the same peers always give the same series.
  const sorted = [...all].toSorted(([a, many], [b, few]) => few - many || (a < b ? -1 : 1));
  const counts = new Map(sorted.slice(0, maxVersions));
  const others = sorted.slice(maxVersions).reduce((sum, [, count]) => sum + count, untold);
  if (others > 0) counts.set('other', (counts.get('other') ?? 0) + others);
  const ours = own === undefined ? undefined : numbersOf(own);
  if (ours === undefined) return { counts };
  const newer = sorted.reduce((sum, [version, count]) => sum + (isNewer(version, ours) ? count : 0), 0);
  return { counts, newer };
};

/** `avalanchego/1.14.2`, `v1.14.2-rc.1` */
const numbersOf = (version: string): readonly number[] | undefined => {
  const [, major, minor, patch] = /(?:^|[/v])(\d{1,6})\.(\d{1,6})\.(\d{1,6})(?!\d)/.exec(version) ?? [];
  return major === undefined ? undefined : [major, minor, patch].map(Number);
};

const isNewer = (version: string, ours: readonly number[]): boolean => {
  const theirs = numbersOf(version) ?? [];
  const at = theirs.findIndex((number, nth) => number !== ours[nth]);
  return (theirs[at] ?? 0) > (ours[at] ?? 0);
};
