// Logs why discovered targets are not watched: one line per source and reason, once.

import { groupBy } from '../lists.ts';
import type { Log } from '../log.ts';
import type { Problem, ProblemReason } from './merge.ts';

/** Maximum number of names or messages in a log line. */
const maxListed = 10;

/** Maximum number of problems that are remembered per source and reason, so that each is logged once. A list may have tens of thousands. */
const maxRemembered = 1000;

const sentences = {
  invalid: 'discovered targets are invalid and not watched',
  duplicate: 'discovered targets collide and are not watched',
  limit: 'too many targets discovered: some are not watched',
  pending: 'discovered pods have no address yet and are not watched',
  configured: 'targets are configured and discovered: the configuration takes precedence',
  label: 'some labels or annotations of discovered targets are not used',
} as const;

export const refusedSentence =
  'discovered targets refuse connections and are not watched: they are down, or they listen on 127.0.0.1, the default: start the nodes with --http-host';

/** All problems with one reason, for page and API. */
export interface ProblemSummary {
  readonly reason: ProblemReason;
  readonly targets: number;
  readonly message: string;
  readonly examples: readonly string[];
}

const maxExamples = 5;

export const problemSummaries = (problems: readonly Problem[], reason: ProblemReason): readonly ProblemSummary[] => {
  const own = problems.filter((one) => one.reason === reason);
  if (own.length === 0) return [];
  const isSame = reason === 'refused' || reason === 'limit' || reason === 'pending';
  const examples = own.slice(0, maxExamples).map(({ name, message }) => (isSame ? name : `${name} ${message}`));
  return [{ reason, targets: own.length, message: reason === 'refused' ? refusedSentence : sentences[reason], examples }];
};

/** Returns a function that logs new problems. `refused`: names of targets that refuse connections and were not logged yet. */
export const problemLogger = (log: Log): ((problems: readonly Problem[], refused: readonly string[]) => void) => {
  let logged: ReadonlySet<string> = new Set();
  return (problems, refused) => {
    if (refused.length > 0) log.warn({ count: refused.length, targets: refused.slice(0, maxListed) }, refusedSentence);
    const now = new Set<string>();
    for (const group of groupBy(problems, ({ source, reason }) => `${source} ${reason}`)) {
      const [{ source, reason }] = group;
      const unlogged: Problem[] = [];
      for (const one of group.slice(0, maxRemembered)) {
        const id = idOf(one);
        now.add(id);
        if (!logged.has(id)) unlogged.push(one);
      }
      if (reason === 'refused' || unlogged.length === 0) continue;
      const errors = unlogged.slice(0, maxListed).map(({ name, message }) => `${name}: ${message}`);
      log[reason === 'configured' || reason === 'pending' ? 'info' : 'warn'](
        { source, count: group.length, errors },
        sentences[reason],
      );
    }
    logged = now;
  };
};

const idOf = ({ source, reason, name, message }: Problem): string => JSON.stringify([source, reason, name, message]);
