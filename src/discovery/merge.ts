// Merges the lists of all sources into the targets to watch: relabels, removes duplicate names and URLs, applies the limit.

import type { TargetConfig } from '../config/target.ts';
import type { DiscoveryConfig } from '../config/types.ts';
import { yielding } from '../pause.ts';
import { shownUrl } from '../protocol/node-url.ts';
import { printable } from '../text.ts';
import type { DiscoveredTarget } from './found.ts';
import type { Relabel } from './relabel.ts';
import { type FoundTarget, type TargetResult, targetOf } from './target-of.ts';

export interface SourceList {
  /** Such as `file/0`. */
  readonly source: string;
  readonly found: readonly DiscoveredTarget[];
  readonly relabel: Relabel;
  /** Cache of relabeling: discovered target -> result. */
  readonly results: WeakMap<DiscoveredTarget, TargetResult | 'dropped'>;
}

export interface SourceTarget {
  readonly source: string;
  readonly found: FoundTarget;
}

export type ProblemReason = 'invalid' | 'duplicate' | 'limit' | 'refused' | 'pending';

export interface Problem {
  readonly source: string;
  /**
   * `configured`: the target is also in `targets`, which is not an error. `label`: the target is watched, but some of its labels are not
   * used.
   */
  readonly reason: ProblemReason | 'configured' | 'label';
  readonly name: string;
  readonly message: string;
}

interface MergeOptions {
  readonly template: DiscoveryConfig['target'];
  readonly maxTargets: number;
  /** Targets of the configuration, which take precedence. */
  readonly configured: readonly TargetConfig[];
  /** Names of the targets that are watched already. */
  readonly watched: ReadonlySet<string>;
  readonly share?: ShardShare | undefined;
}

/** The targets that this shard watches. Other shards watch the rest. */
export interface ShardShare {
  readonly isOwn: (name: string) => boolean;
  /** False if this shard watches the target only until another shard is ready. */
  readonly isToStay: (name: string) => boolean;
}

interface MergedTargets {
  /** Targets of this shard; all if there are no shards. */
  readonly own: readonly SourceTarget[];
  readonly others: readonly SourceTarget[];
  readonly problems: readonly Problem[];
}

export const mergeLists = async (
  lists: readonly SourceList[],
  { template, maxTargets, configured, watched, share }: MergeOptions,
): Promise<MergedTargets> => {
  const owners = new Map<string, string>(
    // Names and URLs cannot collide: a name has no slash.
    configured.flatMap(({ options: { name, url } }) => [name, url].map((key) => [key, 'configured'] as const)),
  );
  const own: SourceTarget[] = [];
  const others: SourceTarget[] = [];
  const problems: Problem[] = [];
  const yieldIfDue = yielding();
  for (const { list, one } of inOrder(lists)) {
    const { source } = list;
    // A single target with long labels may take milliseconds.
    await yieldIfDue();
    const result = resultOf(list, one, template);
    if (result === 'dropped') continue;
    if (result.kind === 'pending') {
      if (!owners.has(result.name)) problems.push(pending(source, result.name));
      continue;
    }
    if (result.kind === 'invalid') {
      const name = one.name ?? shown(one.labels.get('__address__') ?? '');
      problems.push({ source, reason: 'invalid', name, message: result.message });
      continue;
    }
    const { name, url } = result.found;
    const owner = owners.get(name) ?? owners.get(url);
    if (owner === undefined) {
      owners.set(name, source);
      owners.set(url, source);
      const isOwn = share?.isOwn(name) !== false;
      (isOwn ? own : others).push({ source, found: result.found });
      // Created now, because this loop yields to the event loop. Later, all targets would be created without a pause.
      if (isOwn) result.found.target();
      for (const message of [one.leftOut ?? [], result.leftOut].flat()) problems.push({ source, reason: 'label', name, message });
    } else if (owner === 'configured') {
      problems.push({
        source,
        reason: 'configured',
        name,
        message: 'is also in targets, which takes precedence',
      });
    } else if (one.isStale === true) {
      if (!owners.has(name)) problems.push(pending(source, name));
    } else {
      const message = `has the same name or URL as another target of ${owner}: set the label target, or drop one of them with relabelings`;
      problems.push({ source, reason: 'duplicate', name, message });
    }
  }
  if (own.length <= maxTargets) return { own, others, problems };
  const rank = ({ found: { name } }: SourceTarget): number =>
    Number(watched.has(name)) + (share?.isToStay(name) === false ? 0 : 2);
  const ordered = own.toSorted((a, b) => rank(b) - rank(a));
  const message = `discovery.maxTargets is ${maxTargets}: raise it, drop targets with relabelings, or add shards`;
  const over = ordered
    .slice(maxTargets)
    .map(({ source, found: { name } }) => ({ source, reason: 'limit' as const, name, message }));
  return { own: ordered.slice(0, maxTargets), others, problems: [...problems, ...over] };
};

/** Targets without a current address come last: another target may have their last one now, also one of a later source. */
function* inOrder(lists: readonly SourceList[]): Generator<{ readonly list: SourceList; readonly one: DiscoveredTarget }> {
  for (const isCurrent of [true, false])
    for (const list of lists) for (const one of list.found) if (hasCurrentAddress(one) === isCurrent) yield { list, one };
}

const hasCurrentAddress = ({ isStale, isPending }: DiscoveredTarget): boolean => isStale !== true && isPending !== true;

const pending = (source: string, name: string): Problem => ({
  source,
  reason: 'pending',
  name,
  message: 'has no address yet',
});

/** An address for a message. It is shortened or left out if it may contain secrets. */
const shown = (address: string): string =>
  printable(shownUrl(address) || (/[/\\@?#]/.test(address) ? 'an address' : address), 100);

/** The result of relabeling, cached in the list. */
const resultOf = (
  { source, relabel, results }: SourceList,
  one: DiscoveredTarget,
  template: DiscoveryConfig['target'],
): TargetResult | 'dropped' => {
  const before = results.get(one);
  if (before !== undefined) return before;
  const labels = relabel(one.labels);
  const now = labels === undefined ? 'dropped' : targetOf(labels, one, template, source);
  results.set(one, now);
  return now;
};
