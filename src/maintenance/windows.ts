// The maintenance windows of a running snowgauge, from all three sources. Windows of the API are kept on disk.

import { isDeepStrictEqual } from 'node:util';
import type { Log } from '../log.ts';
import { isoOf } from '../text.ts';
import { isOpen, type MaintenanceWindow, maxWindows, openFor } from './window.ts';

export type MaintenanceWindows = ReturnType<typeof createWindows>;

export type ConfiguredWindow = Omit<MaintenanceWindow, 'source'>;

export interface StartedWindow {
  /** Name of the target; absent: all targets. */
  readonly target?: string;
  readonly seconds: number;
  readonly reason: string;
}

export interface WindowsOptions {
  /** Windows of the API from an earlier run. */
  readonly saved: readonly MaintenanceWindow[];
  readonly configured: readonly ConfiguredWindow[];
  /** Wall clock, seconds. */
  readonly now: () => number;
  /** Steady clock, seconds. */
  readonly steadyNow: () => number;
  readonly log: Log;
  /** Saves the windows of the API. Resolves to false if they are not on disk. Absent: they end with a restart. */
  readonly save?: ((windows: readonly MaintenanceWindow[]) => Promise<boolean>) | undefined;
  /** Called if the open windows may have changed. */
  readonly changed: () => void;
}

export const createWindows = ({ saved, configured, now, steadyNow, log, save, changed }: WindowsOptions) => {
  let ofConfiguration: readonly MaintenanceWindow[] = [];
  let ofApi = saved;
  let ofPod: MaintenanceWindow | undefined;
  /** The windows that were open at the last update. */
  let open: readonly MaintenanceWindow[] = [];
  /** End of each window that has started, by the steady clock. So a window stays open if the wall clock is set back to before its start. */
  const begunUntil = new WeakMap<MaintenanceWindow, number>();
  /** Cache of the open window of each target, because all targets are checked every second, and each of them may have a window. */
  const found = new Map<string, MaintenanceWindow | undefined>();

  const all = (): readonly MaintenanceWindow[] => [...ofConfiguration, ...ofApi, ...(ofPod === undefined ? [] : [ofPod])];
  /** Updates the open windows after time has passed, and logs which windows have started or ended. */
  const update = (): void => {
    const at = now();
    // A window of the API is started for a duration, and ends after it also if the wall clock was set back meanwhile. Not one of an earlier
    // run: the clock may have been wrong at the start of this one.
    const isOver = (one: MaintenanceWindow): boolean =>
      !saved.includes(one) && steadyNow() >= (begunUntil.get(one) ?? Number.POSITIVE_INFINITY);
    const left = ofApi.filter((one) => one.end > at && !isOver(one));
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
    // Also drops results of targets that a reload has removed.
    found.clear();
    update();
    changed();
  };
  const take = (windows: readonly ConfiguredWindow[]): void => {
    // A window that the reload has not changed stays the same object, so it does not end and start again.
    ofConfiguration = windows.map((one) => {
      const next = { ...one, source: 'configuration' as const };
      return ofConfiguration.find((before) => isDeepStrictEqual(before, next)) ?? next;
    });
  };

  /** The windows of the API for all other targets. Undefined stands for the window for all targets. */
  const withoutOf = (target: string | undefined): readonly MaintenanceWindow[] =>
    ofApi.filter(({ targets }) => !isDeepStrictEqual(targets, target === undefined ? undefined : [target]));

  take(configured);
  return {
    openFor: (target: string): MaintenanceWindow | undefined => {
      if (!found.has(target)) found.set(target, openFor(open, target));
      return found.get(target);
    },
    /** All windows that have not ended, ordered by their end. */
    list: (): readonly MaintenanceWindow[] =>
      all()
        .filter(({ end }) => end > now())
        .toSorted((a, b) => a.end - b.end),
    update,
    /** Whether there is room for a window of this target: it replaces an earlier window, or the maximum is not reached. */
    hasRoom: (target: string | undefined): boolean => withoutOf(target).length < maxWindows,
    /** Starts a window of the API now. It replaces an earlier one for the same target. `saved`: it survives a restart. */
    start: async ({ target, seconds, reason }: StartedWindow) => {
      // Whole seconds, so that the window is the same when it is read from disk.
      const at = Math.floor(now());
      const times = { start: at, end: at + Math.ceil(seconds) };
      const window: MaintenanceWindow = { ...(target !== undefined && { targets: [target] }), ...times, reason, source: 'api' };
      ofApi = [...withoutOf(target), window];
      settle();
      return { window, saved: (await save?.(ofApi)) ?? false };
    },
    /** Ends windows of the API: of one target, or all of them. `saved`: they stay ended after a restart. */
    end: async (target: string | undefined) => {
      const ended = ofApi.filter(({ targets }) => target === undefined || isDeepStrictEqual(targets, [target]));
      ofApi = ofApi.filter((one) => !ended.includes(one));
      if (ended.length > 0) settle();
      // Saved even if no window has ended: windows that an earlier request ended may still be on disk.
      return { ended, saved: (await save?.(ofApi)) ?? true };
    },
    /** Replaces the windows of the configuration. */
    configure: (windows: readonly ConfiguredWindow[]): void => {
      take(windows);
      settle();
    },
    /** Replaces the window of the pod's annotations. */
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
