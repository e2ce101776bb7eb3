// Notes for the reader of a report: what the report itself does not say. They do not affect a condition.

import { unknownTagText } from '../conditions/doubt.ts';
import { concerns } from '../conditions/failing.ts';
import type { Danger } from '../sources/validator/dangers.ts';
import { printable, span } from '../text.ts';
import type { Circumstances, ReportedCheck } from './checks.ts';

export interface Note {
  readonly kind:
    | 'unknown-tag'
    | 'old-report'
    | 'stale-check'
    | 'bootstrapping-elsewhere'
    | 'contradiction'
    | 'no-checks'
    | 'clock-skew'
    | Danger['kind'];
  /** One line of printable text, without a full stop. */
  readonly message: string;
}

type Subject = Circumstances & { readonly healthy: boolean; readonly checks: readonly ReportedCheck[] };

export const notesOf = (subject: Subject): readonly Note[] => [
  ...unknownTags(subject),
  ...stale(subject),
  ...elsewhere(subject),
  ...contradiction(subject),
  ...skewed(subject),
];

const unknownTags = ({ unknownTags }: Subject): readonly Note[] =>
  unknownTags.map((tag) => ({
    kind: 'unknown-tag',
    message: unknownTagText([tag]),
  }));

type Ran = ReportedCheck & { readonly lastRunAt: number; readonly lastRunAge: number };

const hasRun = (check: ReportedCheck): check is Ran => check.lastRunAt !== undefined && check.lastRunAge !== undefined;

const stale = ({ checks, maxAge }: Subject): readonly Note[] => {
  const oldestFirst = checks.filter(hasRun).sort((a, b) => a.lastRunAt - b.lastRunAt);
  const [oldest] = oldestFirst;
  const late = oldestFirst.filter(({ lastRunAge }) => lastRunAge > maxAge);
  if (oldest === undefined || late.length === 0) return [];
  if (late.length === oldestFirst.length) {
    const since = span(oldestFirst.at(-1)?.lastRunAge ?? 0);
    return [{ kind: 'old-report', message: `no check has run for ${since}; ${printable(oldest.check, 64)} ran longest ago` }];
  }
  return late.slice(0, 10).map(({ check, lastRunAge }) => ({
    kind: 'stale-check',
    message: `${printable(check, 64)} last ran ${span(lastRunAge)} ago, while others still run: it may hang`,
  }));
};

/**
 * The check `bootstrapped` is part of the report of every tag: while one subnet is bootstrapping, the reports of all others are unhealthy
 * too.
 */
const elsewhere = ({ tags, checks }: Subject): readonly Note[] => {
  const failing = checks.find(({ check, state }) => check === 'bootstrapped' && state === 'failing');
  if (failing?.lists === undefined || concerns({ tags }, failing.check, { message: failing.lists })) return [];
  const message =
    'bootstrapped fails for other subnets than the requested ones: it is part of every report and does not count for readiness';
  return [{ kind: 'bootstrapping-elsewhere', message }];
};

const contradiction = ({ healthy, checks }: Subject): readonly Note[] => {
  if (checks.length === 0) return [{ kind: 'no-checks', message: 'the report has no checks' }];
  const fails = checks.some(({ state }) => state !== 'passing');
  if (healthy !== fails) return [];
  const message = healthy ? 'the report says healthy, though checks fail' : 'the report says unhealthy, though no check fails';
  return [{ kind: 'contradiction', message }];
};

const skewed = ({ skew }: Subject): readonly Note[] => {
  if (skew === undefined) return [];
  const where = `${span(Math.abs(skew))} ${skew < 0 ? 'behind' : 'ahead of'} the exporter clock`;
  return [{ kind: 'clock-skew', message: `the node's clock is ${where}: ages are corrected by it` }];
};
