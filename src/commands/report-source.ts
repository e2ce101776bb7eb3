// One report for `check` and `explain`: of the node whose URL is given, or saved.

import type { Command } from 'commander';
import { printable } from '../report/printable.ts';
import { type Reading, readingOf } from '../report/reading.ts';
import { formatMistakes, type Mistake } from '../yaml/parse.ts';
import { type AskFlags, type Asking, askOptions, maxAgeOption, readAsking, timeoutOption } from './ask-options.ts';
import type { CommandContext } from './context.ts';
import { type Obtained, obtainFromFile, obtainFromNode, withClient } from './obtain.ts';
import { exitCodes, ifStopped } from './terminal.ts';

export type ReportFlags = AskFlags & { readonly file?: string };

/** URL or `--file`, and how to ask. */
export const reportSource = (command: Command): Command =>
  askOptions(
    command
      .argument('[url]', 'the node, such as http://127.0.0.1:9650')
      .option('-f, --file <file>', 'a saved report instead, bare or in its JSON-RPC envelope; - is what is piped in'),
  )
    .addOption(timeoutOption())
    .addOption(maxAgeOption());

export interface Read {
  /** Without credentials; a file's name made printable. */
  readonly source: string;
  readonly tags: readonly string[];
  /** `unknown`, and then with nothing but a sentence, where there is no report. */
  readonly reading: Reading;
  readonly nodeId?: string;
}

/** Undefined where a mistake was said, or the process is to stop: the exit code is set. */
export const readReport = async (
  name: string,
  url: string | undefined,
  flags: ReportFlags,
  context: CommandContext,
): Promise<Read | undefined> => {
  const refuse = (mistakes: readonly Mistake[]): undefined => {
    context.stderr(formatMistakes(`snowgauge ${name}`, mistakes));
    context.exit(exitCodes.usage);
    return undefined;
  };
  const { file } = flags;
  const misplaced = sourceMistakes(url, file, flags);
  const asking = readAsking(file === undefined ? url : undefined, flags, context.version);
  if (misplaced.length > 0 || asking.kind === 'invalid')
    return refuse([...misplaced, ...(asking.kind === 'invalid' ? asking.mistakes : [])]);
  const obtained = await obtain(file, asking.value, context);
  if (ifStopped(context)) return undefined;
  if (obtained.kind === 'unreadable') return refuse([{ path: file ?? '', message: obtained.because }]);
  return {
    source: file === undefined ? (url ?? '') : file === '-' ? 'stdin' : printable(file),
    tags: asking.value.tags,
    reading: obtained.kind === 'ok' ? readingOf(obtained.report, obtained.circumstances) : withoutReport(obtained.because),
    ...(obtained.kind === 'ok' && obtained.nodeId !== undefined && { nodeId: printable(obtained.nodeId) }),
  };
};

const obtain = (file: string | undefined, asking: Asking, context: CommandContext): Promise<Obtained> =>
  file === undefined
    ? withClient(asking, context, (client) => obtainFromNode(client, 'health', asking, context.signal))
    : obtainFromFile(file, asking, context);

const withoutReport = (because: string): Reading => ({ verdict: 'unknown', because, findings: [], notes: [] });

const sourceMistakes = (url: string | undefined, file: string | undefined, flags: AskFlags): readonly Mistake[] => {
  if (url === undefined && file === undefined)
    return [{ path: '', message: 'name a node, such as http://127.0.0.1:9650, or a saved report with --file' }];
  if (url !== undefined && file !== undefined) return [{ path: '--file', message: 'is given beside a URL: name one of the two' }];
  return file !== undefined && flags.tag.length > 0
    ? [{ path: '--tag', message: 'is a question to a node: a saved report holds the checks that it holds' }]
    : [];
};
