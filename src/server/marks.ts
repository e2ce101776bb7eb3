// The level of each part of the page as a word, a sign and a colour: never only as a colour.

import type { CheckStatus } from '../sources/health/check-status.ts';
import type { IndexStatus } from '../sources/indexes/status.ts';
import { freshnessMark } from '../sources/observed-status.ts';
import type { Level } from '../sources/source.ts';
import type { ConditionStatus } from './condition-status.ts';
import type { JudgedTagSet, TargetOutline } from './status.ts';

export interface Mark {
  readonly level: Level;
  readonly word: string;
}

export const levelRank = { bad: 0, warn: 1, none: 2, good: 3 } as const;

export const worst = (marks: readonly Pick<Mark, 'level'>[]): Level =>
  marks.reduce<Level>((level, mark) => (levelRank[mark.level] < levelRank[level] ? mark.level : level), 'good');

/** Worst first; equals keep their order. */
export const byMark =
  <T>(markOf: (item: T) => Mark) =>
  (a: T, b: T): number =>
    levelRank[markOf(a).level] - levelRank[markOf(b).level];

export const conditionMark = (
  { status, reason }: ConditionStatus,
  words: Readonly<Record<ConditionStatus['status'], string>>,
): Mark => {
  const level = ({ True: 'good', False: 'bad', Unknown: 'warn' } as const)[status];
  return reason === 'NotPolled' ? { level: 'none', word: 'not polled yet' } : { level, word: words[status] };
};

export const readyMark = (ready: ConditionStatus): Mark =>
  conditionMark(ready, { True: 'ready', False: 'not ready', Unknown: 'unknown' });

export const healthyMark = (healthy: ConditionStatus): Mark =>
  conditionMark(healthy, { True: 'healthy', False: 'unhealthy', Unknown: 'unknown' });

/** The level of a tag set: its readiness, lowered if the node is unhealthy or the state is stale. */
export const tagSetMark = (set: JudgedTagSet): Mark => {
  const [ready, healthy] = set.conditions;
  const own = readyMark(ready);
  const doubtful = healthy.status !== 'True' || set.freshness !== 'current' || set.unknownTags !== undefined;
  return own.level === 'good' && doubtful ? { level: 'warn', word: own.word } : own;
};

const checkMarks: Readonly<Record<CheckStatus['state'], Mark>> = {
  failing: { level: 'bad', word: 'failing' },
  'not-yet-run': { level: 'warn', word: 'not yet run' },
  passing: { level: 'good', word: 'passing' },
};

export const checkMark = ({ state }: CheckStatus): Mark => checkMarks[state];

const indexLevels = { ok: 'good', off: 'warn', empty: 'none', historical: 'none', unknown: 'none' } as const;

export const indexMark = (index: IndexStatus): Mark => {
  const { state: word = 'unknown' } = index;
  return freshnessMark(index) ?? { level: indexLevels[word], word };
};

const reachMarks: Readonly<Record<TargetOutline['state'], Mark>> = {
  up: { level: 'good', word: 'up' },
  down: { level: 'bad', word: 'down' },
  pending: { level: 'none', word: 'not polled yet' },
};

const isSilent = ({ conditions: [started] }: TargetOutline): boolean => started.status === 'False';

/** A report can still be current after the node has stopped responding: that is not shown as up. */
export const reachMark = (target: TargetOutline): Mark =>
  target.state === 'up' && isSilent(target) ? { level: 'bad', word: 'no response' } : reachMarks[target.state];

/** The level of a target that responds is that of its worst tag set. */
export const targetMark = (target: TargetOutline): Mark => {
  const reach = reachMark(target);
  const isBad = target.conditions.some(({ status }) => status === 'False');
  // The report of a frozen node is outdated, even if it is healthy.
  if (target.frozen !== undefined || isBad) return { level: 'bad', word: reach.word };
  return { level: worst([reach, ...target.tagSets.map(tagSetMark)]), word: reach.word };
};

/** What is no part of the health of a node, but fires an alert. */
export const exceptionsOf = ({ expectedNodeId, indexes }: TargetOutline): readonly string[] => [
  ...(expectedNodeId === undefined ? [] : ['the NodeID']),
  ...indexes.filter(isFaulty).map(({ name }) => `index ${name}`),
];

const isFaulty = ({ agreesWithChain, heightDrift = 0, state, lastError, errors: { time: _, ...errors } }: IndexStatus): boolean =>
  agreesWithChain === false ||
  heightDrift > 0 ||
  state === 'off' ||
  lastError !== undefined ||
  Object.values(errors).some((count) => count > 0);

/** The problem of a target in a few words; undefined if there is none to name. */
export const troubleOf = (target: TargetOutline): string | undefined => {
  if (target.frozen !== undefined) return 'its checks have stopped running';
  if (target.state === 'down') return isSilent(target) ? 'it does not respond' : 'it gives no health report';
  const failed = target.conditions.find(({ status }) => status === 'False');
  if (failed !== undefined) return failed.message;
  const unready = target.tagSets.filter(({ conditions: [ready] }) => ready.status === 'False');
  if (unready.length === 0) return undefined;
  const sets = unready.length > 4 ? `${unready.length} tag sets` : unready.map(({ name }) => name).join(', ');
  const reasons = [...new Set(unready.flatMap(({ conditions: [ready] }) => ready.failureReasons ?? []))].slice(0, 3);
  return `not ready for ${sets}${reasons.length === 0 ? '' : ` (${reasons.join(', ')})`}`;
};
