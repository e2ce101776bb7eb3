// One poll of one target: ask, take the answers into its state, say when to poll next.

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
  /** Read twice: the configuration may have changed while the node was asked. */
  readonly state: () => TargetState;
  readonly client: Client;
  readonly now: () => number;
  readonly cause?: PollCause;
  /** All targets, where it is one of several. */
  readonly watched?: AllTargets;
  /** Which socket listens at the target's address now. */
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

/** Seconds from one first poll to the next: few targets wait for little, and many for no longer than until their second poll. */
const firstApart = 0.1;

/** Longest spread of targets whose nodes run their checks in step with each other, seconds. */
const phaseSpread = 0.25;

/** When the target at this position of so many is first due, seconds after the start, and by how much it comes after others. */
export const spread = (
  { healthCheckFrequency }: { readonly healthCheckFrequency: number },
  position: number,
  count: number,
): { readonly firstDue: number; readonly offset: number } => {
  const share = position / count;
  return { firstDue: share * Math.min(healthCheckFrequency, count * firstApart), offset: share * phaseSpread };
};

export interface PollEnd {
  /** When it was due, began and ended; seconds, exporter's clock. */
  readonly lastDue: number;
  readonly lastStart: number;
  readonly lastEnd: number;
  /** By how much the target comes after others that are due with it. */
  readonly offset: number;
  readonly cause: PollCause;
}

/** When the next poll is due. */
export const dueAfter = (state: TargetState, { lastDue, lastStart, lastEnd, offset, cause }: PollEnd): number => {
  const { interval, clock, options, process, sources } = state;
  const wait = recoveryPollDelay(process, effectiveInterval(state), lastEnd);
  if (wait !== undefined) return lastEnd + wait;
  // The process is the same: the poll that was due is still due.
  if (cause === 'closed' && lastDue > lastEnd) return lastDue;
  const answered = sources.health.reports.get(sources.health.untagged)?.state === 'fresh';
  const configured = options.healthCheckFrequency;
  // One that somebody else asked for came before its time.
  const due = Math.min(lastDue, lastStart);
  return nextDue({ interval, clock, configured, lastDue: due, lastEnd, answered, offset });
};
