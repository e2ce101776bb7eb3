// Shared code of `check` and `explain`: arguments, exit codes, and JSON. Each prints a report in its own way.

import { Command, Option } from 'commander';
import type { Paint } from '../report/paint.ts';
import { printableJson } from '../text.ts';
import { tagOptions, timeoutOption } from './client-flags.ts';
import type { CommandContext } from './context.ts';
import { exitCodeOf } from './observe-node.ts';
import { conditionsJson } from './report-json.ts';
import { type JudgedReport, type ReportFlags, readReport } from './report-source.ts';
import { maxAgeOption, ruleOptions } from './rule-flags.ts';
import { paintFor } from './terminal.ts';

interface Printed {
  readonly name: string;
  readonly text: (read: JudgedReport, paint: Paint) => string;
  /** In addition to the fields of both commands. */
  readonly json: (read: JudgedReport) => object;
}

const exits = `
healthy: the node reports healthy, and its report is current: its checks have run within 15 minutes, and within --max-age. ready:
the node can receive traffic, by the readiness rules of snowgauge.

Exit codes, for the condition given by --for: 0 True, 1 False, 3 Unknown (no report, a tag that the node does not know, a report
older than --max-age) or no response at all; 2 usage error or a file that cannot be read, 130 interrupted.`;

export const reportCommand = (context: CommandContext, printed: Printed): Command =>
  ruleOptions(
    tagOptions(
      new Command(printed.name)
        .argument('[url]', 'the node, such as http://127.0.0.1:9650')
        .option('-f, --file <file>', 'a saved report instead, bare or in its JSON-RPC envelope; - is stdin'),
    ).addOption(new Option('--for <condition>', 'condition for the exit code').choices(['healthy', 'ready']).default('healthy')),
  )
    .addOption(timeoutOption('5s'))
    .addOption(maxAgeOption())
    .addHelpText('after', exits)
    .action(async (url: string | undefined, flags: ReportFlags) => {
      const read = await readReport(printed.name, url, flags, context);
      if (read === undefined) return;
      const { conditions, source, tags, notes, lastPoll } = read;
      const common = { for: flags.for, conditions: conditionsJson(conditions), source, tags };
      context.stdout(
        flags.output === 'json'
          ? printableJson({ ...common, ...printed.json(read), notes })
          : printed.text(read, paintFor(context)),
      );
      context.exit(exitCodeOf(conditions[flags.for], lastPoll));
    });
