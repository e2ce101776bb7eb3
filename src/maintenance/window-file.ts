// The windows of the API in a file under stateDir, so that they survive a restart.

import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { hasCode, readStart, replaceFile } from '../file-system.ts';
import type { Log } from '../log.ts';
import { parseInstant } from '../protocol/time.ts';
import { isoOf } from '../text.ts';
import { longestReason, type MaintenanceWindow, windowFault } from './window.ts';

/** A window for each of a thousand targets, with the longest reasons. */
const maxBytes = 2 * 1024 * 1024;
const maxWindows = 1001;

const instant = z.pipe(
  z.string().check(z.refine((text) => parseInstant(text) !== undefined)),
  z.transform((text): number => parseInstant(text) ?? 0),
);
const schema = z.strictObject({
  windows: z
    .array(
      z
        .strictObject({
          target: z.exactOptional(z.string()),
          start: instant,
          end: instant,
          reason: z.string().check(z.maxLength(longestReason)),
        })
        .check(z.refine((window) => windowFault(window) === undefined)),
    )
    .check(z.maxLength(maxWindows)),
});

/** `run`: of this run alone, lower-case letters and digits. */
export const windowFile = (stateDir: string, run: string, log: Log) => {
  const file = join(stateDir, 'maintenance.json');
  let waiting: readonly MaintenanceWindow[] | undefined;
  let working: Promise<boolean> | undefined;
  const replace = async (windows: readonly MaintenanceWindow[]): Promise<boolean> => {
    try {
      await replaceFile(file, run, textOf(windows));
      return true;
    } catch (error) {
      log.error({ file, error: String(error) }, 'maintenance windows not written: a restart forgets them');
      return false;
    }
  };
  const work = async (): Promise<boolean> => {
    let isWritten = true;
    for (let next = waiting; next !== undefined; next = waiting) {
      waiting = undefined;
      isWritten = await replace(next);
    }
    working = undefined;
    return isWritten;
  };
  return {
    read: async (): Promise<readonly MaintenanceWindow[]> => {
      await tidy(stateDir);
      return readWindows(file, log);
    },
    /** Resolves to false where they are not on disk; never rejects. Of several calls the last one counts. */
    write: (windows: readonly MaintenanceWindow[]): Promise<boolean> => {
      waiting = windows;
      working ??= work();
      return working;
    },
  };
};

const textOf = (windows: readonly MaintenanceWindow[]): string => {
  const saved = windows.map(({ targets, start, end, reason }) => ({
    ...(targets?.[0] !== undefined && { target: targets[0] }),
    start: isoOf(start),
    end: isoOf(end),
    reason,
  }));
  return `${JSON.stringify({ windows: saved })}\n`;
};

/** Takes away what a run left half-written that was killed meanwhile. */
const tidy = async (stateDir: string): Promise<void> => {
  const there = await readdir(stateDir).catch(() => []);
  const stale = there.filter((name) => /^maintenance\.json\.\w+\.tmp$/.test(name));
  await Promise.allSettled(stale.map((name) => rm(join(stateDir, name), { force: true })));
};

const readWindows = async (file: string, log: Log): Promise<readonly MaintenanceWindow[]> => {
  try {
    const { windows } = schema.parse(JSON.parse(await readStart(file, maxBytes)));
    return windows.map(({ target, ...rest }) => ({
      ...(target !== undefined && { targets: [target] }),
      ...rest,
      source: 'api',
    }));
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) log.warn({ file }, 'maintenance windows of an earlier run unreadable: ignored');
    return [];
  }
};
