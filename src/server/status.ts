// Snapshot -> what the status page shows and /api/v1/status answers: one view for both, pure and JSON-able. docs/api.md says
// what each member is.

import { describe } from '../client/outcome.ts';
import type { HealthReport } from '../protocol/health.ts';
import { parseInstant } from '../protocol/time.ts';
import { skewOf } from '../snapshot/clock.ts';
import type { IndexHead } from '../snapshot/index-head.ts';
import type { Observed } from '../snapshot/observed.ts';
import { currentWatch, effectiveCadence, maxAge, type Snapshot, type TargetSnapshot } from '../snapshot/snapshot.ts';
import { type ChecksStatus, checksOf } from './check-status.ts';
import { type Configuration, type ConfigurationStatus, configurationStatus } from './configuration.ts';
import { type PaceStatus, paceOf, type WatchStatus, watchOf } from './index-status.ts';
import { isoOf, rounded, shortened } from './text.ts';
import {
  type Judgements,
  type OwnStatus,
  type OwnTagSetStatus,
  ownStatusOf,
  ownTagSetStatusOf,
  type TargetJudgements,
} from './verdict-status.ts';

/** What one question to the node brought. Instants are RFC 3339 in UTC, in the exporter's clock. */
export interface SourceStatus {
  /** pending: not asked yet · failed: never answered · stale: the last answer is too old to be taken for true */
  readonly knowledge: 'pending' | 'failed' | 'current' | 'stale';
  /** When the last good answer came, and how old it is. */
  readonly answeredAt?: string;
  readonly ageSeconds?: number;
  /** Why the last ask failed, where it did. */
  readonly problem?: string;
}

export interface VerdictStatus extends SourceStatus {
  /** The node's word in its last good answer. */
  readonly healthy?: boolean;
}

export interface TagSetStatus extends VerdictStatus, OwnTagSetStatus, Partial<ChecksStatus> {
  readonly name: string;
  readonly tags: readonly string[];
}

export interface IndexStatus extends SourceStatus, PaceStatus, WatchStatus {
  readonly name: string;
  readonly state?: IndexHead['state'];
  /** Decimal: a uint64 does not fit a JSON number. */
  readonly lastAcceptedIndex?: string;
  readonly lastAcceptedId?: string;
  /** The node's own clock. */
  readonly lastAcceptedAt?: string;
  readonly lastAcceptedAgeSeconds?: number;
}

export interface TargetStatus extends OwnStatus {
  readonly name: string;
  readonly url: string;
  readonly nodeId?: string;
  /** up: a current report of at least one tag set */
  readonly state: 'up' | 'down' | 'pending';
  readonly reason?: string;
  readonly cadenceSeconds: number;
  readonly cadenceFrom: 'timestamps' | 'configuration';
  readonly staleAfterSeconds: number;
  readonly lastPollAt?: string;
  readonly lastPollAgeSeconds?: number;
  /** Node − exporter; absent while unknown. */
  readonly clockSkewSeconds?: number;
  readonly missedRuns: number;
  readonly readiness: VerdictStatus;
  readonly liveness: VerdictStatus;
  readonly tagSets: readonly TagSetStatus[];
  readonly indexes: readonly IndexStatus[];
}

export interface Status {
  readonly version: string;
  readonly now: string;
  readonly startedAt: string;
  readonly configuration?: ConfigurationStatus;
  readonly targets: readonly TargetStatus[];
}

export interface Known {
  readonly snapshot: Snapshot;
  readonly verdicts?: Judgements;
}

export interface Own {
  readonly version: string;
  readonly startedAt: number;
  readonly configuration?: Configuration | undefined;
}

/** Targets, tag sets and indexes in the order of the configuration; checks worst first. */
export const statusOf = ({ snapshot, verdicts }: Known, own: Own, now: number): Status => ({
  version: own.version,
  now: isoOf(now),
  startedAt: isoOf(own.startedAt),
  ...(own.configuration !== undefined && { configuration: configurationStatus(own.configuration) }),
  targets: [...snapshot.targets.values()].map((target) => targetOf(target, verdicts?.get(target.options.name), now, 'whole')),
});

