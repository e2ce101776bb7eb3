// What a turn of the schedule does for one target: ask, make the next snapshot of it, and say when to ask again.

import type { Client } from '../client/client.ts';
import type { Answers } from '../snapshot/advance.ts';
import { nextDue } from '../snapshot/due.ts';
import { awaitsReport } from '../snapshot/restart.ts';
import { type TargetOptions, type TargetSnapshot, untagged } from '../snapshot/snapshot.ts';
import { tagsToAsk } from '../snapshot/tag-knowledge.ts';
import { pollOnce } from './poll.ts';
import type { Turn } from './schedule.ts';

export interface Polled {
  readonly options: TargetOptions;
  /** Another one from some round on, where only the way to ask changed. */
  readonly client: () => Client;
  readonly known: () => TargetSnapshot;
  /** Takes the answers into the snapshot and gives the target as it is now. */
  readonly take: (answers: Answers) => TargetSnapshot;
}

/** Longest spread of first polls, seconds: a thousand targets do not start at once, and none waits for long. */
const firstSpread = 10;

/** Longest spread of targets whose nodes check in step with each other, seconds. */
const phaseSpread = 0.25;

/** Turns that begin together, spread over the time until they are due again. */
export const turnsOf = (polled: readonly Polled[], now: () => number, signal: AbortSignal): readonly Turn[] => {
  const start = now();
  return polled.map(({ options, client, known, take }, at): Turn => {
    const share = at / polled.length;
    const configured = options.healthCheckFrequency;
    return {
      name: options.name,
      firstDue: start + share * Math.min(configured, firstSpread, polled.length * 0.1),
      run: async (due) => {
        const before = known();
        const answers = await pollOnce(before, client(), signal, tagsToAsk(before));
        const { cadence, clock, health, restarts } = take(answers);
        const whole = health.get(untagged(options).name);
        const reportedAt = whole?.state === 'fresh' || whole?.state === 'stale' ? whole.at : undefined;
        return nextDue({
          interval: cadence,
          clock,
          configured,
          lastDue: due,
          lastEnd: now(),
          answered: whole?.state === 'fresh',
          urgent: awaitsReport(restarts, reportedAt),
          offset: share * phaseSpread,
        });
      },
    };
  });
};
