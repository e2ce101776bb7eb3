// `--log.level` and `--log.format`, which beat their variables, for every command that logs.

import { type Command, Option } from 'commander';
import { type LogSettings, logFormats, logLevels } from '../log.ts';
import { type ConfigError, formatErrors, type Parsed } from '../yaml/parse.ts';
import type { CommandContext } from './context.ts';
import { refuse } from './exit-codes.ts';

const logVariables = { level: 'SNOWGAUGE_LOG_LEVEL', format: 'SNOWGAUGE_LOG_FORMAT' } as const;

const help = {
  level: `minimum log level: ${logLevels.join(', ')} (default: info; ${logVariables.level})`,
  format: `${logFormats.join(', ')}; auto is pretty on a terminal and json elsewhere (default: auto; ${logVariables.format})`,
} as const;

export const logOptions = (): readonly Option[] => [
  new Option('--log.level <level>', help.level),
  new Option('--log.format <format>', help.format),
];

/** The command with these options: its action has the log that they ask for. */
export const logging = <O>(
  command: Command,
  context: CommandContext,
  action: (options: O, context: CommandContext) => Promise<void>,
): Command => {
  for (const option of logOptions()) command.addOption(option);
  return command.action(async (options: O) => {
    const logged = withLog(command, context);
    if (logged.kind === 'ok') return await action(options, logged.value);
    refuse(context, formatErrors(`snowgauge ${command.name()}`, logged.errors));
  });
};

/** The context with the log that was asked for; every error at once. */
export const withLog = (command: Command, context: CommandContext): Parsed<CommandContext> => {
  const { 'log.level': level, 'log.format': format }: Readonly<Record<string, unknown>> = command.opts();
  const read = [
    chosen(level, context.env, 'level', logLevels, 'info'),
    chosen(format, context.env, 'format', logFormats, 'auto'),
  ] as const;
  const [{ value: readLevel }, { value: readFormat }] = read;
  if (readLevel === undefined || readFormat === undefined)
    return { kind: 'invalid', errors: read.flatMap(({ error }) => error ?? []) };
  const settings: LogSettings = { level: readLevel, format: readFormat };
  return { kind: 'ok', value: { ...context, log: context.openLog?.(settings) ?? context.log } };
};

interface Chosen<T> {
  readonly value?: T;
  readonly error?: ConfigError;
}

const chosen = <T extends string>(
  flag: unknown,
  env: CommandContext['env'],
  name: keyof typeof logVariables,
  choices: readonly T[],
  preset: T,
): Chosen<T> => {
  const variable = env[logVariables[name]] ?? '';
  const [path, text] = flag === undefined ? [logVariables[name], variable] : [`--log.${name}`, String(flag)];
  if (flag === undefined && text === '') return { value: preset };
  const value = choices.find((choice) => choice === text);
  if (value !== undefined) return { value };
  return { error: { path, message: `${JSON.stringify(text)} is none of ${choices.join(', ')}` } };
};
