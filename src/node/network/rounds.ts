// When rounds happen: one after the other, by a timer until a signal ends it.

import { pause } from '../../pause.ts';

/** `work` never overlaps itself: each call waits for the one before it. A call that failed does not hold up the next. */
export const inTurn = (work: (at: number) => Promise<void>): ((at: number) => Promise<void>) => {
  let turn: Promise<unknown> = Promise.resolve();
  return (at) => {
    const mine = turn.then(() => work(at));
    turn = Promise.allSettled([mine]);
    return mine;
  };
};

/** Calls `tick` again and again, with the pause in seconds that is wanted after each, until the signal aborts. */
export const drive = async (
  tick: (at: number) => Promise<void>,
  now: () => number,
  signal: AbortSignal,
  pauseSeconds: () => number,
): Promise<void> => {
  while (!signal.aborted) {
    await tick(now());
    await pause(pauseSeconds(), signal);
  }
};
