// One poll of one target: ask, take the answers into its state, say when to poll next.

import type { Client } from '../client/client.ts';
import { nextDue } from '../snapshot/due.ts';
import { isUnreported } from '../snapshot/process.ts';
import type { SourceTable } from '../sources/source.ts';
import type { Sources } from '../sources/sources.ts';
import type { TargetState } from '../sources/target-state.ts';
import { type Applied, applyPoll } from './apply.ts';
import { askNode, type PollCause } from './ask.ts';

export interface PollOf<T extends SourceTable> {
  readonly table: T;
  /** Read twice: the configuration may have changed while the node was asked. */
  readonly state: () => TargetState<T>;
  readonly client: Client;
  readonly now: () => number;
  readonly cause?: PollCause;
}

export const poll = async <T extends SourceTable & Sources>({
  table,
  state,
  client,
  now,
  cause = 'due',
}: PollOf<T>): Promise<Applied<T>> => {
  const startedAt = now();
  const { asked, faults } = await askNode(table, state(), client, now, cause);
  return applyPoll(table, state(), asked, { startedAt, endedAt: now(), afterClose: cause === 'closed', faults });
};

/** Longest spread of first polls, seconds: a thousand targets do not start at once, and none waits for long. */
const firstSpread = 10;

/** Longest spread of targets whose nodes run their checks in step with each other, seconds. */
const phaseSpread = 0.25;

/** When the target at this place of so many is first due, seconds after the start, and by how much it comes after others. */
export const spread = (
  { healthCheckFrequency }: { readonly healthCheckFrequency: number },
  place: number,
  count: number,
): { readonly firstDue: number; readonly offset: number } => {
  const share = place / count;
  return { firstDue: share * Math.min(healthCheckFrequency, firstSpread, count * 0.1), offset: share * phaseSpread };
};

export interface PollEnd {
  /** When it was due, and when it ended; seconds, exporter's clock. */
  readonly lastDue: number;
  readonly lastEnd: number;
  /** By how much the target comes after others that are due with it. */
  readonly offset: number;
  readonly cause: PollCause;
}

/** When the next poll is due. */
export const dueAfter = <T extends SourceTable & Sources>(
  { interval, clock, options, process, sources }: TargetState<T>,
  { lastDue, lastEnd, offset, cause }: PollEnd,
): number => {
  const urgent = isUnreported(process);
  // The process is the same: the poll that was due is still due.
  if (cause === 'closed' && !urgent && lastDue > lastEnd) return lastDue;
  const { reports, untagged } = sources.health;
  const answered = reports.get(untagged)?.state === 'fresh';
  const configured = options.healthCheckFrequency;
  return nextDue({ interval, clock, configured, lastDue, lastEnd, answered, urgent, offset });
};
