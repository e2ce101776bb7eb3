// `snowgauge check`: one verdict, in a line and an exit code.

import { Command } from 'commander';
import { printableJson } from '../report/printable.ts';
import type { CommandContext } from './context.ts';
import { findingJson, notesJson } from './finding-json.ts';
import { type Read, type ReportFlags, readReport, reportSource } from './report-source.ts';
import { exitCodes, paintFor, verdictLine } from './terminal.ts';

export const reportExits = `
Exit codes: 0 healthy, 1 unhealthy, 2 a mistake in the arguments, 3 unknown (no answer, no report, a tag that the node does not
know, a report older than --max-age), 130 stopped.`;

export const checkCommand = (context: CommandContext): Command =>
  reportSource(new Command('check').description('tell whether a node, or a saved report, is healthy: one line and an exit code'))
    .addHelpText('after', reportExits)
    .action((url: string | undefined, flags: ReportFlags) => check(url, flags, context));

const check = async (url: string | undefined, flags: ReportFlags, context: CommandContext): Promise<void> => {
  const read = await readReport('check', url, flags, context);
  if (read === undefined) return;
  context.stdout(flags.output === 'json' ? printableJson(jsonOf(read)) : verdictLine(read.reading, paintFor(context)));
  context.exit(exitCodes[read.reading.verdict]);
};

const jsonOf = ({ source, tags, reading: { verdict, because, findings, notes } }: Read): object => ({
  verdict,
  because,
  source,
  tags,
  checks: findings.length,
  failing: findings.filter(({ state }) => state !== 'passing').map(findingJson),
  notes: notesJson(notes),
});
