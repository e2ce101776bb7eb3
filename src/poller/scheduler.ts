// Schedules jobs with one timer each, and ticks once a second, which shows that the event loop is not blocked.
//
// Due times are computed with a monotonic clock instead of counted in ticks, so intervals such as 45s and 7s are exact. The cost of a run
// does not depend on the number of jobs.

import { createTask, type Logger } from 'node-cron';
import type { Log } from '../log.ts';
import { createTaskQueue } from '../pause.ts';
import type { PollCause } from './ask.ts';

/**
 * The queues take turns, so that configured targets do not wait for all discovered ones, and discovered targets that were polled before do
 * not wait for all new ones: a thousand pods may be replaced at once.
 */
export type PollQueue = 'configured' | 'discovered' | 'new';

/** A repeated task. Each run decides when the next one is due. */
export interface Job {
  /** When the first run is due; seconds, exporter's clock. */
  readonly firstDue: number;
  /** The queue in which a run waits until it starts. */
  readonly queue?: () => PollQueue;
  /** `due`: when this run was due. Resolves with when the next run is due. */
  readonly run: (due: number, cause: PollCause) => Promise<number>;
}

export interface Scheduler {
  /** Replaces a job with the same name; its current run is finished. */
  readonly add: (name: string, job: Job) => void;
  readonly remove: (name: string) => void;
  /**
   * Runs the job now; or after its current run, and at least one second after the last run that was requested in this way. A probe requests no
   * further run if one is under way or requested.
   */
  readonly runNow: (name: string, cause: PollCause) => void;
  /** The time of the last tick, which shows that event loop and clock work; seconds, exporter's clock. */
  readonly lastTick: () => number;
  /** Resolves after the signal, when no job is running. Rejects if a job throws, which is a bug. */
  readonly finished: Promise<void>;
}

export interface SchedulerDependencies {
  readonly now: () => number;
  readonly log: Log;
  readonly signal: AbortSignal;
  readonly onTick?: () => void;
}

/** Longest time to the next run in seconds, whatever due time a run gives. */
const maxWait = 2 * 3600;

/** Shortest time between the starts of two scheduled runs, and of two runs requested with `runNow`, in seconds. */
const minPeriod = 1;

interface Slot {
  readonly job: Job;
  due: number;
  startedAt: number;
  running: boolean;
  timer?: NodeJS.Timeout | undefined;
  /** A requested run that waits for the current run, or for the minimum period. */
  requested?: PollCause | undefined;
  /** When the last requested run began. */
  requestedRunAt: number;
  requestTimer?: NodeJS.Timeout | undefined;
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
    // There is always a next run, even if the due time is invalid.
    slot.due = Math.min(Number.isFinite(due) ? due : 0, now() + maxWait);
    slot.running = false;
    if (signal.aborted || slots.get(name) !== slot) return;
    arm(name, slot);
    if (slot.requested !== undefined) runNow(name, slot.requested);
  };
  const start = (name: string, slot: Slot, cause: PollCause): void => {
    clearTimeout(slot.timer);
    slot.timer = undefined;
    slot.running = true;
    if (slot.requested === 'probed') slot.requested = undefined;
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
    const due = Math.max(slot.due, slot.startedAt + minPeriod);
    slot.timer = setTimeout(() => start(name, slot, 'due'), Math.max(0, (due - at) * 1000));
  };

  const remove = (name: string): void => {
    const slot = slots.get(name);
    clearTimeout(slot?.timer);
    clearTimeout(slot?.requestTimer);
    slots.delete(name);
  };
  const runNow = (name: string, cause: PollCause): void => {
    const slot = slots.get(name);
    if (signal.aborted || slot === undefined) return;
    // The result of that run is new enough. With another run, one stall of the node would count as two failures.
    if (cause === 'probed' && (slot.running || slot.requested !== undefined)) return;
    slot.requested = cause;
    if (slot.running || slot.requestTimer !== undefined) return;
    const startRequested = (): void => {
      const { requested } = slot;
      slot.requestTimer = undefined;
      if (slot.running || requested === undefined) return;
      slot.requested = undefined;
      slot.requestedRunAt = now();
      start(name, slot, requested);
    };
    const waitMs = (slot.requestedRunAt + minPeriod - now()) * 1000;
    if (waitMs <= 0) startRequested();
    else slot.requestTimer = setTimeout(startRequested, waitMs);
  };

  const finished = new Promise<void>((resolve, reject) => {
    fail = reject;
    const tick = (): void => {
      lastTick = now();
      onTick?.();
    };
    // node-cron follows the wall clock. After the clock is set back, it stops ticking, so an interval timer ticks as well. After the clock is set
    // forward, it iterates over all skipped ticks. With a tick per second, a day would take seconds of CPU, so it ticks once a minute.
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
      const slot: Slot = { job, due: job.firstDue, startedAt: never, running: false, requestedRunAt: never };
      slots.set(name, slot);
      if (!signal.aborted) arm(name, slot);
    },
    remove,
    runNow,
    lastTick: () => lastTick,
    finished,
  };
};

/** Without a logger, node-cron writes to the terminal in colour. */
const cronLog = (log: Log): Logger => {
  const quiet = (message: string): void => log.debug({}, message);
  const error = (message: string | Error): void => log.error({ error: String(message) }, 'scheduler failed');
  return { info: quiet, warn: quiet, error, debug: (message) => quiet(String(message)) };
};
