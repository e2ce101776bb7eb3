// Virtual time for the timers of this process. Immediates, sockets, files and Date stay real, because node-cron checks every second that
// Date skips.

export interface VirtualTime {
  /** Seconds since the Unix epoch. */
  readonly now: () => number;
  /** Number of pending timers. */
  readonly timers: () => number;
  /** Whether a single timer is pending. */
  readonly isAwaited: () => boolean;
  /** Advances to the next stop, calls all timers due by then, and awaits `settled`. */
  readonly advance: (settled: () => Promise<void>) => Promise<void>;
}

interface Given {
  /** Seconds since the Unix epoch. */
  readonly start: number;
  /**
   * Time stops at each multiple of this number of seconds, and repeating timers are called at each of their times. If absent, time
   * stops only at single timers, and repeating timers are called once per step, because a tick each second would dominate a year.
   */
  readonly stride: number | undefined;
}

/** The part of the result of setTimeout and setInterval that is used. */
class Timer {
  at: number;
  readonly call: () => void;
  readonly everyMs: number | undefined;
  /** Time stops at it. */
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

/** `scope`: the object whose timer functions are replaced. */
export const installVirtualTime = ({ start, stride }: Given, scope: object = globalThis): VirtualTime => {
  let nowMs = start * 1000;
  const timers = new Set<Timer>();
  /** Functions called by single timers: a timer set again for the same function counts as repeating, as in node-cron. */
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
  /** Calls due timers in the order of their times. A timer started meanwhile waits for the next step. */
  const goOn = (until: number): void => {
    // Skips all seconds in between.
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
