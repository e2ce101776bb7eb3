// `--log.level` and `--log.format` of all commands that log. They override their environment variables.

import { type Command, Option } from 'commander';
import { type LogSettings, logFormats, logLevels } from '../log.ts';
import type { ConfigError } from '../yaml/parse.ts';
import type { CommandContext } from './context.ts';

const variables = { level: 'SNOWGAUGE_LOG_LEVEL', format: 'SNOWGAUGE_LOG_FORMAT' } as const;

export const addLogOptions = (command: Command): Command =>
  command
    .addOption(
      new Option('--log.level <level>', `minimum log level: ${logLevels.join(', ')} (default: info; ${variables.level})`),
    )
    .addOption(
      new Option(
        '--log.format <format>',
        `${logFormats.join(', ')}; auto is pretty on a terminal and json elsewhere (default: auto; ${variables.format})`,
      ),
    );

/** A context with the configured log. With errors the context is unchanged, or if `goesOn`, invalid settings get their default. */
export const withLog = (command: Command, context: CommandContext, errors: ConfigError[], goesOn = false): CommandContext => {
  const chosen = <T extends string>(name: keyof LogSettings, choices: readonly T[], preset: T): T => {
    const flag: unknown = command.opts()[`log.${name}`];
    const text = String(flag ?? (context.env[variables[name]] || preset));
    const value = choices.find((choice) => choice === text);
    const path = flag === undefined ? variables[name] : `--log.${name}`;
    if (value === undefined)
      errors.push({
        path,
        message: `${flag === undefined ? 'its value' : JSON.stringify(text)} must be one of ${choices.join(', ')}`,
      });
    return value ?? preset;
  };
  const settings = { level: chosen('level', logLevels, 'info'), format: chosen('format', logFormats, 'auto') };
  return errors.length > 0 && !goesOn ? context : { ...context, log: context.openLog?.(settings) ?? context.log };
};
