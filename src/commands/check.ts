// `snowgauge check`: healthy and ready, a line each, and an exit code.

import { Command } from 'commander';
import { printableJson } from '../text.ts';
import type { CommandContext } from './context.ts';
import { exitOf } from './exit-codes.ts';
import { checkJson, conditionsJson, notesJson } from './report-json.ts';
import { type Goal, type Read, type ReportFlags, readReport, reportArguments } from './report-source.ts';
import { conditionLines, paintFor } from './terminal.ts';

export const reportExits = `
healthy: what the node says, as far as it can be believed. ready: take it into service, by the rules of snowgauge's configuration.

Exit codes, of the condition that --for names: 0 True, 1 False, 3 Unknown (no answer, no report, a tag that the node does not know,
a report older than --max-age); 2 an error in the arguments, 130 stopped.`;

export const checkCommand = (context: CommandContext): Command =>
  reportArguments(
    new Command('check').description('check whether a node, or a saved report, is healthy and ready: two lines and an exit code'),
  )
    .addHelpText('after', reportExits)
    .action((url: string | undefined, flags: ReportFlags) => check(url, flags, context));

const check = async (url: string | undefined, flags: ReportFlags, context: CommandContext): Promise<void> => {
  const read = await readReport('check', url, flags, context);
  if (read === undefined) return;
  const { conditions } = read;
  context.stdout(
    flags.output === 'json' ? printableJson(jsonOf(flags.for, read)) : conditionLines(conditions, paintFor(context)),
  );
  context.exit(exitOf[conditions[flags.for].status]);
};

const jsonOf = (goal: Goal, { source, tags, conditions, checks, notes }: Read): object => ({
  for: goal,
  conditions: conditionsJson(conditions),
  source,
  tags,
  checks: checks.length,
  failing: checks.filter(({ state }) => state !== 'passing').map(checkJson),
  notes: notesJson(notes),
});
