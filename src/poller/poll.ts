// One poll of one target: sends the requests, applies the responses to the state, and computes when the next poll is due.

import type { Client } from '../client/client.ts';
import { nextDue } from '../snapshot/due.ts';
import { recoveryPollDelay } from '../snapshot/process.ts';
import { type AllTargets, watchedAlone } from '../sources/neighbours.ts';
import type { Sources } from '../sources/sources.ts';
import { effectiveInterval, type TargetState } from '../sources/target-state.ts';
import { type Applied, applyPoll } from './apply.ts';
import { askNode, type PollCause } from './ask.ts';

export interface PollOf {
  readonly table: Sources;
  /** Called twice, because a reload may change the configuration during the poll. */
  readonly state: () => TargetState;
  readonly client: Client;
  readonly now: () => number;
  readonly cause?: PollCause;
  /** All targets, if there are several. */
  readonly watched?: AllTargets;
  /** Identifies the socket that listens at the target's address now. */
  readonly listener?: () => Promise<string | undefined>;
  /** As in AskNode. */
  readonly contactMs?: number;
}

export const poll = async ({ table, state, cause = 'due', listener, ...rest }: PollOf): Promise<Applied> => {
  const { client, now, watched = watchedAlone, contactMs } = rest;
  const startedAt = now();
  const { asked, faults } = await askNode(state(), { table, client, now, cause, watched, contactMs });
  const endedAt = now();
  const found = listener && (await listener());
  return applyPoll(table, state(), asked, { startedAt, endedAt, afterClose: cause === 'closed', faults, listener: found });
};

/** Seconds between the first polls of two targets. Many targets are spread over one check interval at most. */
const firstPollSpacing = 0.1;

/** Seconds over which the polls of targets are spread if their nodes run their checks at the same time. */
const maxOffset = 0.25;

/** When the target at this position is first due, in seconds after the start, and by how much it is polled later than others. */
export const spread = (
  { healthCheckFrequency }: { readonly healthCheckFrequency: number },
  position: number,
  count: number,
): { readonly firstDue: number; readonly offset: number } => {
  const share = position / count;
  return { firstDue: share * Math.min(healthCheckFrequency, count * firstPollSpacing), offset: share * maxOffset };
};

export interface PollEnd {
  /** When the poll was due, began and ended; seconds, exporter's clock. */
  readonly lastDue: number;
  readonly lastStart: number;
  readonly lastEnd: number;
  /** Seconds by which the target is polled later than others that are due at the same time. */
  readonly offset: number;
  readonly cause: PollCause;
}

/** When the next poll is due. */
export const dueAfter = (state: TargetState, { lastDue, lastStart, lastEnd, offset, cause }: PollEnd): number => {
  const { interval, clock, options, process, sources } = state;
  const wait = recoveryPollDelay(process, effectiveInterval(state), lastEnd);
  if (wait !== undefined) return lastEnd + wait;
  // The process still runs: the scheduled poll stays as it was.
  if (cause === 'closed' && lastDue > lastEnd) return lastDue;
  const answered = sources.health.reports.get(sources.health.untagged)?.state === 'fresh';
  const configured = options.healthCheckFrequency;
  // A poll that was triggered by a probe began before it was due.
  const due = Math.min(lastDue, lastStart);
  return nextDue({ interval, clock, configured, lastDue: due, lastEnd, answered, offset });
};
