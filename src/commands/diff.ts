// `snowgauge diff`: how two reports differ, each of a node or saved.

import { Command } from 'commander';
import type { HealthReport } from '../protocol/health.ts';
import {
  type CheckDifference,
  type Difference,
  differenceOf,
  type NumberDifference,
  type Standing,
} from '../report/difference.ts';
import { printable, printableJson, span } from '../text.ts';
import { type ConfigError, formatErrors } from '../yaml/parse.ts';
import { type AskFlags, type Asking, askOptions, readAsking, timeoutOption } from './ask-options.ts';
import type { CommandContext } from './context.ts';
import { exitCodes, ifStopped, refuse } from './exit-codes.ts';
import { type Obtained, obtainFromFile, obtainFromNode, withClient } from './obtain.ts';
import { type Paint, paintFor } from './terminal.ts';

const exits = `
Numbers and wordings alone are no difference: heights always grow.

Exit codes: 0 no difference, 1 they differ, 2 an error in the arguments, 3 a report could not be had, 130 stopped.`;

export const diffCommand = (context: CommandContext): Command =>
  askOptions(
    new Command('diff')
      .description('compare two reports: checks that appeared, vanished, failed or recovered, other reasons, and numbers')
      .argument('<a>', 'the URL of a node, or the file of a saved report; - for stdin')
      .argument('<b>', 'the same'),
  )
    .addOption(timeoutOption())
    .addHelpText('after', exits)
    .action((a: string, b: string, flags: AskFlags) => diff([a, b], flags, context));

const isUrl = (source: string): boolean => /^[a-z][a-z0-9+.-]*:\/\//i.test(source);

const diff = async (sources: readonly [string, string], flags: AskFlags, context: CommandContext): Promise<void> => {
  const refused = (errors: readonly ConfigError[]): void => refuse(context, formatErrors('snowgauge diff', errors));
  const [a, b] = sources.map((source) => readAsking(isUrl(source) ? source : undefined, flags, context.version));
  const misplaced = sourceErrors(sources, flags);
  if (a?.kind !== 'ok' || b?.kind !== 'ok' || misplaced.length > 0) {
    const wrong = [a, b].find((one) => one?.kind === 'invalid');
    return refused([...misplaced, ...(wrong?.kind === 'invalid' ? wrong.errors : [])]);
  }
  // One after the other: both may be the same node.
  const before = await obtain(sources[0], a.value, context);
  const after = await obtain(sources[1], b.value, context);
  if (ifStopped(context)) return;
  const unreadable = [before, after].flatMap((one, at) =>
    one.kind === 'unreadable' ? [{ path: sources[at] ?? '', message: one.message }] : [],
  );
  if (unreadable.length > 0) return refused(unreadable);
  if (before.kind !== 'ok' || after.kind !== 'ok') {
    for (const [at, one] of [before, after].entries())
      if (one.kind === 'no-report')
        context.stderr(`snowgauge diff: ${isUrl(sources[at] ?? '') ? `${sources[at]}: ` : ''}${one.message}\n`);
    context.exit(exitCodes.unknown);
    return;
  }
  const difference = differenceOf(before.report, after.report);
  const sides = [sideOf(sources[0], before.report), sideOf(sources[1], after.report)] as const;
  context.stdout(
    flags.output === 'json' ? printableJson(jsonOf(difference, sides)) : textOf(difference, sides, paintFor(context)),
  );
  context.exit(difference.differs ? exitCodes.no : exitCodes.ok);
};

const sourceErrors = (sources: readonly [string, string], { tag }: AskFlags): readonly ConfigError[] => {
  if (sources.every((source) => source === '-')) return [{ path: '-', message: 'is given twice: stdin can be read only once' }];
  return tag.length > 0 && !sources.some(isUrl)
    ? [{ path: '--tag', message: 'requires a node: a saved report cannot be filtered by tag' }]
    : [];
};

const obtain = (source: string, asking: Asking, context: CommandContext): Promise<Obtained> =>
  isUrl(source)
    ? withClient(asking, context, (client) => obtainFromNode(client, asking.tags))
    : obtainFromFile(source, asking, context);

interface Side {
  readonly source: string;
  readonly healthy: boolean;
  readonly checks: number;
  readonly failing: number;
}

const sideOf = (source: string, { healthy, checks }: HealthReport): Side => ({
  source: source === '-' ? 'stdin' : printable(source),
  healthy,
  checks: checks.size,
  failing: [...checks.values()].filter(({ error }) => error !== undefined).length,
});

const jsonOf = ({ differs, changes, numbers }: Difference, [a, b]: readonly [Side, Side]): object => ({
  differs,
  a,
  b,
  changes,
  numbers,
});

const marks = {
  failed: 'bad',
  'failed-again': 'bad',
  reason: 'warn',
  vanished: 'warn',
  appeared: 'warn',
  recovered: 'good',
  reworded: 'faint',
} as const satisfies Record<CheckDifference['kind'], keyof Paint>;

const numbersShown = 200;

const textOf = ({ changes, numbers, differs }: Difference, sides: readonly [Side, Side], paint: Paint): string => {
  const more = numbers.length - numbersShown;
  return [
    ...sides.map((side, at) => sideText(at === 0 ? 'a' : 'b', side, paint)),
    ...(differs ? [] : ['no difference\n']),
    ...changes.map(
      (change) =>
        `${paint[marks[change.kind]](change.kind.padEnd(11))} ${paint.strong(printable(change.check, 128))}  ${changeText(change)}\n`,
    ),
    ...numbers.slice(0, numbersShown).map((number) => `${paint.faint('number'.padEnd(11))} ${numberText(number)}\n`),
    ...(more > 0 ? [`and ${more} more numbers: see --output json\n`] : []),
  ].join('');
};

const sideText = (name: string, { source, healthy, checks, failing }: Side, paint: Paint): string =>
  `${name}  ${healthy ? paint.good('healthy') : paint.bad('unhealthy')}, ${failing} of ${checks} checks fail  ${source}\n`;

const standing = ({ state, reason, error }: Standing): string =>
  state === 'passing' ? 'passes' : `${reason}${error === undefined || error === '' ? '' : `: ${printable(error)}`}`;

const changeText = ({ kind, before, after }: CheckDifference): string => {
  if (kind === 'recovered') return before === undefined ? '' : `was ${standing(before)}`;
  if (before === undefined || after === undefined)
    return [before, after].flatMap((one) => (one === undefined ? [] : [standing(one)])).join('');
  if (kind === 'failed') return standing(after);
  if (kind === 'failed-again') return `passed in between, then ${standing(after)}`;
  return `${standing(before)} -> ${standing(after)}`;
};

const short = (value: number | undefined, unit: NumberDifference['unit']): string => {
  if (value === undefined) return 'none';
  return unit === 'seconds' && value >= 0 ? span(value) : String(Number(value.toPrecision(12)));
};

const numberText = ({ check, field, unit, before, after }: NumberDifference): string => {
  const by = before === undefined || after === undefined || unit === 'seconds' ? '' : ` (${signed(after - before)})`;
  return `${printable(check, 128)} ${printable(field, 128)}  ${short(before, unit)} -> ${short(after, unit)}${by}`;
};

const signed = (value: number): string => `${value > 0 ? '+' : ''}${Number(value.toPrecision(12))}`;
