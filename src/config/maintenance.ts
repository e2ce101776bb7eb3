// Settings of maintenance: planned windows, and the token that the API requires to start and end others.

import * as z from 'zod/mini';
import { longestReason, windowFault } from '../maintenance/window.ts';
import { instantOr } from '../protocol/scalars.ts';
import { valueAt } from '../yaml/path.ts';
import { distinct, rule } from '../yaml/rules.ts';
import { credentialsPath, name } from './fields.ts';
import { setting } from './setting.ts';

const instant = instantOr('is not an instant of RFC 3339: write it like 2026-11-20T12:00:00Z');

const reason = z.string().check(
  z.minLength(1),
  z.maxLength(longestReason),
  z.refine((text) => !/\p{Cc}/u.test(text), 'has a control character or a line break: write one line'),
);

const window = z
  .strictObject({
    targets: setting(
      { description: 'Names of targets. Default: all.' },
      z.exactOptional(z.array(name).check(z.minLength(1), distinct())),
    ),
    start: setting({ description: 'RFC 3339, such as 2026-11-20T12:00:00Z.' }, instant),
    end: setting({ description: 'RFC 3339, at most 24 h after start. The window ends by itself.' }, instant),
    reason: setting({ description: 'Shown on the page, in the API and in the event history. At most 256 characters.' }, reason),
  })
  .check(
    rule((value, addIssue) => {
      const [start, end] = [valueAt(value, ['start']), valueAt(value, ['end'])];
      const fault = typeof start === 'number' && typeof end === 'number' ? windowFault({ start, end }) : undefined;
      if (fault !== undefined) addIssue(['end'], fault);
    }),
  );

export const maintenance = z.strictObject({
  windows: setting({ description: 'Maintenance windows. At most 100.' }, z.prefault(z.array(window).check(z.maxLength(100)), [])),
  tokenFile: setting(
    {
      description:
        'File with the bearer token required to start and end windows by the API. Without it, only connections from the loopback may. Reloaded when it changes.',
    },
    z.exactOptional(credentialsPath),
  ),
});

/** Checks that the targets of the windows exist. */
export const maintenanceRule = rule((value, addIssue) => {
  const targets = valueAt(value, ['targets']);
  const windows = valueAt(value, ['maintenance', 'windows']);
  if (!Array.isArray(targets) || !Array.isArray(windows)) return;
  // After parsing, or before it if one of the targets has an error.
  const names = targets.map((one: unknown) => valueAt(one, ['options', 'name']) ?? valueAt(one, ['name']));
  windows.forEach((one: unknown, at) => {
    const listed = valueAt(one, ['targets']);
    if (!Array.isArray(listed)) return;
    listed.forEach((target: unknown, index) => {
      if (typeof target === 'string' && !names.includes(target))
        // The message does not show the name, because it may be the value of a variable.
        addIssue(['maintenance', 'windows', at, 'targets', index], 'is not a target: write the name of one of targets');
    });
  });
});
