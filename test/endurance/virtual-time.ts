// Time that a test moves: the timers of this process go by it. Immediates, sockets, files and the Date stay as they are: node-cron looks
// at each second that the Date has left out.

export interface VirtualTime {
  /** Seconds since the Unix epoch. */
  readonly now: () => number;
  /** How many timers wait. */
  readonly timers: () => number;
  /** Whether a single timer waits. */
  readonly isAwaited: () => boolean;
  /** On to the next single timer; each that is due by then is called, and then what follows from it is waited for. */
  readonly advance: (settled: () => Promise<void>) => Promise<void>;
}

interface Given {
  /** Seconds since the Unix epoch. */
  readonly start: number;
  /**
   * Time stops at each multiple of so many seconds, and whatever comes again and again is called at each of its times. Absent: time
   * goes on to single timers alone, and what comes again and again is called as often: a tick each second would make up most of a year.
   */
  readonly stride: number | undefined;
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

type Call = (...given: readonly unknown[]) => void;

/** `scope`: what has the timers. */
export const installVirtualTime = ({ start, stride }: Given, scope: object = globalThis): VirtualTime => {
  let nowMs = start * 1000;
  const timers = new Set<Timer>();
  /** What single timers have called: one that is set again for the same comes again and again, as node-cron's do. */
  const called = new WeakSet<Call>();
  const begin = (call: Call, ms: number, given: readonly unknown[], everyMs?: number): Timer => {
    const run = (): void => {
      if (everyMs === undefined) called.add(call);
      call(...given);
    };
    const timer = new Timer(nowMs + ms, run, everyMs, everyMs === undefined && !called.has(call));
    timers.add(timer);
    return timer;
  };
  const clear = (timer: unknown): void => {
    if (timer instanceof Timer) timers.delete(timer);
  };
  Object.assign(scope, {
    setTimeout: (call: Call, ms = 0, ...given: readonly unknown[]) => begin(call, Math.max(1, ms), given),
    setInterval: (call: Call, ms = 0, ...given: readonly unknown[]) => begin(call, ms, given, Math.max(1, ms)),
    clearTimeout: clear,
    clearInterval: clear,
  });

  const leads = (timer: Timer): boolean => timer.leads;
  const earliest = (of: (timer: Timer) => boolean): number => {
    let first = Number.POSITIVE_INFINITY;
    for (const timer of timers) if (timer.at < first && of(timer)) first = timer.at;
    return first;
  };
  const call = (timer: Timer): void => {
    if (timer.everyMs === undefined) timers.delete(timer);
    else timer.at = nowMs + timer.everyMs;
    timer.call();
  };
  /** In the order of their times. One that begins on the way waits for the next step. */
  const goOn = (until: number): void => {
    // No second between is passed through.
    if (stride === undefined) nowMs = Math.max(nowMs, until);
    const due = new Set([...timers].filter(({ at }) => at <= until));
    while (due.size > 0) {
      const next = [...due].reduce((one, other) => (other.at < one.at ? other : one));
      if (timers.has(next)) {
        nowMs = Math.max(nowMs, next.at);
        call(next);
      }
      if (next.at > until || !timers.has(next)) due.delete(next);
    }
    nowMs = Math.max(nowMs, until);
  };
  const nextStop = (): number =>
    stride === undefined ? Number.POSITIVE_INFINITY : (Math.floor(nowMs / 1000 / stride) + 1) * stride * 1000;

  return {
    now: () => nowMs / 1000,
    timers: () => timers.size,
    isAwaited: () => [...timers].some(leads),
    advance: async (settled) => {
      const end = Math.min(earliest(leads), nextStop());
      const until = Number.isFinite(end) ? end : earliest(() => true);
      if (Number.isFinite(until)) goOn(until);
      await settled();
    },
  };
};
