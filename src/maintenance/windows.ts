// The maintenance windows of a running snowgauge, of all three sources. Those of the API are kept on disk.

import { isDeepStrictEqual } from 'node:util';
import type { Log } from '../log.ts';
import { isoOf } from '../text.ts';
import { isOpen, type MaintenanceWindow, openFor } from './window.ts';

export interface MaintenanceWindows {
  readonly openFor: (target: string) => MaintenanceWindow | undefined;
  /** All that have not ended, those that end first before the others. */
  readonly list: () => readonly MaintenanceWindow[];
  /** Time has passed: says what began and what ended. */
  readonly update: () => void;
  /** By the API, from now on, in place of its earlier one for the same target. `saved`: it survives a restart. */
  readonly start: (given: StartedWindow) => Promise<{ readonly window: MaintenanceWindow; readonly saved: boolean }>;
  /** Ends those of the API: of one target, or all. */
  readonly end: (target: string | undefined) => Promise<readonly MaintenanceWindow[]>;
  /** In place of what was configured before. */
  readonly configure: (windows: readonly ConfiguredWindow[]) => void;
  /** In place of what the pod said before. */
  readonly annotate: (window: MaintenanceWindow | undefined) => void;
}

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
  readonly log: Log;
  /** Resolves to false where they are not on disk. */
  readonly save: (windows: readonly MaintenanceWindow[]) => Promise<boolean>;
  /** Another window is open than before, perhaps. */
  readonly changed: () => void;
}

export const createWindows = ({ saved, configured, now, log, save, changed }: WindowsOptions): MaintenanceWindows => {
  let ofConfiguration: readonly MaintenanceWindow[] = [];
  let ofApi = saved;
  let ofPod: MaintenanceWindow | undefined;
  /** Those whose begin was said. */
  let told: readonly MaintenanceWindow[] = [];

  const all = (): readonly MaintenanceWindow[] => [...ofConfiguration, ...ofApi, ...(ofPod === undefined ? [] : [ofPod])];
  const update = (): void => {
    const at = now();
    const left = ofApi.filter(({ end }) => end > at);
    if (left.length < ofApi.length) {
      ofApi = left;
      void save(ofApi);
    }
    const open = all().filter((one) => isOpen(one, at));
    for (const one of told) if (!open.includes(one)) log.info(fieldsOf(one), 'maintenance window ended');
    for (const one of open) if (!told.includes(one)) log.info(fieldsOf(one), 'maintenance window started');
    told = open;
  };
  const settle = (): void => {
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

  take(configured);
  return {
    openFor: (target) => openFor(all(), target, now()),
    list: () =>
      all()
        .filter(({ end }) => end > now())
        .toSorted((a, b) => a.end - b.end),
    update,
    start: async ({ target, seconds, reason }) => {
      // Whole seconds, so that what is read from disk is the same.
      const at = Math.floor(now());
      const times = { start: at, end: at + Math.ceil(seconds) };
      const window: MaintenanceWindow = { ...(target !== undefined && { targets: [target] }), ...times, reason, source: 'api' };
      ofApi = [...ofApi.filter(({ targets }) => !isDeepStrictEqual(targets, window.targets)), window];
      settle();
      return { window, saved: await save(ofApi) };
    },
    end: async (target) => {
      const ended = ofApi.filter(({ targets }) => target === undefined || isDeepStrictEqual(targets, [target]));
      if (ended.length === 0) return [];
      ofApi = ofApi.filter((one) => !ended.includes(one));
      settle();
      await save(ofApi);
      return ended;
    },
    configure: (windows) => {
      take(windows);
      settle();
    },
    annotate: (window) => {
      ofPod = window;
      settle();
    },
  };
};

const fieldsOf = ({ targets, end, reason, source }: MaintenanceWindow): Readonly<Record<string, unknown>> => ({
  targets: targets ?? 'all',
  until: isoOf(end),
  reason,
  source,
});
