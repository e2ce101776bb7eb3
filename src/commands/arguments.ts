// What commands have in common in reading their arguments. All errors are said at once, so each reader adds its own to a list.

import { formatGoSeconds, parseGoDurationSeconds } from '../protocol/duration.ts';
import { durationFault, parseByteSize } from '../protocol/scalars.ts';
import { type ConfigError, formatErrors } from '../yaml/parse.ts';
import type { CommandContext } from './context.ts';
import { exitCodes } from './exit-codes.ts';

/** Says the errors, each after the command or the file that has them: exit code 2. */
export const refuse = (
  { stderr, exit }: Pick<CommandContext, 'stderr' | 'exit'>,
  source: string,
  errors: readonly ConfigError[],
): void => {
  stderr(formatErrors(source, errors));
  exit(exitCodes.usage);
};

export const repeated = (value: string, before: readonly string[] = []): readonly string[] => [...before, value];

/** Seconds, within the bounds; NaN with an error. */
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

/** `24h`, where Go says 24h0m0s. */
const asWritten = (seconds: number): string => formatGoSeconds(seconds).replace(/(?<=h)0m0s$|(?<=m)0s$/, '');

/** Bytes that one answer, or a file, may have; NaN with an error. */
export const readSize = (path: string, text: string, errors: ConfigError[]): number => {
  const bytes = parseByteSize(text);
  if (bytes !== undefined && bytes >= 1024 && bytes <= 2 ** 28) return bytes;
  errors.push({ path, message: `${JSON.stringify(text)} is not a size from 1KiB to 256MiB` });
  return Number.NaN;
};
