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
  /** Ends every turn that is not among these, and begins those that are new; the others go on. A running one ends its run. */
  readonly replace: (turns: readonly Turn[]) => void;
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
  running: boolean;
  timer: NodeJS.Timeout | undefined;
}

const placeOf = (turn: Turn): Place => ({ turn, due: turn.firstDue, running: false, timer: undefined });

const isDueWithin = (place: Place, seconds: number, now: number): boolean =>
  !place.running && place.timer === undefined && (place.due <= now + seconds || place.due > now + longestWait);

export const keepTime = (turns: readonly Turn[], { now, log, signal }: ScheduleDependencies): Schedule => {
  let places = turns.map(placeOf);
  const underWay = new Set<Promise<void>>();
  let beat = now();
  let fail: (fault: unknown) => void = () => undefined;

  const run = async (place: Place): Promise<void> => {
    place.running = true;
    place.due = await place.turn.run(place.due);
    place.running = false;
    if (!signal.aborted && places.includes(place)) arm(place);
  };
  const begin = (place: Place): void => {
    place.timer = undefined;
    const running = run(place);
    underWay.add(running);
    running.catch(fail).finally(() => underWay.delete(running));
  };
  const arm = (place: Place): void => {
    const at = now();
    if (!isDueWithin(place, 1, at)) return;
    const waitMs = place.due > at + longestWait ? 0 : Math.max(0, (place.due - at) * 1000);
    place.timer = setTimeout(() => begin(place), waitMs);
  };

  const finished = new Promise<void>((resolve, reject) => {
    fail = reject;
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
      for (const { timer } of places) clearTimeout(timer);
      void Promise.allSettled(underWay).then(() => resolve());
    };
    if (signal.aborted) {
      stop();
      return;
    }
    signal.addEventListener('abort', stop, { once: true });
    for (const place of places) arm(place);
    void heart.start();
  });

  const replace = (next: readonly Turn[]): void => {
    if (signal.aborted) return;
    const before = new Map(places.map((place) => [place.turn, place]));
    places = next.map((turn) => before.get(turn) ?? placeOf(turn));
    const kept = new Set(places);
    for (const place of before.values()) if (!kept.has(place)) clearTimeout(place.timer);
    for (const place of places) arm(place);
  };
  return { lastBeat: () => beat, replace, finished };
};

/** node-cron writes to the terminal, in colour, unless it is given a log. */
const cronLog = (log: Log): { [level in 'info' | 'warn' | 'error' | 'debug']: (message: string | Error) => void } => ({
  info: (message) => log.debug({}, String(message)),
  warn: (message) => log.debug({}, String(message)),
  error: (message) => log.error({ error: String(message) }, 'the heartbeat failed'),
  debug: (message) => log.debug({}, String(message)),
});
