// Keeps time: a heartbeat of one second, and for each target a timer that places its next round inside that second.
//
// Due times are computed from the clock, not counted in beats, so 45s and 7s come out even too, and a beat that a busy machine
// drops delays a round by a moment instead of losing it.

import { createTask } from 'node-cron';
import type { Log } from '../log.ts';

/** Something to be done again and again, each time when the last time said. */
export interface Turn {
  readonly name: string;
  /** When it is first due; seconds since the Unix epoch. */
  readonly firstDue: number;
  /** `due`: when it was to run. Resolves with when it is due next. */
  readonly run: (due: number) => Promise<number>;
}

export interface Schedule {
  /** When the heart last beat: the proof that the event loop and the clock still work. Seconds since the Unix epoch. */
  readonly lastBeat: () => number;
  /** Resolves after the signal, once no turn is running; rejects with what a turn threw, which is a fault of ours. */
  readonly finished: Promise<void>;
}

export interface ScheduleDependencies {
  readonly now: () => number;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/** Longest that a turn may be put off, seconds: a wall clock that was set back must not silence a target for ever. */
const longestWait = 2 * 3600;

interface Place {
  readonly turn: Turn;
  due: number;
  running: Promise<void> | undefined;
  timer: NodeJS.Timeout | undefined;
}

const isDueWithin = (place: Place, seconds: number, now: number): boolean =>
  place.running === undefined && place.timer === undefined && (place.due <= now + seconds || place.due > now + longestWait);

export const keepTime = (turns: readonly Turn[], { now, log, signal }: ScheduleDependencies): Schedule => {
  const places = turns.map((turn): Place => ({ turn, due: turn.firstDue, running: undefined, timer: undefined }));
  let beat = now();

  const finished = new Promise<void>((resolve, reject) => {
    const run = async (place: Place): Promise<void> => {
      place.due = await place.turn.run(place.due);
      place.running = undefined;
      if (!signal.aborted) arm(place);
    };
    const arm = (place: Place): void => {
      const at = now();
      if (!isDueWithin(place, 1, at)) return;
      const waitMs = place.due > at + longestWait ? 0 : Math.max(0, (place.due - at) * 1000);
      place.timer = setTimeout(() => {
        place.timer = undefined;
        place.running = run(place);
        place.running.catch(reject);
      }, waitMs);
    };
    const heart = createTask(
      '* * * * * *',
      () => {
        beat = now();
        for (const place of places) arm(place);
      },
      { name: 'heartbeat', noOverlap: true, suppressMissedWarning: true, logger: cronLog(log) },
    );
    const stop = (): void => {
      void heart.destroy();
      for (const place of places) clearTimeout(place.timer);
      void Promise.allSettled(places.map(({ running }) => running)).then(() => resolve());
    };
    if (signal.aborted) {
      stop();
      return;
    }
    signal.addEventListener('abort', stop, { once: true });
    for (const place of places) arm(place);
    void heart.start();
  });
  return { lastBeat: () => beat, finished };
};

/** node-cron writes to the terminal, in colour, unless it is given a log. */
const cronLog = (log: Log): { [level in 'info' | 'warn' | 'error' | 'debug']: (message: string | Error) => void } => ({
  info: (message) => log.debug({}, String(message)),
  warn: (message) => log.debug({}, String(message)),
  error: (message) => log.error({ error: String(message) }, 'the heartbeat failed'),
  debug: (message) => log.debug({}, String(message)),
});
