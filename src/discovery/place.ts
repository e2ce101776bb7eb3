// The lists of all sources -> the targets to watch: one for each name and each URL, no more than may be.

import type { TargetConfig } from '../config/target.ts';
import type { DiscoveryConfig } from '../config/types.ts';
import { yieldToProbes } from '../pause.ts';
import { shownUrl } from '../protocol/node-url.ts';
import { printable } from '../text.ts';
import type { DiscoveredTarget } from './found.ts';
import type { Relabel } from './relabel.ts';
import { type FoundTarget, type TargetResult, targetOf } from './target-of.ts';

export interface SourceList {
  /** As `file/0`. */
  readonly source: string;
  readonly found: readonly DiscoveredTarget[];
  readonly relabel: Relabel;
  /** What became of those that were found before. */
  readonly made: WeakMap<DiscoveredTarget, TargetResult | 'dropped'>;
}

export interface SourceTarget {
  readonly source: string;
  readonly found: FoundTarget;
}

export type ProblemReason = 'invalid' | 'duplicate' | 'limit' | 'refused' | 'pending';

export interface Problem {
  readonly source: string;
  /** `configured`: the same as a handwritten one, and no fault. `label`: watched, but not all of it could be used. */
  readonly reason: ProblemReason | 'configured' | 'label';
  readonly name: string;
  readonly message: string;
}

export interface Placing {
  readonly template: DiscoveryConfig['target'];
  readonly maxTargets: number;
  /** The handwritten ones: they win. */
  readonly configured: readonly TargetConfig[];
  /** Names of those that are watched already. */
  readonly watched: ReadonlySet<string>;
  readonly share?: ShardShare | undefined;
}

/** Of several shards, what is for this one: the others watch the rest, of which this one knows. */
export interface ShardShare {
  readonly isOwn: (name: string) => boolean;
  /** What of it is not for this one only until another is ready. */
  readonly isToStay: (name: string) => boolean;
}

export interface Placed {
  /** Those that are for this shard, which are all where there is one. */
  readonly own: readonly SourceTarget[];
  readonly others: readonly SourceTarget[];
  readonly problems: readonly Problem[];
}

/** Longest turn of the event loop. One target with long labels may take as much. */
const longestTurnMs = 10;

export const placeTargets = async (
  lists: readonly SourceList[],
  { template, maxTargets, configured, watched, share }: Placing,
): Promise<Placed> => {
  const owners = new Map<string, string>(
    // No name holds a slash.
    configured.flatMap(({ options: { name, url } }) => [name, url].map((key) => [key, 'configured'] as const)),
  );
  const own: SourceTarget[] = [];
  const others: SourceTarget[] = [];
  const problems: Problem[] = [];
  let turnAt = performance.now();
  for (const list of lists) {
    const { source, found } = list;
    for (const one of found) {
      if (performance.now() - turnAt > longestTurnMs) {
        await yieldToProbes();
        turnAt = performance.now();
      }
      const made = makeOnce(list, one, template);
      if (made === 'dropped') continue;
      if (one.isPending === true) {
        const name = one.name ?? '';
        if (!owners.has(name)) problems.push({ source, reason: 'pending', name, message: 'has no address yet' });
        continue;
      }
      if (made.kind === 'invalid') {
        const name = one.name ?? shown(one.labels.get('__address__') ?? '');
        problems.push({ source, reason: 'invalid', name, message: made.message });
        continue;
      }
      const { name, url } = made.found;
      const owner = owners.get(name) ?? owners.get(url);
      if (owner === undefined) {
        owners.set(name, source);
        owners.set(url, source);
        const isOwn = share?.isOwn(name) !== false;
        (isOwn ? own : others).push({ source, found: made.found });
        // In this turn, and not in the one in which all are taken up.
        if (isOwn) made.found.target();
        for (const message of [one.leftOut ?? [], made.leftOut].flat()) problems.push({ source, reason: 'label', name, message });
      } else if (owner === 'configured') {
        problems.push({
          source,
          reason: 'configured',
          name,
          message: 'is also in targets, which takes precedence',
        });
      } else {
        const message = `has the same name or URL as another target of ${owner}: set the label target, or drop one of them with relabelings`;
        problems.push({ source, reason: 'duplicate', name, message });
      }
    }
  }
  if (own.length <= maxTargets) return { own, others, problems };
  const rank = ({ found: { name } }: SourceTarget): number =>
    Number(watched.has(name)) + (share?.isToStay(name) === false ? 0 : 2);
  const ordered = own.toSorted((a, b) => rank(b) - rank(a));
  const message = `discovery.maxTargets is ${maxTargets}: raise it, or find fewer`;
  const over = ordered
    .slice(maxTargets)
    .map(({ source, found: { name } }) => ({ source, reason: 'limit' as const, name, message }));
  return { own: ordered.slice(0, maxTargets), others, problems: [...problems, ...over] };
};

/** An address may hold what is not to be shown. */
const shown = (address: string): string =>
  printable(shownUrl(address) || (/[/\\@?#]/.test(address) ? 'an address' : address), 100);

const makeOnce = (
  { source, relabel, made }: SourceList,
  one: DiscoveredTarget,
  template: DiscoveryConfig['target'],
): TargetResult | 'dropped' => {
  const before = made.get(one);
  if (before !== undefined) return before;
  const labels = relabel(one.labels);
  const now = labels === undefined ? 'dropped' : targetOf(labels, one, template, source);
  made.set(one, now);
  return now;
};
