// The durations and sizes that options of several commands give.

import { parseGoDurationSeconds } from '../protocol/duration.ts';
import { parseByteSize } from '../protocol/scalars.ts';
import type { ConfigError, Parsed } from '../yaml/parse.ts';

export const error = (path: string, message: string): ConfigError => ({ path, message });

/** Seconds, within the bounds. */
export const readDuration = (path: string, text: string, least: number, most: number): Parsed<number> => {
  const seconds = parseGoDurationSeconds(text);
  if (seconds !== undefined && seconds >= least && seconds <= most) return { kind: 'ok', value: seconds };
  const message =
    seconds === undefined
      ? `${JSON.stringify(text)} is not a duration: write it like 30s, 1m30s or 250ms`
      : `${text} is out of range: write ${least} s to ${most} s`;
  return { kind: 'invalid', errors: [error(path, message)] };
};

/** Bytes that one answer, or a file, may have. */
export const readSize = (path: string, text: string): Parsed<number> => {
  const bytes = parseByteSize(text);
  return bytes !== undefined && bytes >= 1024 && bytes <= 2 ** 28
    ? { kind: 'ok', value: bytes }
    : { kind: 'invalid', errors: [error(path, `${JSON.stringify(text)} is not a size from 1KiB to 256MiB`)] };
};

export const valueOr = <T>(parsed: Parsed<T>, otherwise: T): T => (parsed.kind === 'ok' ? parsed.value : otherwise);
