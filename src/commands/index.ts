// `snowgauge index`: requests single containers, and reads whole indexes.

import { Command } from 'commander';
import type { CommandContext } from './context.ts';
import { acceptedCommand, getCommand, numberCommand, rangeCommand } from './index/ask.ts';
import { exportCommand } from './index/export.ts';
import { verifyCommand } from './index/verify.ts';
import { walkCommand } from './index/walk.ts';

const exits = `
Exit codes: 0 done, 1 not found, not accepted, errors in the index, or nothing to export, 2 usage error or a file of another
export, 3 a request failed or was rejected, or the file was not written, 130 interrupted.`;

export const indexCommand = (context: CommandContext): Command =>
  new Command('index')
    .addCommand(getCommand(context))
    .addCommand(numberCommand(context))
    .addCommand(acceptedCommand(context))
    .addCommand(rangeCommand(context))
    .addCommand(walkCommand(context))
    .addCommand(verifyCommand(context))
    .addCommand(exportCommand(context))
    .addHelpText('afterAll', exits);
