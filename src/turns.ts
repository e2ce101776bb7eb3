// Requests are understood and answered in turns of the event loop, for some milliseconds in each, and one of each address after the other:
// polls and probes have their turn between them, however many clients ask.

import type { InTurn } from '../one-request.ts';

/** Milliseconds of answers in a turn. */
const turnMs = 2;

/** At most one waits for each connection. `now`: milliseconds. */
export const answersInTurn = (now: () => number = () => performance.now()): InTurn => {
  // A map keeps the order of insertion: the first is the address whose turn it is.
  const waiting = new Map<string, (() => void)[]>();
  let isDue = false;
  const next = (): (() => void) | undefined => {
    const [first] = waiting;
    if (first === undefined) return undefined;
    const [address, answers] = first;
    const answer = answers.shift();
    waiting.delete(address);
    if (answers.length > 0) waiting.set(address, answers);
    return answer;
  };
  const take = (): void => {
    isDue = false;
    const until = now() + turnMs;
    do next()?.();
    while (waiting.size > 0 && now() < until);
    if (waiting.size > 0) due();
  };
  const due = (): void => {
    if (isDue) return;
    isDue = true;
    setImmediate(take);
  };
  return (address, answer) => {
    const before = waiting.get(address);
    if (before === undefined) waiting.set(address, [answer]);
    else before.push(answer);
    due();
  };
};
