// `snowgauge explain`: explains a health report, longest failing checks first, and what to do.

import type { Command } from 'commander';
import { reasonFacts } from '../protocol/reason-facts.ts';
import { notYetRun } from '../protocol/reasons.ts';
import type { ReportedCheck } from '../report/checks.ts';
import { conditionText, noteText, type Paint } from '../report/paint.ts';
import { ago, isoOf, printable, span } from '../text.ts';
import type { CommandContext } from './context.ts';
import { reportCommand } from './report-command.ts';
import { checkJson } from './report-json.ts';
import type { JudgedReport } from './report-source.ts';

export const explainCommand = (context: CommandContext): Command =>
  reportCommand(context, {
    name: 'explain',
    text: textOf,
    json: ({ nodeId, version, network, checks }) => ({
      nodeId,
      version,
      network,
      checks: checks.map((check) => ({ ...checkJson(check), ...(check.reason !== undefined && reasonFacts[check.reason]) })),
    }),
  });

/** Maximum checks, failing or not yet run, that are printed in full. JSON has all of them. */
const maxWritten = 50;

const textOf = (read: JudgedReport, paint: Paint): string => {
  const { conditions, checks, notes } = read;
  const wrong = checks.filter(({ state }) => state !== 'passing');
  const passing = checks.filter(({ state }) => state === 'passing');
  const left = wrong.length - maxWritten;
  const sections = [
    conditionText(conditions, paint) + heading(read, paint),
    ...wrong.slice(0, maxWritten).map((check) => wrongText(check, paint)),
    ...(left > 0 ? [`and ${left} more: see --output json\n`] : []),
    ...(passing.length > 0 ? [passingText(passing, paint)] : []),
    ...(notes.length > 0 ? [noteText(notes, paint)] : []),
  ];
  return sections.join('\n');
};

const line = (name: string, text: string, paint: Paint): string => `${paint.faint(name.padEnd(8))} ${text}\n`;

const heading = ({ source, tags, nodeId, version, network, checks }: JudgedReport, paint: Paint): string => {
  const [youngest] = checks
    .flatMap(({ lastRunAge: age, lastRunAt: at }) => (age === undefined || at === undefined ? [] : [{ age, at }]))
    .sort((a, b) => b.at - a.at);
  return [
    line('source', nodeId === undefined ? source : `${source} (${nodeId})`, paint),
    version === undefined ? '' : line('node', [version, ...(network === undefined ? [] : [network])].join(', '), paint),
    tags.length > 0 ? line('tags', tags.map((tag) => printable(tag, 64)).join(', '), paint) : '',
    // The age may be below zero: the node's clock may be ahead by less than we can measure.
    youngest === undefined
      ? ''
      : line('last run', isoOf(youngest.at) + (youngest.age === 0 ? '' : `, ${ago(Math.max(0, youngest.age))}`), paint),
  ].join('');
};

const wrongText = (reported: ReportedCheck, paint: Paint): string => {
  const {
    check,
    state,
    reason = 'other',
    error,
    firstFailureAt,
    failingFor = 0,
    contiguousFailures,
    lists,
    duration = 0,
  } = reported;
  const head = state === 'failing' ? paint.bad('failing') : paint.warn('not yet run');
  const times = contiguousFailures === 1 ? 'once' : `${contiguousFailures} times in a row`;
  const since = [
    ...(firstFailureAt === undefined ? [] : [`${isoOf(firstFailureAt)}, for ${span(Math.max(0, failingFor))}`]),
    ...(contiguousFailures === 0 ? [] : [times]),
  ].join(', ');
  const within = (name: string, text: string): string => (text === '' ? '' : `  ${line(name, text, paint)}`);
  return [
    `${head}  ${paint.strong(printable(check, 128))} (${reason})\n`,
    within('error', error !== undefined && error !== notYetRun ? printable(error, 1000) || '(empty)' : ''),
    within('since', since),
    within('lists', listText(lists?.map((item) => printable(item, 128)) ?? [], 10)),
    within('took', duration < 1 ? '' : span(duration)),
    within('means', reasonFacts[reason].meaning),
    within('do', reasonFacts[reason].remedy),
  ].join('');
};

/** Names of the checks, with the duration of slow ones. */
const passingText = (passing: readonly ReportedCheck[], paint: Paint): string => {
  const names = passing.map(
    ({ check, duration = 0 }) => printable(check, 128) + (duration >= 1 ? ` (took ${span(duration)})` : ''),
  );
  return `${paint.good('passing')}  ${listText(names, 200)}\n`;
};

const listText = (items: readonly string[], max: number): string =>
  items.slice(0, max).join(', ') + (items.length > max ? `, and ${items.length - max} more` : '');
