// The log lines of a target after a poll, as a pure step: one line per event, however many checks, tag sets and indexes it affects. While
// a node starts, expected events are not logged: its checks are added to the report one by one, have not run, and wait for its chains. So a
// restart is three lines: poll failed, node restarted, ready. The event history has all of the events.

import { describe, type Failure } from '../client/outcome.ts';
import type { Target } from '../conditions/condition.ts';
import type { LogEntry, Ongoing } from '../snapshot/log-entry.ts';
import { changes, ongoingIn } from '../sources/changes.ts';
import { maxCountedChecks } from '../sources/health/transitions.ts';
import type { Sources } from '../sources/sources.ts';
import { effectiveInterval } from '../sources/target-state.ts';
import { nothingLogged, type OngoingMemory, ongoingLines } from './ongoing-lines.ts';
import type { Draft } from './record.ts';
import { alike, conditionLines, newFailures } from './record-lines.ts';
import { logEntryOf } from './sentence.ts';

export interface LineMemory {
  readonly hasAnswered: boolean;
  /** Since when the node is starting, exporter's clock; absent: it is running, or has not responded yet. */
  readonly startingSince?: number;
  readonly outage?: Outage;
  /** Checks whose failure was logged. */
  readonly failing: ReadonlySet<string>;
  readonly ongoing: OngoingMemory;
}

/** Since when every request fails, which causes were logged, and the cause of the last poll. */
interface Outage {
  readonly since: number;
  readonly isLogged: boolean;
  readonly causes: readonly string[];
  readonly last?: string | undefined;
}

export const noLines: LineMemory = { hasAnswered: false, failing: new Set(), ongoing: nothingLogged };

export interface LineStep {
  /** As it was shown just before the poll. */
  readonly before: Target;
  readonly after: Target;
  /** The conditions that expired before the poll. */
  readonly expired: readonly Draft[];
  /** The events of the poll. */
  readonly records: readonly Draft[];
}

export interface Lines {
  readonly memory: LineMemory;
  readonly lines: readonly LogEntry[];
}

/** Check intervals after which a node that is not ready no longer counts as starting: then the log says why it is not ready. */
const longestStart = 10;

export const linesOf = (table: Sources, memory: LineMemory, step: LineStep): Lines => {
  const { before, after, expired } = step;
  const { lastPoll, options, sources } = after.state;
  if (lastPoll === undefined) return { memory, lines: [] };
  // `answered` is not enough: if all requests get 404, it is true, because an index that is off counts as ok.
  const isReported = memory.hasAnswered || sources.health.reports.get(sources.health.untagged)?.state === 'fresh';
  const poll = lastPoll.answered && isReported ? answeredPoll : failedPoll;
  const { memory: next, lines } = poll(table, memory, step, lastPoll.at);
  const outdated = conditionLines(expired, memory.startingSince !== undefined || memory.outage !== undefined);
  const all = [...outdated, ...lines, ...changes(table, before.state, after.state)];
  return { memory: next, lines: all.map((line) => ({ ...line, fields: { target: options.name, ...line.fields } })) };
};

type PollLines = (table: Sources, memory: LineMemory, step: LineStep, at: number) => Lines;

/** Seconds that a node may take to open its port if it starts together with the exporter. */
const startsWithin = 10;

/**
 * Logged at once if it changes a condition, or if the URL is wrong; otherwise if the next poll fails too. Another cause is logged if the
 * next poll confirms it, each once: a node that crashes again and again alternates between two.
 */
const failedPoll: PollLines = (_, memory, { after: { state }, expired, records }, at) => {
  const { hasAnswered, outage } = memory;
  const { since = at, isLogged = false, causes = [] } = outage ?? {};
  const fields = readyFields(records);
  // A bug of the exporter is already logged, with its stack.
  const failure = state.lastPoll?.failures.find(({ kind }) => kind !== 'internal-error');
  const isGone = state.process.state === 'gone';
  const shouldLog = (one: Failure): boolean => {
    if (fields.condition !== undefined || readyFields(expired).condition !== undefined) return true;
    if (hasAnswered) return outage !== undefined || isGone;
    return isWrongUrl(one) || (isGone ? at - since >= startsWithin : outage !== undefined);
  };
  const isNew = !isLogged && failure !== undefined && shouldLog(failure);
  const last = failure && causeOf(failure);
  const isOther = isLogged && last !== undefined && last === outage?.last && !causes.includes(last);
  const begun = hasAnswered || outage !== undefined ? 'poll failed' : 'first poll failed';
  const text = isOther ? 'poll still failing, with another error' : begun;
  const isLine = failure !== undefined && (isNew || isOther);
  const next = { since, isLogged: isLogged || isNew, causes: isLine ? [...causes, causeOf(failure)] : causes, last };
  return {
    memory: { ...memory, outage: next },
    lines: isLine
      ? [{ level: 'warn', message: `${text}: ${describe(failure)}`, fields }, ...conditionLines(records, true).filter(isOfLive)]
      : conditionLines(records, true),
  };
};

const causeOf = (failure: Failure): string => (failure.kind === 'http-status' ? `status ${failure.status}` : failure.kind);

/** Not a node, the wrong scheme, or no such host. These do not end when the node has started; a 5xx of a proxy may. */
const isWrongUrl = (failure: Failure): boolean => {
  switch (failure.kind) {
    case 'reset':
      return failure.maySpeak !== undefined;
    case 'network':
      return failure.speaks !== undefined;
    case 'http-status':
      return failure.status < 500;
    case 'dns':
      return failure.reason.includes('ENOTFOUND');
    case 'refused':
    case 'timeout':
    case 'internal-error':
      return false;
    default:
      return true;
  }
};

