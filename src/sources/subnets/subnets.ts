// `tagSets: auto`: finds the subnets whose chains the node reports, and gives each a tag set. Sends requests only when the checks of
// the report change, and after a restart of the node.

import { describe } from '../../client/outcome.ts';
import type { LogEntry, Ongoing } from '../../snapshot/log-entry.ts';
import { valueIn } from '../../snapshot/observed.ts';
import { type TargetOptions, untagged } from '../../snapshot/options.ts';
import type { ReportsAsked } from '../health/state.ts';
import type { Source, Step } from '../source.ts';
import { subnetFamilies } from './families.ts';
import { followPresence, type KnownSubnet, maxSubnets, withPlaced } from './known.ts';
import type { Search } from './placement.ts';
import { continueSearch, dueSearch } from './search.ts';
import type { SubnetsAsked, SubnetsState } from './state.ts';
import { type SubnetsStatus, subnetFacts, subnetsStatus } from './status.ts';
import { tagSetNameOf, withSubnets } from './tag-sets.ts';

const nothing = { settled: new Set<string>(), verify: false, failures: 0 };

/** State of a target that is not polled yet. */
export const rememberedSubnets = (known: readonly KnownSubnet[]): SubnetsState => ({ ...nothing, isAuto: true, known });

const nothingAsked: SubnetsAsked = { answers: [] };

/** Maximum seconds until an unsuccessful search is retried. */
const longestWait = 3600;

export const subnets: Source<SubnetsState, SubnetsAsked, ReportsAsked, SubnetsStatus> = {
  api: 'subnets',
  start: ({ writtenTagSets }, before) =>
    writtenTagSets === undefined ? { ...nothing, isAuto: false, known: [] } : { ...nothing, known: [], ...before, isAuto: true },
  ask: async ({ client, options, before, of }) => {
    const report = before.isAuto ? (await of.health)?.reports.get(untagged(options).name) : undefined;
    const search = report && dueSearch(before, report);
    if (report === undefined || search === undefined) return nothingAsked;
    return continueSearch(search, { client, known: before.known.map(({ id }) => id), nodeId: report.nodeId });
  },
  answers: ({ answers }) => answers,
  observe: (before, asked, { options, at, interval, restarted, of }) => {
    if (!before.isAuto) return before;
    const report = valueIn(of.health?.reports.get(untagged(options).name));
    const checks = report && new Set(report.checks.keys());
    const presence = { checks, isReady: valueIn(of.readiness)?.healthy === true && !restarted, at };
    // Either process may have sent the responses: the next poll queries the current one.
    if (restarted) return { ...before, known: followPresence(before.known, { ...presence, unlisted: [] }) };
    const { search } = asked;
    const placed = withPlaced(before.known, search?.placed ?? []);
    const isLeft = search?.placed.some(({ subnetId }) => !placed.some(({ id }) => id === subnetId)) === true;
    const known = followPresence(placed, { ...presence, unlisted: search?.unlisted ?? [] });
    const next = checks === undefined ? before : searched(before, asked, checks, { at, interval });
    return {
      ...next,
      known: sameOr(before.known, known),
      hasMore: known.length >= maxSubnets && (isLeft || before.hasMore === true),
      verify: next.verify || hasNewAbsent(before.known, known),
    };
  },
  restarted: (before) => ({ ...before, ...noSearch, settled: new Set() }),
  fail: (before) => before,
  // Found subnets do not become stale.
  observedAt: () => [],
  ongoing: (state) => [...tooMany(state), ...ongoingOf(state)],
  changes: (before, after, options) => (before.known === after.known ? [] : changesOf(before.known, after.known, options)),
  families: subnetFamilies,
  status: subnetsStatus,
  facts: ({ subnets: status }) => subnetFacts(status),
};

const noSearch = { search: undefined, problem: undefined, retryAt: undefined, failures: 0 };

/** State after a poll with a report. */
const searched = (
  before: SubnetsState,
  { search, problem }: SubnetsAsked,
  checks: ReadonlySet<string>,
  { at, interval }: Pick<Step<ReportsAsked>, 'at' | 'interval'>,
): SubnetsState => {
  const isOver = !before.verify && before.search?.open.every((check) => !checks.has(check)) === true;
  if (search === undefined) return isOver ? { ...before, ...noSearch } : before;
  const resolved = [...search.application, ...search.placed.map(({ check }) => check)];
  const settled = new Set([...before.settled, ...resolved].filter((check) => checks.has(check)));
  const rest: Search = { ...search, placed: [], application: [], unlisted: [] };
  const next = { ...before, settled, verify: search.verify, searchedAt: search.begunAt ?? before.searchedAt };
  if (problem === undefined && search.stage !== 'ended') return { ...next, ...noSearch, search: rest };
  if (problem === undefined && search.open.length === 0) return { ...next, ...noSearch };
  // Retries with each poll while the P-Chain bootstraps, otherwise with exponential backoff.
  const failures = problem?.kind === 'bootstrapping' ? 0 : before.failures + 1;
  const wait = Math.min(longestWait, interval * 2 ** Math.min(failures, 12));
  return { ...next, search: rest, problem, retryAt: problem?.kind === 'bootstrapping' ? undefined : at + wait, failures };
};

/** Returns the same array if all are the same. */
const sameOr = (before: readonly KnownSubnet[], after: readonly KnownSubnet[]): readonly KnownSubnet[] =>
  before.length === after.length && before.every((one, at) => one === after[at]) ? before : after;

const hasNewAbsent = (before: readonly KnownSubnet[], after: readonly KnownSubnet[]): boolean =>
  after.some(
    ({ id, absentSince }) => absentSince !== undefined && before.find((one) => one.id === id)?.absentSince === undefined,
  );

const ongoingOf = ({ search, problem }: SubnetsState): readonly Ongoing[] => {
  const isStuck = problem?.kind === 'failed' || search?.stage === 'ended';
  if (!isStuck || search === undefined) return [];
  const value = problem?.kind === 'failed' ? describe(problem.failure) : 'no subnet has it';
  return search.open.map((name) => ({ level: 'warn', message: 'subnet of a check not found', field: 'checks', name, value }));
};

const tooMany = ({ hasMore = false }: SubnetsState): readonly Ongoing[] => {
  if (!hasMore) return [];
  const message = `only ${maxSubnets} subnets of a node have a tag set: configure those that matter`;
  return [{ level: 'warn', message, field: 'tagSets', name: 'auto', value: 'more found' }];
};

const changesOf = (
  before: readonly KnownSubnet[],
  after: readonly KnownSubnet[],
  options: TargetOptions,
): readonly LogEntry[] => {
  const idsOf = (all: readonly KnownSubnet[], but: readonly KnownSubnet[]): Readonly<Record<string, string>> => {
    const { tagSets } = withSubnets(options, all);
    const ids = all.map(({ id }) => id).filter((id) => !but.some((one) => one.id === id));
    return Object.fromEntries(ids.map((id) => [tagSetNameOf(tagSets, id) ?? id, id]));
  };
  const [added, removed] = [idsOf(after, before), idsOf(before, after)];
  const line = (message: string, tagSets: object): readonly LogEntry[] =>
    Object.keys(tagSets).length === 0 ? [] : [{ level: 'info', message, fields: { tagSets } }];
  return [...line('subnets found', added), ...line('subnets no longer on the node', removed)];
};
