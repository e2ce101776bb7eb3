// Asks until it is so. A deadline, no fixed delay: a slow machine fails nothing, a hang says what was seen last.

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
