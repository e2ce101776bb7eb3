// Resources of a process over a long time, by quarters: memory after a full collection, handles, timers, and the files of events.

import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { getHeapSpaceStatistics } from 'node:v8';
import { recordsIn } from '../../src/events/read-segments.ts';
import type { TransitionRecord } from '../../src/events/record.ts';
import { fileBounds, segmentsIn } from '../../src/events/segments.ts';
import type { Log } from '../../src/log.ts';

const mebi = 1024 * 1024;

interface Sample {
  /** Fraction of the total time, 0 to 1. */
  readonly part: number;
  /** Bytes of the JavaScript heap and of external memory. */
  readonly heap: number;
  readonly resident: number;
  readonly timers: number;
  /** Number of the exporter's handles by kind, such as `TCPSocketWrap`. */
  readonly handles: ReadonlyMap<string, number>;
  /** Bytes of the files of events. */
  readonly events: number;
}

export interface Watched {
  readonly stateDir: string;
  readonly timers: () => number;
  readonly fault: (text: string) => void;
}

export type Vitals = ReturnType<typeof vitalsOf>;

/** Needs --expose-gc. */
const collect = (): void => {
  for (let times = 0; times < 2; times += 1) globalThis.gc?.();
};

/** Compiled code, which V8 creates at any time. */
const compiled = (): number =>
  getHeapSpaceStatistics().reduce((sum, one) => sum + (/code/.test(one.space_name) ? one.space_used_size : 0), 0);

/** Allowed growth between two quarters, because some new names are kept. */
const allowed = (bytes: number): number => bytes * 0.02 + 0.35 * mebi;

/** The same for resident memory, which includes memory outside of V8. The allocator keeps 3 to 12 MiB more, unevenly. */
const allowedResident = (bytes: number): number => bytes * 0.1 + 8 * mebi;

export const vitalsOf = ({ stateDir, timers, fault }: Watched) => {
  const folder = join(stateDir, 'events');
  const samples: Sample[] = [];
  const quarter = (nth: number): readonly Sample[] => samples.filter(({ part }) => Math.min(3, Math.floor(part * 4)) === nth - 1);
  const least = (nth: number, of: (sample: Sample) => number): number => Math.min(...quarter(nth).map(of));

  const judgeGrowth = (what: string, of: (sample: Sample) => number, most: (bytes: number) => number): void => {
    const [second, last] = [2, 4].map((nth) => median(quarter(nth).map(of)));
    if (second === undefined || last === undefined || !(last - second <= most(second)))
      fault(`${what} grew from ${inMiB(second)} to ${inMiB(last)} MiB`);
  };

  const judge = (): void => {
    // Recorded events are in memory too, until their limit is reached: files of ten days still grow, those of a year do not.
    const [recorded = 0, recordedLast = 0] = [2, 4].map((nth) => median(quarter(nth).map(({ events }) => events)));
    judgeGrowth(
      'memory',
      ({ heap }) => heap,
      (bytes) => allowed(bytes) + Math.max(0, recordedLast - recorded),
    );
    judgeGrowth('resident memory', ({ resident }) => resident, allowedResident);
    // The minimum, because a running poll has a timer and a socket.
    if (least(4, (one) => one.timers) !== least(2, (one) => one.timers))
      fault(`there were ${least(2, (one) => one.timers)} timers, and are ${least(4, (one) => one.timers)}`);
    const kinds = new Set(samples.flatMap(({ handles }) => [...handles.keys()]));
    for (const kind of kinds) {
      const [before, after] = [2, 4].map((nth) => least(nth, ({ handles }) => handles.get(kind) ?? 0));
      if (before !== after) fault(`there were ${before} handles ${kind}, and are ${after}`);
    }
  };

  return {
    /** `part`: fraction of the total time. `listening`: listening sockets of the nodes in this process, to be left out. */
    sample: async (part: number, listening: number): Promise<void> => {
      const segments = await segmentsIn(folder);
      const sizes = await Promise.all(segments.map(async ({ path }) => (await stat(path)).size));
      const events = sizes.reduce((sum, size) => sum + size, 0);
      if (events > fileBounds.bytes) fault(`the files of events hold ${events} bytes`);
      collect();
      const { heapUsed, external, rss } = process.memoryUsage();
      const handles = new Map<string, number>();
      for (const kind of process.getActiveResourcesInfo()) handles.set(kind, (handles.get(kind) ?? 0) + 1);
      handles.set('TCPServerWrap', (handles.get('TCPServerWrap') ?? 0) - listening);
      samples.push({ part, heap: heapUsed - compiled() + external, resident: rss, timers: timers(), handles, events });
    },
    /** At the end, reads all events from disk without errors. `newest`: id of the last recorded event. */
    readBack: async (newest: string | undefined): Promise<void> => {
      const complain = (_: unknown, message: string): void => fault(message);
      const log: Log = { debug: complain, info: complain, warn: complain, error: complain };
      const records: TransitionRecord[] = [];
      for await (const read of recordsIn(folder, fileBounds.bytes, log)) records.push(...read.map(({ record }) => record));
      if (records.length === 0) fault('there are no events');
      if (records.at(-1)?.id !== newest) fault(`the newest event on disk is ${records.at(-1)?.id}, and not ${newest}`);
      // Events of one poll have the time of the poll, or of the check run, which is up to a check interval earlier.
      const isSorted = records.every(({ at }, place) => place === 0 || at >= (records[place - 1]?.at ?? 0) - 3600);
      if (!isSorted) fault('events are not in order');
    },
    /** One row per quarter. */
    table: () => {
      judge();
      return [1, 2, 3, 4].map((nth) => ({
        quarter: nth,
        'memory MiB': inMiB(median(quarter(nth).map(({ heap }) => heap))),
        'resident MiB': inMiB(median(quarter(nth).map(({ resident }) => resident))),
        timers: least(nth, (one) => one.timers),
        handles: least(nth, ({ handles }) => [...handles.values()].reduce((sum, many) => sum + many, 0)),
        'events MiB': inMiB(Math.max(...quarter(nth).map(({ events }) => events))),
      }));
    },
  };
};

const median = (values: readonly number[]): number | undefined => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

const inMiB = (bytes = Number.NaN): number => Math.round((bytes / mebi) * 100) / 100;