/** An outline leaves out the checks: enough to rank a fleet by, and cheap. */
export const targetOf = (
  target: TargetSnapshot,
  verdicts: TargetJudgements | undefined,
  now: number,
  detail: 'whole' | 'outline',
): TargetStatus => {
  const limit = maxAge(target);
  const skew = skewOf(target.clock);
  const nodeNow = now + (skew ?? 0);
  return {
    name: target.options.name,
    url: target.options.url,
    ...(target.nodeId !== undefined && { nodeId: shortened(target.nodeId, 128) }),
    ...reachable(target, now, limit),
    cadenceSeconds: rounded(effectiveCadence(target)),
    cadenceFrom: target.cadence.inferred === undefined ? 'configuration' : 'timestamps',
    staleAfterSeconds: rounded(limit),
    ...(target.lastPollAt !== undefined && {
      lastPollAt: isoOf(target.lastPollAt),
      lastPollAgeSeconds: rounded(now - target.lastPollAt),
    }),
    ...(skew !== undefined && { clockSkewSeconds: rounded(skew) }),
    missedRuns: target.missedRuns,
    ...ownStatusOf(target, verdicts, now),
    readiness: verdictOf(target.readiness, now, limit),
    liveness: verdictOf(target.liveness, now, limit),
    tagSets: target.options.tagSets.map(({ name, tags }) => {
      const report = target.health.get(name) ?? { state: 'pending' };
      const known = knownOf(report);
      const checks = known !== undefined && detail === 'whole' && checksOf(known, nodeNow);
      return {
        name,
        tags,
        ...verdictOf(report, now, limit),
        ...ownTagSetStatusOf(target, verdicts, { name, tags }, now),
        ...checks,
      };
    }),
    indexes: [...target.indexes].map(([name, head]) => ({
      name,
      ...indexOf(head, now, limit, nodeNow),
      ...paceOf(target.paces.get(name)),
      ...watchOf(currentWatch(target, name, now)),
    })),
  };
};

const knownOf = <T>(observed: Observed<T>): T | undefined =>
  observed.state === 'fresh' || observed.state === 'stale' ? observed.value : undefined;

const sourceOf = (observed: Observed<unknown>, now: number, limit: number): SourceStatus => {
  switch (observed.state) {
    case 'pending':
      return { knowledge: 'pending' };
    case 'failed':
      return { knowledge: 'failed', problem: problemOf(observed.failure) };
    case 'fresh':
    case 'stale':
      return {
        knowledge: now - observed.at <= limit ? 'current' : 'stale',
        answeredAt: isoOf(observed.at),
        ageSeconds: rounded(now - observed.at),
        ...(observed.state === 'stale' && { problem: problemOf(observed.failure) }),
      };
    default:
      return observed satisfies never;
  }
};

// A reason may quote the node (an RPC error's message), so it is bounded like any text of the node's.
const problemOf = (failure: Parameters<typeof describe>[0]): string => shortened(describe(failure), 500);

const verdictOf = (report: Observed<HealthReport>, now: number, limit: number): VerdictStatus => {
  const known = knownOf(report);
  return { ...sourceOf(report, now, limit), ...(known !== undefined && { healthy: known.healthy }) };
};

const indexOf = (
  head: Observed<IndexHead>,
  now: number,
  limit: number,
  nodeNow: number,
): Omit<IndexStatus, 'name' | keyof WatchStatus> => {
  const known = knownOf(head);
  const last = known !== undefined && 'last' in known ? known.last : undefined;
  const acceptedAt = last === undefined ? undefined : parseInstant(last.timestamp);
  return {
    ...sourceOf(head, now, limit),
    ...(known !== undefined && { state: known.state }),
    ...(last !== undefined && {
      lastAcceptedIndex: last.index.toString(),
      lastAcceptedId: shortened(last.id, 128),
    }),
    ...(acceptedAt !== undefined && {
      lastAcceptedAt: isoOf(acceptedAt),
      lastAcceptedAgeSeconds: rounded(nodeNow - acceptedAt),
    }),
  };
};

const reachable = (target: TargetSnapshot, now: number, limit: number): Pick<TargetStatus, 'state' | 'reason'> => {
  const sources = [...target.health.values()].map((report) => sourceOf(report, now, limit));
  if (sources.some((source) => source.knowledge === 'current')) return { state: 'up' };
  const problem = sources.find((source) => source.problem !== undefined)?.problem;
  if (problem !== undefined) return { state: 'down', reason: problem };
  const ages = sources.flatMap((source) => source.ageSeconds ?? []);
  if (ages.length === 0) return { state: 'pending', reason: 'the node has not answered yet' };
  return { state: 'down', reason: `last report is ${Math.round(Math.min(...ages))} s old` };
};
