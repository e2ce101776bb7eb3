// Requests are understood and answered in turns of the event loop, for some milliseconds in each, and one of each address after the other:
// polls and probes have their turn between them, however many clients ask.

/** Calls back when the address has its turn. What gives a promise has it until that is settled. */
export type InTurn = (address: string, then: () => unknown) => void;

/** Milliseconds of answers in a turn. */
const turnMs = 2;

/** At most one waits for each connection. `now`: milliseconds. */
export const answersInTurn = (now: () => number = () => performance.now()): InTurn => {
  // A map keeps the order of insertion: the first is the address whose turn it is.
  const waiting = new Map<string, (() => unknown)[]>();
  let isDue = false;
  const next = (): (() => unknown) | undefined => {
    const [first] = waiting;
    if (first === undefined) return undefined;
    const [address, answers] = first;
    const answer = answers.shift();
    waiting.delete(address);
    if (answers.length > 0) waiting.set(address, answers);
    return answer;
  };
  const take = (): void => {
    const until = now() + turnMs;
    do {
      const made = next()?.();
      if (made instanceof Promise) {
        made.then(goOn, goOn);
        return;
      }
    } while (waiting.size > 0 && now() < until);
    goOn();
  };
  const goOn = (): void => {
    isDue = false;
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
