// How well each part is, in a word, a sign and a colour: never in a colour alone.

import type { CheckStatus } from '../sources/health/check-status.ts';
import type { IndexStatus } from '../sources/indexes/status.ts';
import { freshnessMark } from '../sources/observed-status.ts';
import type { Level } from '../sources/source.ts';
import type { ConditionStatus } from './condition-status.ts';
import type { JudgedTagSet, TargetStatus } from './status.ts';

export interface Mark {
  readonly level: Level;
  readonly word: string;
}

const rank = { bad: 0, warn: 1, none: 2, good: 3 } as const;

export const worst = (marks: readonly Mark[]): Mark['level'] =>
  marks.reduce<Mark['level']>((level, mark) => (rank[mark.level] < rank[level] ? mark.level : level), 'good');

/** Worst first; equals keep their order. */
export const byMark =
  <T>(markOf: (item: T) => Mark) =>
  (a: T, b: T): number =>
    rank[markOf(a).level] - rank[markOf(b).level];

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

/** How good a tag set is: as its readiness, and not quite where that is said of an unhealthy node, or of what was once known. */
export const tagSetMark = (set: JudgedTagSet): Mark => {
  const [ready, healthy] = set.conditions;
  const own = readyMark(ready);
  const doubtful = healthy.status !== 'True' || set.freshness !== 'current' || set.unknownTags !== undefined;
  return own.level === 'good' && doubtful ? { level: 'warn', word: own.word } : own;
};

export const checkMark = (check: CheckStatus): Mark => {
  switch (check.state) {
    case 'failing':
      return { level: 'bad', word: 'failing' };
    case 'not-yet-run':
      return { level: 'warn', word: 'not yet run' };
    case 'passing':
      return { level: 'good', word: 'passing' };
    default:
      return check.state satisfies never;
  }
};

export const indexMark = (index: IndexStatus): Mark => {
  const unknown = freshnessMark(index);
  if (unknown !== undefined) return unknown;
  switch (index.state) {
    case 'ok':
      return { level: 'good', word: 'ok' };
    case 'off':
      return { level: 'warn', word: 'off' };
    case 'empty':
    case 'historical':
      return { level: 'none', word: index.state };
    case undefined:
      return { level: 'none', word: 'unknown' };
    default:
      return index.state satisfies never;
  }
};

export const reachMark = (target: TargetStatus): Mark => {
  switch (target.state) {
    case 'up':
      return { level: 'good', word: 'up' };
    case 'down':
      return { level: 'bad', word: 'down' };
    case 'pending':
      return { level: 'none', word: 'not polled yet' };
    default:
      return target.state satisfies never;
  }
};

/** A target that answers is as good as the worst of its tag sets. */
export const targetMark = (target: TargetStatus): Mark => {
  const reach = reachMark(target);
  const isBad = target.conditions.some(({ status }) => status === 'False');
  // What a frozen worker says was true once: however good it sounds.
  if (target.frozen !== undefined || isBad) return { level: 'bad', word: reach.word };
  return { level: worst([reach, ...target.tagSets.map(tagSetMark)]), word: reach.word };
};

/** What is wrong with a target in a few words; undefined where there are none for it. */
export const troubleOf = (target: TargetStatus): string | undefined => {
  if (target.frozen !== undefined) return 'its checks have stopped running';
  if (target.state === 'down') return 'it does not answer';
  const failed = target.conditions.find(({ status }) => status === 'False');
  if (failed !== undefined) return failed.message;
  const unready = target.tagSets.filter(({ conditions: [ready] }) => ready.status === 'False');
  if (unready.length === 0) return undefined;
  const sets = unready.length > 4 ? `${unready.length} tag sets` : unready.map(({ name }) => name).join(', ');
  const reasons = [...new Set(unready.flatMap(({ conditions: [ready] }) => ready.failureReasons ?? []))].slice(0, 3);
  return `not ready for ${sets}${reasons.length === 0 ? '' : ` (${reasons.join(', ')})`}`;
};
