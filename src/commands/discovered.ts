// The targets that are found, beside those of the file: their part of a reload, and their way into the exporter.

import type { TargetConfig } from '../config/target.ts';
import type { DiscoveryConfig } from '../config/types.ts';
import type { Discovery, SourceStatus } from '../discovery/discovery.ts';
import type { Placed } from '../discovery/place.ts';
import type { Cluster } from '../discovery/source.ts';
import type { EventHistory } from '../events/event-history.ts';
import type { ExporterTarget } from '../exporter.ts';
import type { Log } from '../log.ts';
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
  readonly cluster: Cluster;
  readonly eventHistory: Pick<EventHistory, 'add'>;
  readonly toTargets: ToTargets;
  readonly replace: (targets: readonly ExporterTarget[]) => void;
}

export interface DiscoveredTargets {
  readonly start: () => void;
  readonly has: (name: string) => boolean;
  /** Other settings: all targets, as they are now; or every error, and nothing has changed. */
  readonly configure: (
    settings: readonly TargetConfig[],
    discovery: DiscoveryConfig | undefined,
  ) => Parsed<readonly ExporterTarget[]>;
  readonly status: () => readonly SourceStatus[];
  /** Resolves after the signal; rejects on a fault of our own. */
  readonly finished: Promise<void>;
}

export const discoveredTargets = (
  { settings, discovery }: Given,
  { wallNow, log, signal, eventHistory, toTargets, replace, ...rest }: Dependencies,
): DiscoveredTargets => {
  let configured = settings;
  let found: ReadonlyMap<string, Placed> = new Map();
  let running: Promise<Discovery> | undefined;
  let status: () => readonly SourceStatus[] = () => none;
  let fail: (fault: unknown) => void = () => undefined;
  const finished = new Promise<void>((resolve, reject) => {
    fail = reject;
    const end = (): void => void Promise.resolve(running?.then((one) => one.finished)).then(resolve, reject);
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
  });

  const apply = (placed: readonly Placed[]): void => {
    const before = found;
    found = new Map(placed.map((one) => [one.target.options.name, one]));
    const handwritten = new Set(configured.map(({ options }) => options.name));
    // A reload may have named one of them since they were placed.
    const now = placed.map(({ target }) => target).filter(({ options }) => !handwritten.has(options.name));
    const made = toTargets(configured, { found: now, isChecked: true });
    if (made.kind === 'ok') replace(made.value);
    const gone = [...before].filter(([name]) => !found.has(name) && !handwritten.has(name));
    const at = wallNow();
    eventHistory.add(
      gone.map(([target, { source }]) => ({ kind: 'target-removed', at, target, message: `no longer found by ${source}` })),
    );
    const added = [...found.keys()].filter((name) => !before.has(name));
    if (added.length + gone.length > 0)
      log.info(
        { added: added.slice(0, maxListed), removed: gone.map(([name]) => name).slice(0, maxListed), targets: found.size },
        'discovered targets changed',
      );
  };
  const run = (config: DiscoveryConfig): void => {
    const isUsed = config.file.length + config.http.length + config.dns.length + config.kubernetes.length > 0;
    if (running === undefined && !isUsed) return;
    running ??= load();
    void running.then((one) => one.configure(config, configured)).catch(fail);
  };
  const load = async (): Promise<Discovery> => {
    const { createDiscovery } = await import('../discovery/discovery.ts');
    const made = createDiscovery({ ...rest, log, signal, apply });
    made.finished.catch(fail);
    status = made.status;
    return made;
  };

  return {
    start: () => {
      if (discovery !== undefined) run(discovery);
    },
    has: (name) => found.has(name),
    configure: (targets, config) => {
      const handwritten = new Set(targets.map(({ options }) => options.name));
      const others = [...found.values()].map(({ target }) => target).filter(({ options }) => !handwritten.has(options.name));
      const made = toTargets(targets, { found: others, discovery: config });
      if (made.kind === 'invalid') return made;
      configured = targets;
      if (config !== undefined) run(config);
      return made;
    },
    status: () => status(),
    finished,
  };
};

const none: readonly SourceStatus[] = [];

/** Most names of a line of the log. */
const maxListed = 20;
