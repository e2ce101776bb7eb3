// State -> the data of the status page and of /api/v1/status, as JSON. docs/api.md describes each member.

import type { SafeToRestart, Target } from '../conditions/condition.ts';
import { frozenStall } from '../conditions/doubt.ts';
import { conditionsAt } from '../conditions/true-until.ts';
import { failureText } from '../conditions/unanswered.ts';
import { least } from '../lists.ts';
import type { MaintenanceWindow } from '../maintenance/window.ts';
import { yieldToEventLoop } from '../pause.ts';
import { shownUrl } from '../protocol/node-url.ts';
import { skewOf } from '../snapshot/clock.ts';
import { isUnreported, type NodeProcess } from '../snapshot/process.ts';
import { missedRunsOf } from '../snapshot/subsecond.ts';
import type { TagSetStatus } from '../sources/health/status.ts';
import type { StatusContext } from '../sources/source.ts';
import type { SourceStatuses, Sources } from '../sources/sources.ts';
import { effectiveInterval, maxAge, maxAgeOf, type TargetState } from '../sources/target-state.ts';
import { sourceStatuses } from '../sources/target-status.ts';
import { isoOf, rounded, shortened, span } from '../text.ts';
import { type TagSetConditions, type TargetConditions, tagSetConditions, targetConditions } from './condition-status.ts';
import { type Configuration, configurationStatus } from './configuration.ts';
import { type DiscoveryState, discoveryStatus } from './discovery-status.ts';
import type { FleetShards } from './shards.ts';

/** The status of a target without the status of its sources. Times are RFC 3339 in UTC, by the exporter's clock. */
interface FrameStatus {
  readonly name: string;
  readonly url: string;
  /** Source of discovery, such as `kubernetes/0`; absent: from the configuration. */
  readonly source?: string;
  readonly nodeId?: string;
  /** The value that the configuration expects, if it differs. */
  readonly expectedNodeId?: string;
  /** `up`: at least one tag set has a current report. `pending`: the node has not responded yet. */
  readonly state: 'up' | 'down' | 'pending';
  readonly reason?: string;
  /** State of the node's process that the shown state is from. */
  readonly process: NodeProcess['state'];
  readonly conditions: TargetConditions;
  /** The open maintenance window: alerts are expected. */
  readonly maintenance?: MaintenanceStatus;
  readonly safeToRestart?: SafeToRestart;
  readonly checkIntervalSeconds: number;
  readonly checkIntervalFrom: 'timestamps' | 'configuration';
  readonly staleAfterSeconds: number;
  readonly lastPollAt?: string;
  readonly lastPollAgeSeconds?: number;
  /** Node clock − exporter clock; absent while unknown. */
  readonly clockSkewSeconds?: number;
  /** Health check runs that no poll has observed. Absent while unknown. */
  readonly missedRuns?: number;
  /** No check has run since then, by the report that the conditions use. Absent while checks run, or while that is unknown. */
  readonly frozen?: { readonly since: string; readonly sinceSeconds: number; readonly suspect?: string };
}

export interface MaintenanceStatus {
  readonly until: string;
  readonly reason: string;
  readonly source: MaintenanceWindow['source'];
}

export interface JudgedTagSet extends TagSetStatus {
  readonly conditions: TagSetConditions;
}

type JudgedFrame = FrameStatus & { readonly tagSets: readonly JudgedTagSet[] };

/** The health of a node without its checks: cheap, and enough to sort a fleet. */
export type TargetOutline = JudgedFrame & Pick<SourceStatuses, 'indexes'>;

export type TargetStatus = JudgedFrame & Omit<SourceStatuses, 'tagSets'>;

/** State of the exporter itself. */
export interface Own {
  readonly version: string;
  /** Seconds, steady clock, like the times of the configuration. */
  readonly startedAt: number;
  readonly configuration?: Configuration | undefined;
  /** A new object whenever something in it has changed; absent: no discovery. */
  readonly discovery?: readonly DiscoveryState[] | undefined;
  /** Absent: this process watches all targets. */
  readonly shards?: FleetShards | undefined;
}

/** The current time: `now` by the steady clock, and the offset of the wall clock; seconds. */
export interface Present {
  readonly now: number;
  readonly wallOffset: number;
}

/** The members about the exporter itself. */
const ownStatus = ({ version, startedAt, configuration, discovery }: Own, { now, wallOffset }: Present): object => ({
  version,
  now: isoOf(now + wallOffset),
  startedAt: isoOf(startedAt + wallOffset),
  ...(configuration !== undefined && { configuration: configurationStatus(configuration, wallOffset) }),
  ...(discovery !== undefined && discovery.length > 0 && { discovery: discovery.map((one) => discoveryStatus(one, wallOffset)) }),
});

/** Targets rendered per iteration of the event loop. */
const maxPerIteration = 10;

