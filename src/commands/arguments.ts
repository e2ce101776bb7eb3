// Shared readers of command-line arguments. Each adds its errors to a list, so that all are printed at once.

import { formatGoSeconds, parseGoDurationSeconds } from '../protocol/duration.ts';
import { durationFault, parseByteSize, sizeFault } from '../protocol/scalars.ts';
import { type ConfigError, formatErrors } from '../yaml/parse.ts';
import type { CommandContext } from './context.ts';
import { exitCodes } from './exit-codes.ts';

/** Prints the errors, each after its command or file, and sets exit code 2. */
export const refuse = (
  { stderr, exit }: Pick<CommandContext, 'stderr' | 'exit'>,
  source: string,
  errors: readonly ConfigError[],
): void => {
  stderr(formatErrors(source, errors));
  exit(exitCodes.usage);
};

export const repeated = (value: string, before: readonly string[] = []): readonly string[] => [...before, value];

/** Returns seconds within the bounds, or adds an error and returns NaN. */
export const readDuration = (path: string, text: string, min: number, max: number, errors: ConfigError[]): number => {
  const seconds = parseGoDurationSeconds(text);
  if (seconds !== undefined && seconds >= min && seconds <= max) return seconds;
  const message =
    seconds === undefined
      ? `${JSON.stringify(text)} ${durationFault(text)}`
      : `${text} is out of range: write ${asWritten(min)} to ${asWritten(max)}`;
  errors.push({ path, message });
  return Number.NaN;
};

/** For example `24h`, which Go would write as 24h0m0s. */
const asWritten = (seconds: number): string => formatGoSeconds(seconds).replace(/(?<=h)0m0s$|(?<=m)0s$/, '');

/** Maximum bytes of a response or a file. Adds an error and returns NaN if invalid. */
export const readSize = (path: string, text: string, errors: ConfigError[]): number => {
  const bytes = parseByteSize(text);
  if (bytes !== undefined && bytes >= 1024 && bytes <= 2 ** 28) return bytes;
  const message =
    bytes === undefined ? `${JSON.stringify(text)} ${sizeFault(text)}` : `${text} is out of range: write 1KiB to 256MiB`;
  errors.push({ path, message });
  return Number.NaN;
};