const answeredPoll: PollLines = (table, memory, { before, after, records }, at) => {
  const { state, conditions } = after;
  const restarts = records.filter(({ kind }) => kind === 'node-restarted' || kind === 'node-id-changed');
  const since = restarts.length > 0 || !memory.hasAnswered ? at : memory.startingSince;
  const isReady = [...conditions.ready.values()].every(({ status }) => status === 'True');
  const isStarting = since !== undefined && !isReady && at - since <= longestStart * effectiveInterval(state);
  const failures = newFailures(state, memory.failing, records, isStarting);
  const passed = records.filter(({ check = '', kind, to }) => kind === 'check' && to === 'passing' && memory.failing.has(check));
  const isAsked = state.sources.health !== before.state.sources.health;
  const isKept = ({ field, name }: Ongoing) =>
    field !== 'tagSets' || state.options.tagSets.some((tagSet) => tagSet.name === name);
  const ongoing = isStarting || !isAsked ? undefined : ongoingLines(memory.ongoing, ongoingIn(table, state), isKept);
  const failing = new Set(memory.failing);
  for (const { check = '', unseen } of passed) if (unseen !== true) failing.delete(check);
  for (const { check = '' } of failures) failing.add(check);
  dropOldest(failing, maxCountedChecks);
  const isBack = restarts.length === 0 && memory.hasAnswered && memory.outage?.isLogged === true;
  const changed = conditionLines(records, since !== undefined || restarts.length > 0).filter(
    (line) => (restarts.length === 0 || isOfLive(line)) && !(isBack && isReadyAgain(line)),
  );
  return {
    memory: {
      hasAnswered: true,
      ...(isStarting && { startingSince: since }),
      failing,
      ongoing: ongoing?.memory ?? memory.ongoing,
    },
    lines: [
      ...contactLines(memory, restarts, records, at),
      // Left out if a condition changes with it, or changed just before: the line of the condition has the reason.
      ...(changed.some(isOfReady) || isFrozen(before) ? [] : alike(records.filter(isOfFrozen))),
      ...(changed.some(isOfReady) ? [] : alike(records.filter(isOfRunning))),
      ...(since === undefined ? alike(records.filter(isOfReport)) : []),
      ...alike(passed, (check) => state.sources.health.transitions.get(check)?.failing === 0),
      ...alike(failures),
      ...changed,
      ...(since !== undefined && !isStarting && !isReady ? notReady(after) : []),
      ...(ongoing?.lines ?? []),
    ],
  };
};

/** Limits the memory for ever-changing names. A check that is dropped here and still fails is logged again. */
const dropOldest = (names: Set<string>, maxNames: number): void => {
  for (const name of names) {
    if (names.size <= maxNames) return;
    names.delete(name);
  }
};

const isOfLive = ({ fields }: LogEntry): boolean => fields.condition === 'Live';
const isOfReady = ({ fields }: LogEntry): boolean => fields.condition === 'Ready';
const isReadyAgain = (line: LogEntry): boolean => isOfReady(line) && line.fields.to === 'True';
const isOfReport = ({ kind }: Draft): boolean => kind === 'check-gone' || kind === 'check-back';
const isOfFrozen = ({ kind }: Draft): boolean => kind === 'health-frozen';
const isOfRunning = ({ kind }: Draft): boolean => kind === 'health-running';
/** According to its conditions. They are evaluated a moment after the poll, so at the limit they change one poll before the records. */
const isFrozen = ({ conditions }: Target): boolean =>
  [...conditions.ready.values()].some(({ reason }) => reason === 'HealthFrozen');

/** Tag sets that are no longer ready, or ready again, as fields of a line about something else. */
const readyFields = (records: readonly Draft[]): LogEntry['fields'] => {
  const changed = records.filter(({ condition, from, to }) => condition === 'Ready' && (from === 'True' || to === 'True'));
  const [first] = changed;
  if (first === undefined) return {};
  const { condition, from, to } = first;
  const tagSets = (end: 'from' | 'to') => changed.flatMap((one) => (one[end] === 'True' ? (one.tagSets ?? []) : []));
  const [notReady, ready] = [tagSets('from'), tagSets('to')];
  return { condition, from, to, ...(notReady.length > 0 && { notReady }), ...(ready.length > 0 && { ready }) };
};

/** Lines about a node that responds again, for the first time, or after a restart. */
const contactLines = (
  { hasAnswered, outage }: LineMemory,
  restarts: readonly Draft[],
  records: readonly Draft[],
  at: number,
): readonly LogEntry[] => {
  const away = outage?.isLogged === true ? { outageSeconds: Math.round((at - outage.since) * 10) / 10 } : {};
  const ready = readyFields(records);
  if (restarts.length > 0)
    return restarts.map((record) => {
      const { level, message, fields } = logEntryOf([record]);
      // The record of a changed NodeID already has the fields from and to.
      const { condition, from, to, ...tagSets } = ready;
      return { level, message, fields: { ...fields, ...away, ...(fields.from === undefined ? ready : tagSets) } };
    });
  if (!hasAnswered) return [{ level: 'info', message: 'first poll succeeded', fields: away }];
  return outage?.isLogged === true ? [{ level: 'info', message: 'poll succeeded again', fields: { ...away, ...ready } }] : [];
};

/** The line for a start that takes too long: which tag sets are not ready, and why. */
const notReady = ({ conditions }: Target): readonly LogEntry[] => {
  const tagSets = [...conditions.ready].filter(([, { status }]) => status !== 'True');
  const [, first] = tagSets[0] ?? [];
  const names = tagSets.map(([name]) => name);
  return [{ level: 'warn', message: `not ready: ${first?.message ?? ''}`, fields: { tagSets: names } }];
};
