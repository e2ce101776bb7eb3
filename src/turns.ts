// Requests are understood and answered in turns of the event loop, for a millisecond in each, and one of each address after the other:
// polls and probes have their turn between them, however many clients ask.

/**
 * Whether a connection was answered before. Those that were not have turns beside those that were, the newest first: kubelets connect
 * for each probe, and where more come than can be answered, the oldest are the ones that are ended.
 */
export type Acquaintance = 'new' | 'known';

/**
 * Calls back when the address has its turn. What gives a promise has it until that is settled, but for no longer than a bound. Gives what
 * gives the place up.
 */
export type InTurn = (address: string, then: () => unknown, acquaintance?: Acquaintance) => () => void;

/** Milliseconds of answers in a turn. */
const turnMs = 1;

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
  // A map keeps the order of insertion: the first is who has the next turn.
  const waiting = new Map<string, Line>();
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
    const [who, line] = first;
    const answer = line.next();
    waiting.delete(who);
    if (line.size() > 0) waiting.set(who, line);
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
  return (address, answer, acquaintance = 'known') => {
    const who = `${acquaintance} ${address}`;
    const line = waiting.get(who) ?? lineOf(acquaintance);
    waiting.set(who, line);
    const leave = line.join(answer);
    due();
    return () => {
      leave();
      if (line.size() === 0 && waiting.get(who) === line) waiting.delete(who);
    };
  };
};

type Line = ReturnType<typeof lineOf>;

interface Place {
  /** Undefined once it was called, or has left. */
  answer: (() => unknown) | undefined;
}

/** Those who wait for the same turns: of new ones the last has the next. */
const lineOf = (acquaintance: Acquaintance) => {
  let places: Place[] = [];
  let size = 0;
  const taken = (place: Place): (() => unknown) | undefined => {
    const { answer } = place;
    if (answer === undefined) return undefined;
    place.answer = undefined;
    size -= 1;
    return answer;
  };
  return {
    size: () => size,
    next: (): (() => unknown) | undefined => {
      let answer: (() => unknown) | undefined;
      while (answer === undefined && size > 0) {
        const place = acquaintance === 'new' ? places.pop() : places.shift();
        answer = place && taken(place);
      }
      return answer;
    },
    /** Gives what leaves it. */
    join: (answer: () => unknown): (() => void) => {
      const place: Place = { answer };
      places.push(place);
      size += 1;
      return () => {
        taken(place);
        // Of a flood most have left: what they held is not kept.
        if (places.length > 2 * size) places = places.filter((one) => one.answer !== undefined);
      };
    },
  };
};