/** Targets, tag sets and indexes in the order of the configuration; checks worst first. Each target is rendered at most once a second. */
export const createStatusJson = (table: Sources) => {
  let [second, offset] = [Number.NaN, Number.NaN];
  let cached = new WeakMap<Target, Uint8Array>();
  return async (targets: Iterable<Target>, own: Own, present: Present): Promise<Uint8Array> => {
    // After the clock was set back, a second may come again.
    if (secondOf(present) !== second || present.wallOffset !== offset) {
      [second, offset] = [secondOf(present), present.wallOffset];
      cached = new WeakMap();
    }
    const parts: Uint8Array[] = [];
    let rendered = 0;
    for (const target of [...targets]) {
      let json = cached.get(target);
      if (json === undefined) {
        rendered += 1;
        if (rendered % maxPerIteration === 0) await yieldToEventLoop();
        json = Buffer.from(JSON.stringify(targetStatus(table, target, present)));
        cached.set(target, json);
      }
      parts.push(comma, json);
    }
    const head = `${JSON.stringify(ownStatus(own, present)).slice(0, -1)},"targets":[`;
    return Buffer.concat([Buffer.from(head), ...parts.slice(1), Buffer.from(']}\n')]);
  };
};

const comma = Buffer.from(',');

/** The wall-clock second that ages are computed for. */
export const secondOf = ({ now, wallOffset }: Present): number => Math.floor(now + wallOffset);

const contextOf = ({ state }: Target, { now, wallOffset }: Present, detail: StatusContext['detail']): StatusContext => ({
  ...{ now, wallOffset, detail },
  maxAge: maxAge(state),
  nodeNow: now + (skewOf(state.clock) ?? wallOffset),
  options: state.options,
});

export const targetOutline = ({ health, indexes }: Sources, target: Target, present: Present): TargetOutline => {
  const { state } = target;
  const context = contextOf(target, present, 'outline');
  const { tagSets } = health.status(state.sources.health, { ...context, maxAge: maxAgeOf(health, state) });
  return {
    ...frameOf(target, present, tagSets),
    ...indexes.status(state.sources.indexes, { ...context, maxAge: maxAgeOf(indexes, state) }),
  };
};

export const targetStatus = (table: Sources, target: Target, present: Present): TargetStatus => {
  const sources = sourceStatuses(table, target.state, contextOf(target, present, 'whole'));
  const { tagSets, ...frame } = frameOf(target, present, sources.tagSets);
  return { ...frame, ...sources, tagSets };
};

const frameOf = (target: Target, { now, wallOffset }: Present, sets: readonly TagSetStatus[]): JudgedFrame => {
  const { state } = target;
  const { options } = state;
  const skew = skewOf(state.clock);
  const conditions = conditionsAt(target.conditions, state, now);
  const missed = missedRunsOf(state);
  const reach = reachable(sets, state.process);
  return {
    name: options.name,
    url: shownUrl(options.url),
    ...(options.source !== undefined && { source: options.source }),
    ...(state.nodeId !== undefined && { nodeId: shortened(state.nodeId, 128) }),
    ...(options.nodeId !== undefined &&
      state.nodeId !== undefined &&
      state.nodeId !== options.nodeId && { expectedNodeId: options.nodeId }),
    ...reach,
    process: state.process.state,
    conditions: targetConditions(conditions, wallOffset),
    ...maintenanceOf(target, now + wallOffset),
    ...(target.safeToRestart !== undefined && { safeToRestart: target.safeToRestart }),
    checkIntervalSeconds: rounded(effectiveInterval(state)),
    checkIntervalFrom: state.interval.inferred === undefined ? 'configuration' : 'timestamps',
    staleAfterSeconds: rounded(maxAge(state)),
    ...(state.lastPoll !== undefined && {
      lastPollAt: isoOf(state.lastPoll.at + wallOffset),
      lastPollAgeSeconds: rounded(now - state.lastPoll.at),
    }),
    ...(skew !== undefined && { clockSkewSeconds: rounded(skew - wallOffset) }),
    ...(missed !== undefined && { missedRuns: missed }),
    ...(reach.state === 'up' && frozenOf(state, { now, wallOffset })),
    tagSets: sets.map((set) => ({ ...set, conditions: tagSetConditions(conditions, set.name, wallOffset) })),
  };
};

const frozenOf = (state: TargetState, { now, wallOffset }: Present): Pick<FrameStatus, 'frozen'> => {
  const stall = isUnreported(state.process) ? undefined : frozenStall(state, now);
  if (stall === undefined) return {};
  const { since, suspect } = stall;
  const suspected = suspect !== undefined && { suspect: shortened(suspect, 128) };
  return { frozen: { since: isoOf(since + wallOffset), sinceSeconds: rounded(now - since), ...suspected } };
};

const maintenanceOf = ({ maintenance }: Target, wallNow: number): Pick<FrameStatus, 'maintenance'> => {
  // Not compared with its start: the clock may have been set back since then.
  if (maintenance === undefined || wallNow >= maintenance.end) return {};
  const { end, reason, source } = maintenance;
  return { maintenance: { until: isoOf(end), reason, source } };
};

const reachable = (tagSets: readonly TagSetStatus[], process: NodeProcess): Pick<FrameStatus, 'state' | 'reason'> => {
  if (tagSets.some(({ freshness }) => freshness === 'current')) return { state: 'up' };
  const error = tagSets.find(({ lastError }) => lastError !== undefined)?.lastError;
  if (error !== undefined) return { state: 'down', reason: error };
  const ages = tagSets.flatMap(({ ageSeconds }) => ageSeconds ?? []);
  if (ages.length === 0) return { state: 'pending', reason: 'the node has not responded yet' };
  const reason = process.state === 'gone' ? failureText(process.failure) : `last report is ${span(Math.round(least(ages)))} old`;
  return { state: 'down', reason };
};
