// Polls a node, or reads a saved report, and evaluates its conditions, with the same code as the exporter.

import type { Client } from '../client/client.ts';
import { type Condition, type Conditions, conclude, type Target } from '../conditions/condition.ts';
import { judge } from '../conditions/judge.ts';
import { notPolled } from '../conditions/unanswered.ts';
import { targetFrom } from '../config/target.ts';
import { applyPoll, silentOutcomes } from '../poller/apply.ts';
import { poll } from '../poller/poll.ts';
import type { HealthReport } from '../protocol/health.ts';
import type { Circumstances } from '../report/checks.ts';
import { skewOf } from '../snapshot/clock.ts';
import { newestRun } from '../snapshot/health-run.ts';
import { lastValue } from '../snapshot/observed.ts';
import type { TagSet, TargetOptions } from '../snapshot/options.ts';
import { doubtfulTags, tagsToAsk } from '../sources/health/tags.ts';
import { sources } from '../sources/sources.ts';
import { type LastPoll, newTarget, type TargetState } from '../sources/target-state.ts';
import { span } from '../text.ts';
import { exitCodes, exitOf } from './exit-codes.ts';
import type { Rules } from './rule-flags.ts';

/** `once`: thresholds apply after a single poll. `info`: also polls the node's identity and its state as a validator. */
export const optionsOf = (
  url: string,
  tags: readonly string[],
  { ignored, healthCheckFrequency }: Rules,
  { once, info = false }: { readonly once: boolean; readonly info?: boolean },
): TargetOptions => {
  const { options } = targetFrom({ indexes: [], info, validator: { enabled: info } });
  return {
    ...options,
    url,
    healthCheckFrequency,
    tagSets: [...options.tagSets, ...(tags.length > 0 ? [{ name: 'asked', tags }] : [])],
    readiness: { ...options.readiness, ...ignored, ...(once && { failAfter: 1, passAfter: 1 }) },
  };
};

/** The tag set for which the command was started. */
const askedOf = ({ tagSets }: Pick<TargetOptions, 'tagSets'>): TagSet => tagSets.at(-1) ?? { name: 'all', tags: [] };

export const unpolled = (options: TargetOptions, now: number): Target => {
  const state = newTarget(options);
  return { state, conditions: judge(undefined, state, now) };
};

export const pollOnce = async ({ state: before, conditions }: Target, client: Client, now: () => number): Promise<Target> => {
  const { state } = await poll({ table: sources, state: () => before, client, now });
  return { state, conditions: judge(conditions, state, now()) };
};

/** Maximum polls of a node. With more tags than these polls can verify, it is higher. */
const maxPolls = 3;
const tagsInPoll = 8;

/** Polls until every tag is verified, or the node does not respond. */
export const observeNode = async (options: TargetOptions, client: Client, now: () => number): Promise<Target> => {
  const polls = Math.max(maxPolls, 1 + Math.ceil(askedOf(options).tags.length / tagsInPoll));
  let target = unpolled(options, now());
  for (let done = 0; done < polls; done += 1) {
    target = await pollOnce(target, client, now);
    const { reports, tags } = target.state.sources.health;
    if (tagsToAsk(tags).length === 0 || [...reports.values()].some(({ state }) => state !== 'fresh')) break;
  }
  return target;
};

/** Uses a saved report like the response to a request without tags. Its age is unknown. */
export const observeSaved = (options: TargetOptions, report: HealthReport, now: number): Target => {
  const answer = { outcome: { kind: 'ok', value: report }, sentAt: now, endedAt: now } as const;
  const health = { reports: new Map([[askedOf(options).name, answer]]), tags: new Map() };
  const times = { startedAt: now, endedAt: now, afterClose: false };
  const { state } = applyPoll(sources, newTarget(options), { health }, times);
  return { state, conditions: judge(undefined, state, now) };
};

export type AskedConditions = Readonly<Record<'healthy' | 'ready' | 'live', Condition>>;

/** Conditions of the requested tag set. */
export const askedConditions = ({ ready, healthy, live }: Conditions, options: TargetOptions): AskedConditions => {
  const { name } = askedOf(options);
  return { healthy: healthy.get(name) ?? notPolled, ready: ready.get(name) ?? notPolled, live };
};

/** A node that did not respond to the last poll at all is unknown, also where the rules of a condition make it False. */
export const exitCodeOf = ({ status }: Condition, lastPoll: LastPoll | undefined): number => {
  const isSilent = lastPoll?.answered === false && lastPoll.failures.every(({ kind }) => silentOutcomes.has(kind));
  return isSilent && status === 'False' ? exitCodes.unknown : exitOf[status];
};

export const reportOf = ({ options, sources: { health } }: TargetState): HealthReport | undefined =>
  lastValue(health.reports.get(askedOf(options).name));

/** Maximum error of the Date header in seconds, in addition to the bounds of the clock skew. */
const dateSlack = 1;

export const circumstancesOf = (state: TargetState, now: number, maxAge: number): Circumstances => {
  const { tags } = askedOf(state.options);
  const { unknown } = doubtfulTags(state.sources.health.tags, { name: '', tags });
  const { lower, upper } = state.clock;
  const skew = lower > dateSlack || upper < -dateSlack ? skewOf(state.clock) : undefined;
  return { tags, unknownTags: unknown, nodeNow: now + (skew ?? 0), maxAge, ...(skew !== undefined && { skew }) };
};

/** With --max-age, the conditions are Unknown instead of True if all checks ran longer ago. */
export const withinAge = (
  asked: AskedConditions,
  report: HealthReport | undefined,
  nodeNow: number,
  maxAge: number | undefined,
): AskedConditions => {
  const run = report === undefined ? undefined : newestRun(report);
  if (maxAge === undefined || run === undefined || nodeNow - run.end <= maxAge) return asked;
  const { lastTransitionAt } = asked.healthy;
  const old = conclude('Unknown', 'ReportStale', `no check has run for ${span(nodeNow - run.end)}, longer than --max-age`);
  const doubted = (one: Condition): Condition =>
    one.status === 'True' ? { ...old, ...(lastTransitionAt !== undefined && { lastTransitionAt }) } : one;
  return { ...asked, healthy: doubted(asked.healthy), ready: doubted(asked.ready) };
};
