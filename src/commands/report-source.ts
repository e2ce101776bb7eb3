// What `check` and `explain` read: a node whose URL is given, or a saved report. Both are judged alike.

import { type Command, Option } from 'commander';
import type { Client } from '../client/client.ts';
import { conclude, type Target } from '../conditions/condition.ts';
import type { HealthReport } from '../protocol/health.ts';
import { type Circumstances, type ReportedCheck, reportedChecks } from '../report/checks.ts';
import { type Note, notesOf } from '../report/notes.ts';
import { printable } from '../text.ts';
import { type ConfigError, formatErrors } from '../yaml/parse.ts';
import { type AskFlags, type Asking, askOptions, maxAgeOption, readAsking, timeoutOption } from './ask-options.ts';
import type { CommandContext } from './context.ts';
import { ifStopped, refuse } from './exit-codes.ts';
import {
  type AskedConditions,
  askedConditions,
  circumstancesOf,
  observeNode,
  observeSaved,
  optionsOf,
  reportOf,
  withinAge,
} from './observe-node.ts';
import { obtainFromFile, withClient } from './obtain.ts';
import { type Judging, type RuleFlags, readRules, ruleOptions } from './rule-options.ts';

/** The conditions that both commands tell. */
export type Goal = 'healthy' | 'ready';

export type ReportFlags = AskFlags & RuleFlags & { readonly file?: string; readonly for: Goal };

/** URL or `--file`, how to ask, and by which rules to judge. */
export const reportArguments = (command: Command): Command =>
  ruleOptions(
    askOptions(
      command
        .argument('[url]', 'the node, such as http://127.0.0.1:9650')
        .option('-f, --file <file>', 'a saved report instead, bare or in its JSON-RPC envelope; - is stdin'),
    ).addOption(new Option('--for <condition>', 'condition for the exit code').choices(['healthy', 'ready']).default('healthy')),
  )
    .addOption(timeoutOption())
    .addOption(maxAgeOption());

export interface Read {
  /** Without credentials; a file's name made printable. */
  readonly source: string;
  readonly tags: readonly string[];
  readonly conditions: Pick<AskedConditions, 'healthy' | 'ready'>;
  /** Worst first; none where there is no report. */
  readonly checks: readonly ReportedCheck[];
  readonly notes: readonly Note[];
  readonly nodeId?: string;
}

/** Undefined where an error was said, or the process is to stop: the exit code is set. */
export const readReport = async (
  name: string,
  url: string | undefined,
  flags: ReportFlags,
  context: CommandContext,
): Promise<Read | undefined> => {
  const refused = (errors: readonly ConfigError[]): undefined => {
    refuse(context, formatErrors(`snowgauge ${name}`, errors));
    return undefined;
  };
  const { file } = flags;
  const asking = readAsking(file === undefined ? url : undefined, flags, context.version);
  const rules = readRules(flags);
  const errors = [
    ...sourceErrors(url, file, flags),
    ...[asking, rules].flatMap((one) => (one.kind === 'invalid' ? one.errors : [])),
  ];
  if (errors.length > 0 || asking.kind === 'invalid' || rules.kind === 'invalid') return refused(errors);
  if (file === undefined) {
    const read = await withClient(asking.value, context, (client) =>
      readNode(client, url ?? '', asking.value, rules.value, context),
    );
    return ifStopped(context) ? undefined : read;
  }
  const obtained = await obtainFromFile(file, asking.value, context);
  if (ifStopped(context)) return undefined;
  if (obtained.kind === 'unreadable') return refused([{ path: file, message: obtained.message }]);
  const source = file === '-' ? 'stdin' : printable(file);
  return obtained.kind === 'ok'
    ? readSavedReport(source, obtained.report, rules.value, context.now())
    : { source, tags: [], conditions: withoutReport(obtained.message, context.now()), checks: [], notes: [] };
};

/** Where nobody said how old a report may be, it is only noted: so many check intervals. */
const staleAfter = 3;

const readNode = async (
  client: Client,
  url: string,
  { tags, maxAge }: Asking,
  rules: Judging,
  { now }: Pick<CommandContext, 'now'>,
): Promise<Read> => {
  const target = await observeNode(optionsOf(url, tags, rules, { once: true }), client, now);
  const circumstances = circumstancesOf(target.state, now(), maxAge ?? staleAfter * rules.healthCheckFrequency);
  const { nodeId } = target.state;
  const read = readOf(url, target, circumstances, maxAge);
  return { ...read, ...(nodeId !== undefined && { nodeId: printable(nodeId) }) };
};

const readSavedReport = (source: string, report: HealthReport, rules: Judging, now: number): Read => {
  const target = observeSaved(optionsOf('', [], rules, { once: true }), report, now);
  return readOf(source, target, { tags: [], unknownTags: [], maxAge: staleAfter * rules.healthCheckFrequency }, undefined);
};

const readOf = (
  source: string,
  { state, conditions }: Target,
  circumstances: Circumstances,
  maxAge: number | undefined,
): Read => {
  const report = reportOf(state);
  const { healthy, ready } = withinAge(
    askedConditions(conditions, state.options),
    report,
    circumstances.nodeNow ?? Number.NEGATIVE_INFINITY,
    maxAge,
  );
  const checks = report === undefined ? [] : reportedChecks(report, circumstances);
  const notes = report === undefined ? [] : notesOf({ healthy: report.healthy, checks, ...circumstances });
  return { source, tags: circumstances.tags, conditions: { healthy, ready }, checks, notes };
};

const withoutReport = (message: string, now: number): Read['conditions'] => {
  const unknown = { ...conclude('Unknown', 'RequestFailed', message), lastTransitionAt: now };
  return { healthy: unknown, ready: unknown };
};

const sourceErrors = (url: string | undefined, file: string | undefined, flags: AskFlags): readonly ConfigError[] => {
  if (url === undefined && file === undefined)
    return [{ path: '', message: 'name a node, such as http://127.0.0.1:9650, or a saved report with --file' }];
  if (url !== undefined && file !== undefined) return [{ path: '--file', message: 'is given beside a URL: name one of the two' }];
  return file !== undefined && flags.tag.length > 0
    ? [{ path: '--tag', message: 'requires a node: a saved report cannot be filtered by tag' }]
    : [];
};
