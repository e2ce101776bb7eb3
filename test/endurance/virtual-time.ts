// Time that a test moves: the timers of this process go by it. Immediates, sockets, files and the Date stay as they are: node-cron looks
// at each second that the Date has left out.

export interface VirtualTime {
  /** Seconds since the Unix epoch. */
  readonly now: () => number;
  /** How many timers wait. */
  readonly timers: () => number;
  /** On to the next timer that is due; each that is due by then is called, and then what follows from it is waited for. */
  readonly advance: (settled: () => Promise<void>) => Promise<void>;
}

/** Timers of so many milliseconds and less do not lead: they are called when another one is. node-cron's are of them. */
const shortestMs = 1000;

interface Given {
  /** Seconds since the Unix epoch. */
  readonly start: number;
  /** Whether time goes on to what comes again and again: a tick each second would make up most of a year. */
  readonly ticks: boolean;
}

/** What setTimeout and setInterval give: nobody asks more of it. */
class Timer {
  at: number;
  readonly call: () => void;
  readonly everyMs: number | undefined;
  /** Time goes on to it. */
  readonly leads: boolean;
  constructor(at: number, call: () => void, everyMs: number | undefined, leads: boolean) {
    this.at = at;
    this.call = call;
    this.everyMs = everyMs;
    this.leads = leads;
  }
  ref(): this {
    return this;
  }
  unref(): this {
    return this;
  }
  hasRef(): boolean {
    return true;
  }
}

export const installVirtualTime = ({ start, ticks }: Given): VirtualTime => {
  let nowMs = start * 1000;
  const timers = new Set<Timer>();
  const begin = (call: () => void, ms: number, everyMs: number | undefined): Timer => {
    const timer = new Timer(nowMs + ms, call, everyMs, everyMs === undefined ? ms > shortestMs : ticks);
    timers.add(timer);
    return timer;
  };
  const clear = (timer: unknown): void => {
    if (timer instanceof Timer) timers.delete(timer);
  };
  type Call = (...given: readonly unknown[]) => void;
  Object.assign(globalThis, {
    setTimeout: (call: Call, ms = 0, ...given: readonly unknown[]) => begin(() => call(...given), Math.max(1, ms), undefined),
    setInterval: (call: Call, ms = 0, ...given: readonly unknown[]) => begin(() => call(...given), ms, Math.max(1, ms)),
    clearTimeout: clear,
    clearInterval: clear,
  });

  const earliest = (of: (timer: Timer) => boolean): number =>
    Array.from(timers).reduce((first, timer) => (of(timer) && timer.at < first ? timer.at : first), Number.POSITIVE_INFINITY);

  return {
    now: () => nowMs / 1000,
    timers: () => timers.size,
    advance: async (settled) => {
      const next = earliest(({ leads }) => leads);
      if (timers.size > 0) nowMs = Math.max(nowMs, Number.isFinite(next) ? next : earliest(() => true));
      const due = [...timers].filter(({ at }) => at <= nowMs).sort((one, other) => one.at - other.at);
      for (const timer of due) {
        if (!timers.has(timer)) continue;
        if (timer.everyMs === undefined) timers.delete(timer);
        else timer.at = nowMs + timer.everyMs;
        timer.call();
      }
      await settled();
    },
  };
};
