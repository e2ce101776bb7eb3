// `snowgauge check`: prints the conditions Healthy and Ready, one line each, and sets the exit code.

import type { Command } from 'commander';
import { conditionText, noteText } from '../report/paint.ts';
import type { CommandContext } from './context.ts';
import { reportCommand } from './report-command.ts';
import { checkJson } from './report-json.ts';

export const checkCommand = (context: CommandContext): Command =>
  reportCommand(context, {
    name: 'check',
    // A single poll does not show whether health checks still run: a node that is reported healthy may be frozen.
    text: ({ conditions, notes }, paint) => {
      const old = conditions.healthy.status === 'True' ? notes.filter(({ kind }) => kind === 'old-report') : [];
      return conditionText(conditions, paint) + noteText(old, paint);
    },
    json: ({ checks }) => ({
      checks: checks.length,
      failing: checks.filter(({ state }) => state !== 'passing').map(checkJson),
    }),
  });
