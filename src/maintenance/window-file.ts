// Saves the windows of the API in a file under stateDir, so that they survive a restart.

import * as z from 'zod/mini';
import type { Log } from '../log.ts';
import type { StateGuard } from '../memory/guard.ts';
import { type StateFile, stateFile } from '../memory/state-file.ts';
import { instantOr } from '../protocol/scalars.ts';
import { isoOf } from '../text.ts';
import { longestReason, type MaintenanceWindow, maxWindows, windowFault } from './window.ts';

/** Maximum size of the file, and maximum number of its JSON values: enough for the maximum number of windows with the longest reasons. */
const maxBytes = 2 * 1024 * 1024;
const maxValues = 5 * maxWindows + 10;

const instant = instantOr('is not an instant');
const schema = z.strictObject({
  version: z.exactOptional(z.number()),
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

export type WindowFile = StateFile<readonly MaintenanceWindow[]>;

export const windowFile = (stateDir: string, log: Log, guard?: StateGuard, readMs?: number): WindowFile =>
  stateFile<readonly MaintenanceWindow[]>({
    stateDir,
    name: 'maintenance.json',
    what: 'maintenance windows',
    version: 1,
    maxBytes,
    maxValues,
    none: [],
    sync: true,
    readMs,
    parse: (json) =>
      schema.parse(json).windows.map(({ target, ...rest }) => ({
        ...(target !== undefined && { targets: [target] }),
        ...rest,
        source: 'api',
      })),
    json: (windows) => ({
      windows: windows.map(({ targets, start, end, reason }) => ({
        ...(targets?.[0] !== undefined && { target: targets[0] }),
        start: isoOf(start),
        end: isoOf(end),
        reason,
      })),
    }),
    guard,
    log,
  });
