// `snowgauge explain`: what a report means, worst first, and what to do.

import { Command } from 'commander';
import { reasonFacts } from '../protocol/reason-facts.ts';
import type { ReportedCheck } from '../report/checks.ts';
import { ago, isoOf, printable, printableJson, span } from '../text.ts';
import { reportExits } from './check.ts';
import type { CommandContext } from './context.ts';
import { exitOf } from './exit-codes.ts';
import { checkJson, conditionsJson, notesJson } from './report-json.ts';
import { type Goal, type Read, type ReportFlags, readReport, reportArguments } from './report-source.ts';
import { conditionLines, type Paint, paintFor } from './terminal.ts';

export const explainCommand = (context: CommandContext): Command =>
  reportArguments(new Command('explain').description('explain a report, worst first: reasons, since when, and what to do'))
    .addHelpText('after', reportExits)
    .action((url: string | undefined, flags: ReportFlags) => explain(url, flags, context));

const explain = async (url: string | undefined, flags: ReportFlags, context: CommandContext): Promise<void> => {
  const read = await readReport('explain', url, flags, context);
  if (read === undefined) return;
  context.stdout(flags.output === 'json' ? printableJson(jsonOf(flags.for, read)) : textOf(read, paintFor(context)));
  context.exit(exitOf[read.conditions[flags.for].status]);
};

const jsonOf = (goal: Goal, { source, tags, nodeId, conditions, checks, notes }: Read): object => ({
  for: goal,
  conditions: conditionsJson(conditions),
  source,
  ...(nodeId !== undefined && { nodeId }),
  tags,
  checks: checks.map((check) => ({
    ...checkJson(check),
    ...(check.reason !== undefined && reasonFacts[check.reason]),
  })),
  notes: notesJson(notes),
});

/** Checks that are written out; JSON has them all. */
const written = 50;
const listed = 10;

const textOf = (read: Read, paint: Paint): string => {
  const { conditions, checks, notes } = read;
  const wrong = checks.filter(({ state }) => state !== 'passing');
  const passing = checks.filter(({ state }) => state === 'passing');
  const left = wrong.length - written;
  const sections = [
    conditionLines(conditions, paint) + heading(read, paint),
    ...wrong.slice(0, written).map((check) => wrongText(check, paint)),
    ...(left > 0 ? [`and ${left} more failing checks: see --output json\n`] : []),
    ...(passing.length > 0 ? [passingText(passing, paint)] : []),
    ...(notes.length > 0 ? [notes.map(({ message }) => `${paint.warn('note')}: ${message}\n`).join('')] : []),
  ];
  return sections.join('\n');
};

const line = (name: string, text: string, paint: Paint): string => `${paint.faint(name.padEnd(8))} ${text}\n`;

const heading = ({ source, tags, nodeId, checks }: Read, paint: Paint): string => {
  const ages = checks.flatMap(({ lastRunAge, lastRunAt }) =>
    lastRunAge === undefined || lastRunAt === undefined ? [] : [{ lastRunAge, lastRunAt }],
  );
  const youngest = ages.reduce(
    (best, one) => (one.lastRunAt > best.lastRunAt ? one : best),
    ages[0] ?? { lastRunAge: 0, lastRunAt: 0 },
  );
  // The node's clock may be ahead by less than can be told.
  const ran = youngest.lastRunAge === 0 ? '' : `, ${ago(Math.max(0, youngest.lastRunAge))}`;
  return [
    line('report', nodeId === undefined ? source : `${source} (${nodeId})`, paint),
    ...(tags.length > 0 ? [line('tags', tags.map((tag) => printable(tag, 64)).join(', '), paint)] : []),
    ...(ages.length > 0 ? [line('last run', `${isoOf(youngest.lastRunAt)}${ran}`, paint)] : []),
  ].join('');
};

const wrongText = (reported: ReportedCheck, paint: Paint): string => {
  const { check, state, reason = 'other', error, firstFailureAt, failingFor, contiguousFailures, lists, duration } = reported;
  const head = state === 'failing' ? paint.bad('failing') : paint.warn('not yet run');
  const since = firstFailureAt === undefined ? [] : [`${isoOf(firstFailureAt)}, for ${span(Math.max(0, failingFor ?? 0))}`];
  const times = contiguousFailures === 0 ? [] : [contiguousFailures === 1 ? 'once' : `${contiguousFailures} times in a row`];
  const { meaning, remedy } = reasonFacts[reason];
  const within = (name: string, text: string): string => `  ${line(name, text, paint)}`;
  return [
    `${head}  ${paint.strong(printable(check, 128))} (${reason})\n`,
    ...(error === undefined || state !== 'failing' ? [] : [within('error', error === '' ? '(empty)' : printable(error, 1000))]),
    ...(since.length + times.length === 0 ? [] : [within('since', [...since, ...times].join(', '))]),
    ...(lists === undefined ? [] : [within('lists', listText(lists))]),
    ...(duration === undefined || duration < 1 ? [] : [within('took', span(duration))]),
    within('means', meaning),
    within('do', remedy),
  ].join('');
};

const listText = (items: readonly string[]): string => {
  const more = items.length > listed ? `, and ${items.length - listed} more` : '';
  return (
    items
      .slice(0, listed)
      .map((item) => printable(item, 128))
      .join(', ') + more
  );
};

/** Names, and of those that took long how long. */
const passingText = (passing: readonly ReportedCheck[], paint: Paint): string => {
  const names = passing.slice(0, 200).map(({ check, duration = 0 }) => {
    const slow = duration >= 1 ? ` (took ${span(duration)})` : '';
    return printable(check, 128) + slow;
  });
  const more = passing.length > names.length ? `, and ${passing.length - names.length} more` : '';
  return `${paint.good('passing')}  ${names.join(', ')}${more}\n`;
};
