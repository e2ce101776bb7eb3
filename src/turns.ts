// Requests are understood and answered in turns of the event loop, for some milliseconds in each, and one of each address after the other:
// polls and probes have their turn between them, however many clients ask.

/**
 * Calls back when the address has its turn. What gives a promise has it until that is settled, but for no longer than a bound. Gives what
 * gives the place up.
 */
export type InTurn = (address: string, then: () => unknown) => () => void;

/** Milliseconds of answers in a turn. */
const turnMs = 2;

/** Milliseconds for which all wait for one promise. */
const defaultHeldMs = 1000;

/** For so long answers wait, at most, while connections come: milliseconds, and turns where a busy machine has no more in that time. */
const arrivals = { ms: 4, turns: 16 } as const;

/**
 * Connections that have come. The event loop accepts one of each listener in a turn, in the order of the kernel's queue: who opens
 * hundreds keeps the next client waiting for hundreds of turns, most of which therefore hold nothing else.
 */
export interface Arrivals {
  readonly came: () => void;
  /** How many, up to now. */
  readonly count: () => number;
}

export const createArrivals = (): Arrivals => {
  let count = 0;
  return {
    came: () => {
      count += 1;
    },
    count: () => count,
  };
};

/** At most one waits for each connection. `now`: milliseconds. */
export const answersInTurn = (
  { count }: Pick<Arrivals, 'count'> = createArrivals(),
  now: () => number = () => performance.now(),
  heldMs = defaultHeldMs,
): InTurn => {
  // A map keeps the order of insertion: the first is the address whose turn it is.
  const waiting = new Map<string, (() => unknown)[]>();
  let isDue = false;
  let seen = 0;
  let [turns, since] = [0, 0];
  const isPostponed = (): boolean => {
    const before = seen;
    seen = count();
    if (turns === 0) since = now();
    turns += 1;
    const isEnough = turns > arrivals.turns && now() - since >= arrivals.ms;
    if (seen === before || isEnough) turns = 0;
    return turns > 0;
  };
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
    if (isPostponed()) {
      setImmediate(take);
      return;
    }
    const until = now() + turnMs;
    do {
      const made = next()?.();
      if (made instanceof Promise) {
        held(made);
        return;
      }
    } while (waiting.size > 0 && now() < until);
    goOn();
  };
  const held = (made: Promise<unknown>): void => {
    let isOver = false;
    const over = (): void => {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      goOn();
    };
    const timer = setTimeout(over, heldMs);
    made.then(over, over);
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
    return () => {
      const own = waiting.get(address) ?? [];
      const left = own.filter((one) => one !== answer);
      if (left.length > 0) waiting.set(address, left);
      else waiting.delete(address);
    };
  };
};
