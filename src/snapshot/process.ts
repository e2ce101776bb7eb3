// Which process of the node the state speaks of. What another one said is no word of the one that runs now.

import type { Failure } from '../client/outcome.ts';

export type NodeProcess =
  /** Nothing has answered yet. */
  | { readonly state: 'unseen' }
  /** The process that answers has reported its health. */
  | { readonly state: 'reported' }
  /** Another process answers than before, and has not reported its health yet. `since`: exporter's clock. */
  | { readonly state: 'starting'; readonly since: number }
  /** Nothing listens, or it was silent right after it had closed its connections. `since`: exporter's clock. */
  | { readonly state: 'gone'; readonly failure: Failure; readonly since: number };

/** What one poll shows of the process. */
export interface ProcessSigns {
  /** Of every question of the poll that failed. */
  readonly failures: readonly Failure[];
  readonly answered: boolean;
  readonly reported: boolean;
  /** The node was restarted since the last poll, or has another NodeID. */
  readonly replaced: boolean;
  /** Asked because its connections closed: then silence is as much as a refusal. */
  readonly afterClose: boolean;
  /** End of the poll; exporter's clock. */
  readonly at: number;
}

export const followProcess = (
  before: NodeProcess,
  { failures, answered, reported, replaced, afterClose, at }: ProcessSigns,
): NodeProcess => {
  const since = before.state === 'gone' ? before.since : at;
  const refused = failures.find(({ kind }) => kind === 'refused');
  // Refused beside an answer: the process ended, or began, while it was asked.
  if (refused !== undefined) return { state: 'gone', failure: refused, since };
  const [silence] = failures;
  if (!answered && silence !== undefined && (afterClose || before.state === 'gone'))
    return { state: 'gone', failure: silence, since };
  if (reported) return { state: 'reported' };
  if (replaced || (answered && before.state === 'gone')) return { state: 'starting', since: at };
  return before;
};

/** No report of the process that runs now is known, though one answered before or nothing listens. */
export const isUnreported = (process: NodeProcess): process is Extract<NodeProcess, { since: number }> =>
  process.state === 'gone' || process.state === 'starting';

/** The wait for a process that is not there or has not reported, of the time since it was so, and seconds at most. */
const waits = { gone: { share: 1 / 60, most: 60 }, starting: { share: 1 / 10, most: Number.POSITIVE_INFINITY } } as const;

/**
 * Seconds until the next poll of a node that is to report; undefined where there is no hurry. Of one that is down for long, or of all in an
 * outage, a poll each second would cost more than all the others. One that answers for minutes and never reports is no longer starting, and
 * each question may cost it a line in its log.
 */
export const hurryOf = (process: NodeProcess, interval: number, at: number): number | undefined => {
  if (!isUnreported(process)) return undefined;
  const { share, most } = waits[process.state];
  return Math.max(1, Math.min(interval, most, (at - process.since) * share));
};
