// Keeps time: for each job a timer to its next run, and a tick of one second that shows that the event loop still turns.
//
// Due times are computed from a clock that is never set, not counted in ticks, so 45s and 7s come out even too. What a run costs does
// not depend on how many jobs there are.

import { createTask, type Logger } from 'node-cron';
import type { Log } from '../log.ts';
import { createTaskQueue } from '../pause.ts';
import type { PollCause } from './ask.ts';

/**
 * Targets of the configuration do not wait for all that are discovered, nor do those of these that were polled wait for all that are new:
 * an API server may replace a thousand pods at every moment.
 */
export type PollQueue = 'configured' | 'discovered' | 'new';

/** Something to be done again and again, each time when the last time said. */
export interface Job {
  /** When it is first due; seconds, exporter's clock. */
  readonly firstDue: number;
  /** In which it waits for its turn. */
  readonly queue?: () => PollQueue;
  /** `due`: when it was to run. Resolves with when it is due next. */
  readonly run: (due: number, cause: PollCause) => Promise<number>;
}

export interface Scheduler {
  /** A job that was there under that name ends; one that runs ends its run. */
  readonly add: (name: string, job: Job) => void;
  readonly remove: (name: string) => void;
  /** Runs the job at once; after the run that is under way, and a second after the last that was asked for so. */
  readonly runNow: (name: string, cause: PollCause) => void;
  /** When the clock last ticked: the proof that event loop and clock still work. Seconds, exporter's clock. */
  readonly lastTick: () => number;
  /** Resolves after the signal, once no job is running; rejects with what a job threw, which is a fault of ours. */
  readonly finished: Promise<void>;
}

export interface SchedulerDependencies {
  readonly now: () => number;
  readonly log: Log;
  readonly signal: AbortSignal;
  readonly onTick?: () => void;
}

/** Longest that a job may be put off, seconds: whatever a due time says, no target is silent for longer. */
const longestWait = 2 * 3600;

/** Shortest time between the starts of two runs that are due, and of two that are asked for, seconds. */
const shortestPeriod = 1;

interface Slot {
  readonly job: Job;
  due: number;
  startedAt: number;
  running: boolean;
  timer?: NodeJS.Timeout | undefined;
  /** Asked for while it ran, or too soon after it was asked for before. */
  wanted?: PollCause | undefined;
  /** When a run that was asked for last began. */
  askedAt: number;
  asking?: NodeJS.Timeout | undefined;
}

export const createScheduler = ({ now, log, signal, onTick }: SchedulerDependencies): Scheduler => {
  const slots = new Map<string, Slot>();
  const enqueue = createTaskQueue();
  const underWay = new Set<Promise<void>>();
  let lastTick = now();
  let fail: (fault: unknown) => void = () => undefined;

  const run = async (name: string, slot: Slot, cause: PollCause): Promise<void> => {
    slot.startedAt = now();
    const due = await slot.job.run(slot.due, cause);
    // Whatever came out of it, there is a next time.
    slot.due = Math.min(Number.isFinite(due) ? due : 0, now() + longestWait);
    slot.running = false;
    if (signal.aborted || slots.get(name) !== slot) return;
    arm(name, slot);
    if (slot.wanted !== undefined) runNow(name, slot.wanted);
  };
  const start = (name: string, slot: Slot, cause: PollCause): void => {
    clearTimeout(slot.timer);
    slot.timer = undefined;
    slot.running = true;
    const begin = (): void => {
      if (signal.aborted || slots.get(name) !== slot) return;
      const running = run(name, slot, cause);
      underWay.add(running);
      running.catch(fail).finally(() => underWay.delete(running));
    };
    enqueue(begin, { queue: slot.job.queue?.() ?? 'configured' });
  };
  const arm = (name: string, slot: Slot): void => {
    if (slot.running || slot.timer !== undefined) return;
    const at = now();
    const due = Math.max(slot.due, slot.startedAt + shortestPeriod);
    slot.timer = setTimeout(() => start(name, slot, 'due'), Math.max(0, (due - at) * 1000));
  };

  const remove = (name: string): void => {
    const slot = slots.get(name);
    clearTimeout(slot?.timer);
    clearTimeout(slot?.asking);
    slots.delete(name);
  };
  const runNow = (name: string, cause: PollCause): void => {
    const slot = slots.get(name);
    if (signal.aborted || slot === undefined) return;
    slot.wanted = cause;
    if (slot.running || slot.asking !== undefined) return;
    const startWanted = (): void => {
      const { wanted } = slot;
      slot.asking = undefined;
      if (slot.running || wanted === undefined) return;
      slot.wanted = undefined;
      slot.askedAt = now();
      start(name, slot, wanted);
    };
    const waitMs = (slot.askedAt + shortestPeriod - now()) * 1000;
    if (waitMs <= 0) startWanted();
    else slot.asking = setTimeout(startWanted, waitMs);
  };

  const finished = new Promise<void>((resolve, reject) => {
    fail = reject;
    const tick = (): void => {
      lastTick = now();
      onTick?.();
    };
    // node-cron ticks by the wall clock. One that is set back silences it, so a steady timer ticks beside it; of one that is set forward it
    // walks through all that was skipped, which by the second would be seconds of CPU for a day.
    const ticker = createTask('* * * * *', tick, {
      name: 'tick',
      noOverlap: true,
      suppressMissedWarning: true,
      logger: cronLog(log),
    });
    const steady = setInterval(tick, 1000);
    const stop = (): void => {
      void ticker.destroy();
      clearInterval(steady);
      for (const name of [...slots.keys()]) remove(name);
      void Promise.allSettled(underWay).then(() => resolve());
    };
    if (signal.aborted) return stop();
    signal.addEventListener('abort', stop, { once: true });
    void ticker.start();
  });

  return {
    add: (name, job) => {
      remove(name);
      const never = Number.NEGATIVE_INFINITY;
      const slot: Slot = { job, due: job.firstDue, startedAt: never, running: false, askedAt: never };
      slots.set(name, slot);
      if (!signal.aborted) arm(name, slot);
    },
    remove,
    runNow,
    lastTick: () => lastTick,
    finished,
  };
};

/** node-cron writes to the terminal, in colour, unless it is given a log. */
const cronLog = (log: Log): Logger => {
  const quiet = (message: string): void => log.debug({}, message);
  const error = (message: string | Error): void => log.error({ error: String(message) }, 'scheduler failed');
  return { info: quiet, warn: quiet, error, debug: (message) => quiet(String(message)) };
};
