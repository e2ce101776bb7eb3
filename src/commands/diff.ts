// `snowgauge diff`: compares two health reports, each of a node or from a file.

import { Command } from 'commander';
import type { ClientOptions } from '../client/options.ts';
import { describe } from '../client/outcome.ts';
import type { HealthReport } from '../protocol/health.ts';
import { shownUrl } from '../protocol/node-url.ts';
import {
  type CheckDifference,
  type Difference,
  differenceOf,
  type NumberDifference,
  type ReportedState,
} from '../report/difference.ts';
import type { Paint } from '../report/paint.ts';
import { printable, printableJson, span } from '../text.ts';
import type { ConfigError } from '../yaml/parse.ts';
import { refuse } from './arguments.ts';
import { readClients, readTags, type TagFlags, tagOptions, tagWithoutNode, timeoutOption, withClient } from './client-flags.ts';
import type { CommandContext } from './context.ts';
import { exitCodes, ifStopped } from './exit-codes.ts';
import { type Obtained, obtainFromFile } from './obtain.ts';
import { paintFor } from './terminal.ts';

const exits = `
Changed numbers and error texts alone do not count as a difference.

Exit codes: 0 no difference, 1 they differ, 2 usage error or a file that cannot be read, 3 no response or no report, 130 interrupted.`;

export const diffCommand = (context: CommandContext): Command =>
  tagOptions(
    new Command('diff')
      .argument('<a>', 'the URL of a node, or the file of a saved report; - for stdin')
      .argument('<b>', 'the same'),
  )
    .addOption(timeoutOption('5s'))
    .addHelpText('after', exits)
    .action((a: string, b: string, flags: TagFlags) => diff(a, b, flags, context));

const isUrl = (source: string): boolean => /^[a-z][a-z0-9+.-]*:\/\//i.test(source);

/** Adds a hint if the name looks like host:port: files with such a name are rare. */
const maybeUrl = ({ path, message }: ConfigError): ConfigError => ({
  path,
  message: /^[\w.-]+:\d+(?:\/|$)/.test(path) ? `${message}; of a node, write http://${path}` : message,
});

const diff = async (a: string, b: string, flags: TagFlags, context: CommandContext): Promise<void> => {
  const errors: ConfigError[] = [];
  if (a === '-' && b === '-') errors.push({ path: '-', message: 'is given twice: stdin can be read only once' });
  if (flags.tag.length > 0 && !isUrl(a) && !isUrl(b)) errors.push(tagWithoutNode);
  const tags = readTags(flags, errors);
  const urls = [a, b].map((source) => (isUrl(source) ? source : undefined));
  const [first, second] = readClients(urls, flags, context.version, errors);
  if (errors.length > 0 || first === undefined || second === undefined) return refuse(context, 'snowgauge diff', errors);
  const obtain = async (source: string, options: ClientOptions): Promise<Obtained> => {
    if (!isUrl(source)) return obtainFromFile(source, options.maxBodyBytes, context);
    const { outcome } = await withClient(options, context, (client) => client.health(tags));
    if (outcome.kind === 'ok') return { kind: 'ok', report: outcome.value };
    return { kind: 'no-report', message: `${shownUrl(source)}: ${printable(describe(outcome), 600)}` };
  };
  // Sequential, because both may be the same node.
  const [before, after] = [await obtain(a, first), await obtain(b, second)];
  if (ifStopped(context)) return;
  if (before.kind === 'ok' && after.kind === 'ok') return print([a, before.report], [b, after.report], flags, context);
  for (const one of [before, after]) {
    if (one.kind === 'unreadable') errors.push(maybeUrl(one));
    if (one.kind === 'no-report') context.stderr(`snowgauge diff: ${one.message}\n`);
  }
  if (errors.length > 0) refuse(context, 'snowgauge diff', errors);
  else context.exit(exitCodes.unknown);
};

type Named = readonly [source: string, report: HealthReport];

const print = (before: Named, after: Named, { output }: TagFlags, context: CommandContext): void => {
  const difference = differenceOf(before[1], after[1]);
  const { differs, changes, numbers } = difference;
  const [a, b] = [sideOf(before), sideOf(after)];
  context.stdout(
    output === 'json' ? printableJson({ differs, a, b, changes, numbers }) : textOf(difference, a, b, paintFor(context)),
  );
  context.exit(differs ? exitCodes.no : exitCodes.ok);
};

const sideOf = ([source, { healthy, checks }]: Named) => ({
  source: source === '-' ? 'stdin' : isUrl(source) ? shownUrl(source) : printable(source),
  healthy,
  checks: checks.size,
  failing: [...checks.values()].filter(({ error }) => error !== undefined).length,
});

type Side = ReturnType<typeof sideOf>;

const marks = {
  failed: 'bad',
  'failed-again': 'bad',
  reason: 'warn',
  vanished: 'warn',
  appeared: 'warn',
  recovered: 'good',
  reworded: 'faint',
} as const satisfies Record<CheckDifference['kind'], keyof Paint>;

const maxNumbers = 200;

const textOf = ({ changes, numbers, differs }: Difference, a: Side, b: Side, paint: Paint): string => {
  const more = numbers.length - maxNumbers;
  return [
    sideText('a', a, paint),
    sideText('b', b, paint),
    differs ? '' : 'no difference\n',
    ...changes.map(
      (change) =>
        `${paint[marks[change.kind]](change.kind.padEnd(11))} ${paint.strong(printable(change.check, 128))}  ${changeText(change)}\n`,
    ),
    ...numbers.slice(0, maxNumbers).map((number) => `${paint.faint('number'.padEnd(11))} ${numberText(number)}\n`),
    more > 0 ? `and ${more} more numbers: see --output json\n` : '',
  ].join('');
};

const sideText = (name: string, { source, healthy, checks, failing }: Side, paint: Paint): string =>
  `${name}  ${healthy ? paint.good('healthy') : paint.bad('unhealthy')}, ${failing} of ${checks} checks fail  ${source}\n`;

const stateText = (check: ReportedState | undefined): string => {
  if (check === undefined) return '';
  return check.state === 'passing' ? 'passes' : `${check.reason}${check.error ? `: ${printable(check.error)}` : ''}`;
};

const changeText = ({ kind, before, after }: CheckDifference): string => {
  switch (kind) {
    case 'recovered':
      return `was ${stateText(before)}`;
    case 'vanished':
      return stateText(before);
    case 'appeared':
    case 'failed':
      return stateText(after);
    case 'failed-again':
      return `passed in between or the node was restarted, then ${stateText(after)}`;
    case 'reason':
    case 'reworded':
      return `${stateText(before)} -> ${stateText(after)}`;
    default:
      return kind satisfies never;
  }
};

const short = (value: number): string => String(Number(value.toPrecision(12)));

const numberText = ({ check, field, unit, before, after }: NumberDifference): string => {
  const text = (value: number | undefined): string => {
    if (value === undefined) return 'none';
    return unit === 'seconds' && value >= 0 ? span(value) : short(value);
  };
  const change = before === undefined || after === undefined || unit === 'seconds' ? undefined : after - before;
  const by = change === undefined ? '' : ` (${change > 0 ? '+' : ''}${short(change)})`;
  return `${printable(check, 128)} ${printable(field, 128)}  ${text(before)} -> ${text(after)}${by}`;
};
