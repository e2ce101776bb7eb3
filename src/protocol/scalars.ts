// Scalars that an operator writes in a file: durations, sizes, names. Each says of a wrong value what to write instead.

import * as z from 'zod/mini';
import { parseGoDurationSeconds } from './duration.ts';

/** For JSON Schema: what a duration or a size looks like, without its bounds. */
export const durationPattern =
  '^\\+?(\\d+(\\.\\d*)?|\\.\\d+)(ns|us|µs|μs|ms|s|m|h)((\\d+(\\.\\d*)?|\\.\\d+)(ns|us|µs|μs|ms|s|m|h))*$';
export const sizePattern = '^\\d+(B|KiB|MiB|GiB)$';

/** A text that is not the value it should be: `message` is said of it, `instead` is what it might have been meant to be. */
const unfit = (input: string, message: string, instead?: string): z.core.$ZodRawIssue<z.core.$ZodIssueCustom> => ({
  code: 'custom',
  input,
  message,
  ...(instead !== undefined && { params: { instead } }),
});

const looksLike = (text: string, digits: RegExp): boolean => text.length <= 20 && digits.test(text);

const notADuration = 'is not a duration';
const durationExample = 'write it like 30s, 1m30s or 250ms';

/** Written as Go does within the bounds, themselves so written; read as seconds. */
export const goDuration = (least: string, most: string) => {
  const [from, to] = [parseGoDurationSeconds(least) ?? Number.NaN, parseGoDurationSeconds(most) ?? Number.NaN];
  return z.pipe(
    z
      .string({
        error: ({ input }) =>
          typeof input === 'number' ? `${notADuration}: write it as ${input}s` : `${notADuration}: ${durationExample}`,
      })
      .check(
        z.superRefine((text, context) => {
          const seconds = parseGoDurationSeconds(text);
          if (seconds === undefined && looksLike(text, /^\d+(\.\d+)?$/)) context.addIssue(unfit(text, notADuration, `${text}s`));
          else if (seconds === undefined) context.addIssue(unfit(text, `${notADuration}: ${durationExample}`));
          else if (!(seconds >= from && seconds <= to)) context.addIssue(unfit(text, `must be from ${least} to ${most}`));
        }),
      ),
    z.transform((text): number => parseGoDurationSeconds(text) ?? 0),
  );
};

const bytesPer: ReadonlyMap<string, number> = new Map([
  ['B', 1],
  ['KiB', 1024],
  ['MiB', 1024 ** 2],
  ['GiB', 1024 ** 3],
]);

/** Bytes of a size such as `8MiB` or `1500B`, or undefined when it is not one. */
export const parseByteSize = (text: string): number | undefined => {
  const match = /^(\d{1,15})(B|KiB|MiB|GiB)$/.exec(text);
  return match === null ? undefined : Number(match[1]) * (bytesPer.get(match[2] ?? '') ?? Number.NaN);
};

const notASize = 'is not a size';

/** `8M`, `8 MB`, `8mi`: all meant 8MiB. */
const sizeMeant = (text: string): string | undefined => {
  const match = /^(\d{1,12})\s*([kmg]?)(?:i?b?)$/i.exec(text);
  return match === null ? undefined : `${match[1]}${match[2] === '' ? 'B' : `${match[2]?.toUpperCase()}iB`}`;
};

/** Written `8MiB` within the bounds, themselves so written; read as bytes. */
export const byteSize = (least: string, most: string) => {
  const [from, to] = [parseByteSize(least) ?? Number.NaN, parseByteSize(most) ?? Number.NaN];
  return z.pipe(
    z
      .string({
        error: ({ input }) =>
          typeof input === 'number' ? `${notASize}: write it as ${input}B` : `${notASize}: write it like 8MiB or 512KiB`,
      })
      .check(
        z.superRefine((text, context) => {
          const bytes = parseByteSize(text);
          const meant = sizeMeant(text);
          if (bytes === undefined && meant !== undefined) context.addIssue(unfit(text, notASize, meant));
          else if (bytes === undefined) context.addIssue(unfit(text, `${notASize}: write it like 8MiB or 512KiB`));
          else if (!(bytes >= from && bytes <= to)) context.addIssue(unfit(text, `must be from ${least} to ${most}`));
        }),
      ),
    z.transform((text): number => parseByteSize(text) ?? 0),
  );
};

const label = /^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/;

/** Stands in paths, metric labels and pod labels. */
export const dnsLabel = z
  .string()
  .check(
    z.refine(
      (text) => label.test(text),
      'is not a name that can be used: lower-case letters, digits and `-` inside, at most 63 characters',
    ),
  );

export const wholeNumber = (least: number, most: number) => {
  const error = `must be a whole number from ${least} to ${most}`;
  return z.int({ error }).check(z.minimum(least, { error }), z.maximum(most, { error }));
};
