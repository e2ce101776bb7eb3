// Polls until a condition holds. With a deadline instead of fixed delays, so that slow machines pass and a hang reports the last
// value.

import { setTimeout as wait } from 'node:timers/promises';

export const until = async <T>(
  what: string,
  ask: () => Promise<T | undefined | false>,
  { timeoutMs = 300_000, everyMs = 250 } = {},
): Promise<T> => {
  const deadline = Date.now() + timeoutMs;
  let last: unknown;
  for (;;) {
    try {
      const answer = await ask();
      if (answer !== undefined && answer !== false) return answer;
      last = answer;
    } catch (error) {
      last = error;
    }
    if (Date.now() > deadline) throw new Error(`not in ${timeoutMs / 1000} s: ${what}. Last: ${String(last)}`);
    await wait(everyMs);
  }
};
