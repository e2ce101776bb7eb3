// How well each part is, in a word, a sign and a colour: never in a colour alone.

import type { CheckStatus } from './check-status.ts';
import type { IndexStatus, SourceStatus, TagSetStatus, TargetStatus, VerdictStatus } from './status.ts';
import type { JudgementStatus } from './verdict-status.ts';

export interface Mark {
  readonly level: 'bad' | 'warn' | 'none' | 'good';
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

const unknownMark = (source: SourceStatus): Mark | undefined => {
  switch (source.knowledge) {
    case 'pending':
      return { level: 'none', word: 'not asked yet' };
    case 'failed':
      return { level: 'bad', word: 'no answer' };
    case 'stale':
      return { level: 'warn', word: 'stale' };
    case 'current':
      return undefined;
    default:
      return source.knowledge satisfies never;
  }
};

/** `words`: for the node's yes and no. */
export const verdictMark = (verdict: VerdictStatus, words: { readonly yes: string; readonly no: string }): Mark =>
  unknownMark(verdict) ?? (verdict.healthy === true ? { level: 'good', word: words.yes } : { level: 'bad', word: words.no });

/** Our own verdict, where there is one; what the node says otherwise. */
export const tagSetMark = (set: TagSetStatus): Mark => {
  const asked = verdictMark(set, { yes: 'healthy', no: 'unhealthy' });
  if (set.ready === undefined || set.knowledge === 'pending') return asked;
  if (set.unknownTags !== undefined && set.ready.state === 'yes') return { level: 'warn', word: 'ready' };
  const own = judgementMark(set.ready, { yes: 'ready', no: 'not ready' });
  // Ready although a check fails, or as far as was known: worth a look, and nothing worse.
  return own.level === 'good' && asked.level !== 'good' ? { level: 'warn', word: own.word } : own;
};

export const judgementMark = ({ state }: JudgementStatus, words: { readonly yes: string; readonly no: string }): Mark => {
  switch (state) {
    case 'yes':
      return { level: 'good', word: words.yes };
    case 'no':
      return { level: 'bad', word: words.no };
    case 'unknown':
      return { level: 'warn', word: 'unknown' };
    default:
      return state satisfies never;
  }
};

/** Why a tag set is as it is, in a line. */
export const tagSetReason = (set: TagSetStatus): string => {
  if (set.ready !== undefined) return set.ready.because;
  if (set.problem !== undefined && set.knowledge !== 'current') return set.problem;
  const failing = (set.checks ?? []).filter((check) => check.state !== 'passing').map((check) => check.name);
  if (set.healthy === undefined) return 'nothing is known of it yet';
  if (set.checks === undefined) return set.healthy ? 'the node says so' : 'the node says that it is not healthy';
  if (failing.length === 0) return set.healthy ? 'every check passes' : 'the node says so, and no check of it fails';
  const named = failing.slice(0, 3).join(', ');
  return failing.length > 3
    ? `${named} and ${failing.length - 3} more do not pass`
    : `${named} ${failing.length === 1 ? 'does' : 'do'} not pass`;
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
  const unknown = unknownMark(index);
  if (unknown !== undefined) return unknown;
  switch (index.state) {
    case 'ok':
      return { level: 'good', word: 'ok' };
    case 'empty':
    case 'off':
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
      return { level: 'none', word: 'not asked yet' };
    default:
      return target.state satisfies never;
  }
};

/** A target that answers is as well as the worst of its tag sets. */
export const targetMark = (target: TargetStatus): Mark => {
  const reach = reachMark(target);
  // What a frozen worker says was true once: however well it sounds.
  if (target.frozen !== undefined) return { level: 'bad', word: reach.word };
  return { level: worst([reach, ...target.tagSets.map(tagSetMark)]), word: reach.word };
};

/** What is wrong with a target in a few words; undefined where there are none for it. */
export const troubleOf = (target: TargetStatus): string | undefined => {
  if (target.frozen !== undefined) return 'its checks have stopped running';
  if (target.state === 'down') return 'it does not answer';
  const unready = target.tagSets.filter(({ ready }) => ready?.state === 'no');
  if (unready.length === 0) return undefined;
  const sets = unready.length > 4 ? `${unready.length} tag sets` : unready.map(({ name }) => name).join(', ');
  const reasons = [...new Set(unready.flatMap(({ ready }) => ready?.reasons ?? []))].slice(0, 3);
  return `not ready for ${sets}${reasons.length === 0 ? '' : ` (${reasons.join(', ')})`}`;
};
