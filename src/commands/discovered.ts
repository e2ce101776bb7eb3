// Discovered targets, next to those of the configuration: their part of a reload, and how they get into the exporter. With several shards,
// it also knows the targets of the others.

import type { LookupFunction } from 'node:net';
import type { TargetConfig } from '../config/target.ts';
import type { DiscoveryConfig } from '../config/types.ts';
import type { Discovery, SourceStatus } from '../discovery/discovery.ts';
import type { ShardShare, SourceTarget } from '../discovery/merge.ts';
import type { FoundTarget } from '../discovery/target-of.ts';
import type { EventHistory } from '../events/event-history.ts';
import type { ExporterTarget } from '../exporter.ts';
import type { Cluster } from '../kubernetes/exchange.ts';
import type { Log } from '../log.ts';
import type { DiscoveredMemory } from '../memory/discovered-memory.ts';
import type { Replaced } from '../replaced.ts';
import { shortened } from '../text.ts';
import type { Parsed } from '../yaml/parse.ts';
import type { ToTargets } from './targets.ts';

interface Given {
  readonly settings: readonly TargetConfig[];
  readonly discovery: DiscoveryConfig | undefined;
}

interface Dependencies {
  readonly now: () => number;
  readonly wallNow: () => number;
  readonly log: Log;
  readonly signal: AbortSignal;
  readonly userAgent: string;
  readonly lookup: LookupFunction;
  readonly cluster: Cluster;
  readonly eventHistory: Pick<EventHistory, 'add'>;
  readonly toTargets: ToTargets;
  readonly replace: (targets: readonly ExporterTarget[]) => Replaced | undefined;
  /** Undefined without shards. */
  readonly share?: ShardShare | undefined;
  readonly memory?: DiscoveredMemory | undefined;
}

/** A target of any shard. */
export type NamedTarget = Pick<FoundTarget, 'name' | 'labels'>;

export interface DiscoveredTargets {
  readonly start: () => void;
  readonly has: (name: string) => boolean;
  /** Targets of all shards. A new list with each change. */
  readonly all: () => readonly NamedTarget[];
  /** Call it when the targets of this shard have changed. */
  readonly shareChanged: () => void;
  /** Maximum check interval of all targets, in seconds. */
  readonly longestInterval: () => number;
  /** After a start, which first lists are missing. Null when none is waited for. Undefined without discovery. */
  readonly waitsFor: () => string | null | undefined;
  /** Applies other settings, and returns all current targets. If there are errors, it returns all of them and changes nothing. */
  readonly configure: (
    settings: readonly TargetConfig[],
    discovery: DiscoveryConfig | undefined,
  ) => Parsed<readonly ExporterTarget[]>;
  readonly status: () => readonly SourceStatus[];
  /** Resolves after the signal. Rejects on a bug. */
  readonly finished: Promise<void>;
}

