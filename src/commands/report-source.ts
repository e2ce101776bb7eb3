// The input of `check` and `explain`: a node at a URL, or a saved report. Both are evaluated by the same rules.

import type { ClientOptions } from '../client/options.ts';
import { conclude, type Target } from '../conditions/condition.ts';
import { shownUrl } from '../protocol/node-url.ts';
import { type Circumstances, type ReportedCheck, reportedChecks } from '../report/checks.ts';
import { type Note, notesOf } from '../report/notes.ts';
import { lastValue } from '../snapshot/observed.ts';
import type { TargetOptions } from '../snapshot/options.ts';
import { sources } from '../sources/sources.ts';
import type { LastPoll, TargetState } from '../sources/target-state.ts';
import { dangersOf } from '../sources/validator/dangers.ts';
import { printable } from '../text.ts';
import type { ConfigError } from '../yaml/parse.ts';
import { refuse } from './arguments.ts';
import { readClient, readTags, type TagFlags, tagWithoutNode, withClient } from './client-flags.ts';
import type { CommandContext } from './context.ts';
import { ifStopped } from './exit-codes.ts';
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
import { obtainFromFile } from './obtain.ts';
import { type RuleFlags, type Rules, readRules } from './rule-flags.ts';

export type ReportFlags = TagFlags & RuleFlags & { readonly file?: string; readonly for: 'healthy' | 'ready' };

export interface JudgedReport {
  /** URL without credentials, or name of the file with escaped control characters. */
  readonly source: string;
  readonly tags: readonly string[];
  readonly conditions: Pick<AskedConditions, 'healthy' | 'ready'>;
  /** Absent without a report in the file. */
  readonly lastPoll?: LastPoll | undefined;
  /** Worst first. Empty without a report. */
  readonly checks: readonly ReportedCheck[];
  readonly notes: readonly Note[];
  readonly nodeId?: string | undefined;
  /** For example `avalanchego/1.14.2`, if it was polled. */
  readonly version?: string | undefined;
  readonly network?: string | undefined;
}

/** Returns undefined after printing an error and setting the exit code, or if the process is asked to stop. */
export const readReport = async (
  name: string,
  url: string | undefined,
  flags: ReportFlags,
  context: CommandContext,
): Promise<JudgedReport | undefined> => {
  const { file } = flags;
  const errors: ConfigError[] = [...sourceErrors(url, flags)];
  const tags = readTags(flags, errors);
  const rules = readRules(flags, errors);
  const client = readClient(file === undefined ? url : undefined, flags, context.version, errors);
  if (errors.length === 0) {
    const read = await (file === undefined
      ? fromNode(client, optionsOf(url ?? '', tags, rules, { once: true, info: name === 'explain' }), rules, context)
      : fromFile(file, client, rules, context));
    if (ifStopped(context)) return undefined;
    if (!('message' in read)) return read;
    errors.push(read);
  }
  refuse(context, `snowgauge ${name}`, errors);
  return undefined;
};

/** Check intervals after which a report is noted as stale. It only affects the conditions if --max-age is given. */
const staleAfter = 3;

const fromNode = (options: ClientOptions, node: TargetOptions, rules: Rules, context: CommandContext): Promise<JudgedReport> =>
  withClient(options, context, async (client) => {
    const { now } = context;
    const target = await observeNode(node, client, now);
    const { nodeId, sources: states } = target.state;
    const [version, network] = [states.info.version, states.info.network].map(lastValue);
    const circumstances = circumstancesOf(target.state, now(), rules.maxAge ?? staleAfter * rules.healthCheckFrequency);
    const read = readOf(shownUrl(node.url), target, circumstances, rules.maxAge);
    return {
      ...read,
      notes: [...read.notes, ...dangersOf(shownNow(target.state, now()))],
      nodeId: nodeId && printable(nodeId),
      version: version && printable(version),
      network,
    };
  });

/** Treats the result of the single poll as current. */
const shownNow = ({ options, sources: { validator } }: TargetState, now: number): Parameters<typeof dangersOf>[0] => {
  const context = { now, nodeNow: now, maxAge: Number.POSITIVE_INFINITY, wallOffset: 0, options, detail: 'whole' } as const;
  return sources.validator.status(validator, context).validator;
};

const fromFile = async (
  file: string,
  { maxBodyBytes }: ClientOptions,
  rules: Rules,
  context: CommandContext,
): Promise<JudgedReport | ConfigError> => {
  const obtained = await obtainFromFile(file, maxBodyBytes, context);
  const source = file === '-' ? 'stdin' : printable(file);
  const now = context.now();
  switch (obtained.kind) {
    case 'ok': {
      const target = observeSaved(optionsOf('', [], rules, { once: true }), obtained.report, now);
      const circumstances = { tags: [], unknownTags: [], maxAge: staleAfter * rules.healthCheckFrequency };
      return readOf(source, target, circumstances, undefined);
    }
    case 'no-report': {
      const unknown = { ...conclude('Unknown', 'InvalidReport', obtained.message), lastTransitionAt: now };
      return { source, tags: [], conditions: { healthy: unknown, ready: unknown }, checks: [], notes: [] };
    }
    case 'unreadable':
      return obtained;
    default:
      return obtained satisfies never;
  }
};

const readOf = (
  source: string,
  { state, conditions }: Target,
  circumstances: Circumstances,
  maxAge: number | undefined,
): JudgedReport => {
  const report = reportOf(state);
  const present = circumstances.nodeNow ?? Number.NEGATIVE_INFINITY;
  const { healthy, ready } = withinAge(askedConditions(conditions, state.options), report, present, maxAge);
  const checks = report === undefined ? [] : reportedChecks(report, circumstances);
  const notes = report === undefined ? [] : notesOf({ healthy: report.healthy, checks, ...circumstances });
  return { source, tags: circumstances.tags, conditions: { healthy, ready }, lastPoll: state.lastPoll, checks, notes };
};

const sourceErrors = (url: string | undefined, { file, tag }: ReportFlags): readonly ConfigError[] => {
  if (url === undefined && file === undefined)
    return [{ path: '', message: 'name a node, such as http://127.0.0.1:9650, or a saved report with --file' }];
  if (url !== undefined && file !== undefined) return [{ path: '--file', message: 'cannot be combined with a URL' }];
  return file !== undefined && tag.length > 0 ? [tagWithoutNode] : [];
};
