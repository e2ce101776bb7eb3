// `--log.level` and `--log.format`, which beat their variables, for every command that logs.

import { type Command, Option } from 'commander';
import { type LogSettings, logFormats, logLevels } from '../log.ts';
import type { ConfigError, Parsed } from '../yaml/parse.ts';
import type { CommandContext } from './context.ts';

const logVariables = { level: 'SNOWGAUGE_LOG_LEVEL', format: 'SNOWGAUGE_LOG_FORMAT' } as const;

const help = {
  level: `minimum log level: ${logLevels.join(', ')} (default: info; ${logVariables.level})`,
  format: `${logFormats.join(', ')}; auto is pretty on a terminal and json elsewhere (default: auto; ${logVariables.format})`,
} as const;

export const logOptions = (): readonly Option[] => [
  new Option('--log.level <level>', help.level),
  new Option('--log.format <format>', help.format),
];

/** The context with the log that was asked for; every error at once. */
export const withLog = (command: Command, context: CommandContext): Parsed<CommandContext> => {
  const { open, errors } = readLog(command, context);
  return errors.length === 0 ? { kind: 'ok', value: open() } : { kind: 'invalid', errors };
};

/** The same for who goes on with errors: what is one gives way to its default. */
export const readLog = (
  command: Command,
  context: CommandContext,
): { readonly open: () => CommandContext; readonly errors: readonly ConfigError[] } => {
  const { 'log.level': level, 'log.format': format }: Readonly<Record<string, unknown>> = command.opts();
  const levelRead = chosen(level, context.env, 'level', logLevels, 'info');
  const formatRead = chosen(format, context.env, 'format', logFormats, 'auto');
  const settings: LogSettings = { level: levelRead.value, format: formatRead.value };
  const open = (): CommandContext => ({ ...context, log: context.openLog?.(settings) ?? context.log });
  return { open, errors: [levelRead, formatRead].flatMap(({ error }) => error ?? []) };
};

interface Chosen<T> {
  readonly value: T;
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
  return { value: preset, error: { path, message: `${JSON.stringify(text)} is none of ${choices.join(', ')}` } };
};
