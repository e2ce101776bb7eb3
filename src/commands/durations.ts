// Values of options that several commands read.

import { parseGoDurationSeconds } from '../protocol/duration.ts';
import type { Mistake, Parsed } from '../yaml/parse.ts';

export const mistake = (path: string, message: string): Mistake => ({ path, message });

/** Seconds, within the bounds. */
export const readDuration = (path: string, text: string, least: number, most: number): Parsed<number> => {
  const seconds = parseGoDurationSeconds(text);
  if (seconds !== undefined && seconds >= least && seconds <= most) return { kind: 'ok', value: seconds };
  const message =
    seconds === undefined
      ? `${JSON.stringify(text)} is not a duration: write it like 30s, 1m30s or 250ms`
      : `${text} is out of range: write ${least} s to ${most} s`;
  return { kind: 'invalid', mistakes: [mistake(path, message)] };
};

export const valueOr = <T>(parsed: Parsed<T>, otherwise: T): T => (parsed.kind === 'ok' ? parsed.value : otherwise);