export const discoveredTargets = (
  { settings, discovery }: Given,
  { now, wallNow, log, signal, eventHistory, toTargets, replace, share, ...rest }: Dependencies,
): DiscoveredTargets => {
  const startedAt = now();
  let isWaiting = true;
  let configured = settings;
  /** Names and URLs of the targets that the last reload has removed from the configuration: discovery may find them. */
  let formerlyConfigured: ReadonlySet<string> = new Set();
  let found: ReadonlyMap<string, SourceTarget> = new Map();
  let all = optionsOf(settings);
  let current = discovery;
  let running: Promise<Discovery> | undefined;
  let discovering: Discovery | undefined;
  let fail: (fault: unknown) => void = () => undefined;
  const finished = new Promise<void>((resolve, reject) => {
    fail = reject;
    const end = (): void => void Promise.resolve(running?.then((one) => one.finished)).then(resolve, reject);
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
  });

  const status = (): readonly SourceStatus[] => discovering?.status() ?? none;
  const isOwn = (name: string): boolean => share?.isOwn(name) !== false;
  /** Excludes names that a reload has added to the configuration since they were discovered. */
  const foundBeside = (targets: readonly TargetConfig[]): readonly FoundTarget[] => {
    const handwritten = new Set(targets.map(({ options }) => options.name));
    return Array.from(found.values(), (one) => one.found).filter(({ name }) => !handwritten.has(name));
  };
  const takeUp = (): Replaced | undefined => {
    const others = foundBeside(configured);
    all = [...optionsOf(configured), ...others];
    const made = toTargets(configured, { found: others, isChecked: true });
    return made.kind === 'ok' ? replace(made.value) : undefined;
  };
  const apply = (placed: readonly SourceTarget[]): void => {
    const before = found;
    found = new Map(placed.map((one) => [one.found.name, one]));
    takeUp();
    const handwritten = new Set(configured.map(({ options }) => options.name));
    const gone = [...before].filter(([name]) => !found.has(name) && !handwritten.has(name) && isOwn(name));
    const at = wallNow();
    eventHistory.add(
      gone.map(([target, { source }]) => ({ kind: 'target-removed', at, target, message: `no longer found by ${source}` })),
    );
    const added = [...found.keys()].filter((name) => !before.has(name) && isOwn(name));
    if (added.length + gone.length > 0)
      log.info(
        {
          addedCount: added.length,
          added: added.slice(0, maxListed),
          removedCount: gone.length,
          removed: gone.map(([name]) => name).slice(0, maxListed),
          targets: [...found.keys()].filter(isOwn).length,
        },
        'discovered targets changed',
      );
  };
  const run = (config: DiscoveryConfig): void => {
    if (running === undefined && !isUsed(config)) return;
    running ??= load();
    void running.then((one) => one.configure(config, configured)).catch(fail);
  };
  const load = async (): Promise<Discovery> => {
    const { createDiscovery } = await import('../discovery/discovery.ts');
    const made = createDiscovery({
      ...{ ...rest, now, log, signal, apply, share },
      wasConfigured: (nameOrUrl) => formerlyConfigured.has(nameOrUrl),
    });
    made.finished.catch(fail);
    discovering = made;
    return made;
  };

  return {
    start: () => {
      if (discovery !== undefined) run(discovery);
    },
    has: (name) => found.has(name),
    all: () => all,
    longestInterval: () =>
      configured.reduce(
        (longest, { options }) => Math.max(longest, options.healthCheckFrequency),
        current?.target.healthCheckFrequency ?? 0,
      ),
    shareChanged: () => {
      const replaced = takeUp();
      discovering?.shareChanged();
      const { added = [], removed = [] } = replaced ?? {};
      if (added.length + removed.length > 0)
        log.info(
          { added: added.length, removed: removed.length, targets: all.filter(({ name }) => isOwn(name)).length },
          'targets moved between shards',
        );
    },
    waitsFor: () => {
      if (current === undefined || !isUsed(current)) return undefined;
      const missing = status().filter(({ isListed }) => !isListed);
      isWaiting &&= now() - startedAt < patience && (status().length === 0 || missing.length > 0);
      if (!isWaiting) return null;
      return `waiting for the first list of ${shortened(missing.map(({ source }) => source).join(', ') || 'discovery', 300)}`;
    },
    configure: (targets, config) => {
      const others = foundBeside(targets);
      const made = toTargets(targets, { found: others, discovery: config });
      if (made.kind === 'invalid') return made;
      const kept = new Set(targets.map(({ options }) => options.name));
      const removed = configured.filter(({ options }) => !kept.has(options.name));
      formerlyConfigured = new Set(removed.flatMap(({ options: { name, url } }) => [name, url]));
      configured = targets;
      current = config ?? current;
      all = [...optionsOf(targets), ...others];
      if (config !== undefined) run(config);
      return made;
    },
    status,
    finished,
  };
};

/** Maximum seconds to wait for the first lists: after that, a source without a list no longer delays the others. */
const patience = 60;

const isUsed = ({ file, http, dns, kubernetes }: DiscoveryConfig): boolean =>
  file.length + http.length + dns.length + kubernetes.length > 0;

const optionsOf = (targets: readonly TargetConfig[]): readonly NamedTarget[] => targets.map(({ options }) => options);

const none: readonly SourceStatus[] = [];

/** Maximum names per list in a log line, which also has their total number. */
const maxListed = 20;
