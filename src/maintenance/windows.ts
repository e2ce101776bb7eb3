// The maintenance windows of a running snowgauge, of all three sources. Those of the API are kept on disk.

import { isDeepStrictEqual } from 'node:util';
import type { Log } from '../log.ts';
import { isoOf } from '../text.ts';
import { isOpen, type MaintenanceWindow, maxWindows, openFor } from './window.ts';

export type MaintenanceWindows = ReturnType<typeof createWindows>;

export type ConfiguredWindow = Omit<MaintenanceWindow, 'source'>;

export interface StartedWindow {
  /** Absent: every target. */
  readonly target?: string;
  readonly seconds: number;
  readonly reason: string;
}

export interface WindowsOptions {
  /** Of the API, from an earlier run. */
  readonly saved: readonly MaintenanceWindow[];
  readonly configured: readonly ConfiguredWindow[];
  /** Wall clock, seconds. */
  readonly now: () => number;
  /** A clock that is never set, seconds. */
  readonly steadyNow: () => number;
  readonly log: Log;
  /** Resolves to false where they are not on disk; absent: a restart forgets them. */
  readonly save?: ((windows: readonly MaintenanceWindow[]) => Promise<boolean>) | undefined;
  /** Another window is open than before, perhaps. */
  readonly changed: () => void;
}

export const createWindows = ({ saved, configured, now, steadyNow, log, save, changed }: WindowsOptions) => {
  let ofConfiguration: readonly MaintenanceWindow[] = [];
  let ofApi = saved;
  let ofPod: MaintenanceWindow | undefined;
  /** At the last update. */
  let open: readonly MaintenanceWindow[] = [];
  /** When the length of one that began is over, by the steady clock: a wall clock that is set back to before its start does not close it. */
  const begunUntil = new WeakMap<MaintenanceWindow, number>();
  /** By target, as long as nothing changes: a fleet is looked through every second, and may have a window for each of its targets. */
  const found = new Map<string, MaintenanceWindow | undefined>();

  const all = (): readonly MaintenanceWindow[] => [...ofConfiguration, ...ofApi, ...(ofPod === undefined ? [] : [ofPod])];
  /** Time has passed: says what began and what ended. */
  const update = (): void => {
    const at = now();
    const left = ofApi.filter(({ end }) => end > at);
    if (left.length < ofApi.length) {
      ofApi = left;
      void save?.(ofApi);
    }
    const goesOn = (one: MaintenanceWindow): boolean => at < one.start && steadyNow() < (begunUntil.get(one) ?? 0);
    const next = new Set(all().filter((one) => isOpen(one, at) || goesOn(one)));
    const ended = [...open].filter((one) => !next.delete(one));
    if (ended.length === 0 && next.size === 0) return;
    for (const one of ended) log.info(fieldsOf(one), 'maintenance window ended');
    for (const one of next) {
      begunUntil.set(one, steadyNow() + one.end - at);
      log.info({ ...fieldsOf(one), until: isoOf(one.end) }, 'maintenance window started');
    }
    open = [...open.filter((one) => !ended.includes(one)), ...next];
    found.clear();
  };
  const settle = (): void => {
    // Of targets that a reload took away nobody asks any more.
    found.clear();
    update();
    changed();
  };
  const take = (windows: readonly ConfiguredWindow[]): void => {
    // What a reload leaves as it is goes on as the same window.
    ofConfiguration = windows.map((one) => {
      const next = { ...one, source: 'configuration' as const };
      return ofConfiguration.find((before) => isDeepStrictEqual(before, next)) ?? next;
    });
  };

  /** Those of the API of all other targets. */
  const withoutOf = (target: string | undefined): readonly MaintenanceWindow[] =>
    ofApi.filter(({ targets }) => !isDeepStrictEqual(targets, target === undefined ? undefined : [target]));

  take(configured);
  return {
    openFor: (target: string): MaintenanceWindow | undefined => {
      if (!found.has(target)) found.set(target, openFor(open, target));
      return found.get(target);
    },
    /** All that have not ended, those that end first before the others. */
    list: (): readonly MaintenanceWindow[] =>
      all()
        .filter(({ end }) => end > now())
        .toSorted((a, b) => a.end - b.end),
    update,
    /** There is room for one of this target: it takes the place of an earlier one, or there are not too many. */
    hasRoom: (target: string | undefined): boolean => withoutOf(target).length < maxWindows,
    /** By the API, from now on, in place of its earlier one for the same target. `saved`: it survives a restart. */
    start: async ({ target, seconds, reason }: StartedWindow) => {
      // Whole seconds, so that what is read from disk is the same.
      const at = Math.floor(now());
      const times = { start: at, end: at + Math.ceil(seconds) };
      const window: MaintenanceWindow = { ...(target !== undefined && { targets: [target] }), ...times, reason, source: 'api' };
      ofApi = [...withoutOf(target), window];
      settle();
      return { window, saved: (await save?.(ofApi)) ?? false };
    },
    /** Ends those of the API: of one target, or all. `saved`: a restart does not bring them back. */
    end: async (target: string | undefined) => {
      const ended = ofApi.filter(({ targets }) => target === undefined || isDeepStrictEqual(targets, [target]));
      ofApi = ofApi.filter((one) => !ended.includes(one));
      if (ended.length > 0) settle();
      // Also without one to end: those of a request before may still be on disk.
      return { ended, saved: (await save?.(ofApi)) ?? true };
    },
    /** In place of what was configured before. */
    configure: (windows: readonly ConfiguredWindow[]): void => {
      take(windows);
      settle();
    },
    /** In place of what the pod said before. */
    annotate: (window: MaintenanceWindow | undefined): void => {
      ofPod = window;
      settle();
    },
  };
};

const fieldsOf = ({ targets, reason, source }: MaintenanceWindow): Readonly<Record<string, unknown>> => ({
  targets: targets ?? 'all',
  reason,
  source,
});
