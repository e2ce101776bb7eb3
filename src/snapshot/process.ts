// Tracks the process of the node that the state describes: a report of an earlier process does not describe the current one.

import type { Failure } from '../client/outcome.ts';

export type NodeProcess =
  /** No response yet. */
  | { readonly state: 'unseen' }
  /** The responding process has reported its health. */
  | { readonly state: 'reported' }
  /** A new process responds, and has not reported its health yet. `since`: exporter's clock. */
  | { readonly state: 'starting'; readonly since: number }
  /** Nothing listens, or there was no response right after the node closed its connections. `since`: exporter's clock. */
  | { readonly state: 'gone'; readonly failure: Failure; readonly since: number };

/** What one poll shows of the process. */
export interface ProcessSigns {
  /** Failures of all failed requests of the poll. */
  readonly failures: readonly Failure[];
  readonly answered: boolean;
  readonly reported: boolean;
  /** The node was restarted since the last poll, or has another NodeID. */
  readonly replaced: boolean;
  /** The poll was triggered by closed connections: then no response counts like a refused connection. */
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
  // One request was refused although another had a response: the process ended or started during the poll.
  if (refused !== undefined) return { state: 'gone', failure: refused, since };
  const [silence] = failures;
  if (!answered && silence !== undefined && (afterClose || before.state === 'gone'))
    return { state: 'gone', failure: silence, since };
  if (reported) return { state: 'reported' };
  if (replaced || (answered && before.state === 'gone')) return { state: 'starting', since: at };
  return before;
};

/** There is no report of the current process: nothing listens, or it is starting. */
export const isUnreported = (process: NodeProcess): process is Extract<NodeProcess, { since: number }> =>
  process.state === 'gone' || process.state === 'starting';

/** The delay grows with the time in this state: it is this fraction of that time, up to a maximum in seconds. */
const delays = { gone: { fraction: 1 / 60, max: 60 }, starting: { fraction: 1 / 10, max: Number.POSITIVE_INFINITY } } as const;

/**
 * Seconds until the next poll of a node that is gone or starting; undefined otherwise, when the check interval applies. It grows, because
 * polling every second would be expensive for a node that is down for long, and in an outage of all nodes. A process that responds for
 * minutes and never reports is not starting any more, and each request may add a line to its log.
 */
export const recoveryPollDelay = (process: NodeProcess, interval: number, at: number): number | undefined => {
  if (!isUnreported(process)) return undefined;
  const { fraction, max } = delays[process.state];
  return Math.max(1, Math.min(interval, max, (at - process.since) * fraction));
};
