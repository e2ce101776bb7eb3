// Scalars that an operator writes in a file: durations, sizes, names. The errors say what to write instead.

import * as z from 'zod/mini';
import { parseGoDurationSeconds } from './duration.ts';
import { parseInstant } from './time.ts';

/** A text for which `isValid` is true. `fault`: the error for any other. */
export const textThat = (isValid: (text: string) => boolean, fault: string) => z.string().check(z.refine(isValid, fault));

/** RFC 3339 -> seconds since the Unix epoch. */
export const instantOr = (fault: string) =>
  z.pipe(
    textThat((text) => parseInstant(text) !== undefined, fault),
    z.transform((text): number => parseInstant(text) ?? 0),
  );

/** For JSON Schema: the format of a duration or a size, without bounds. */
export const durationPattern =
  '^\\+?(\\d+(\\.\\d*)?|\\.\\d+)(ns|us|µs|μs|ms|s|m|h)((\\d+(\\.\\d*)?|\\.\\d+)(ns|us|µs|μs|ms|s|m|h))*$';
export const sizePattern = '^\\d+(B|KiB|MiB|GiB)$';

const bytesPer: ReadonlyMap<string, number> = new Map([
  ['B', 1],
  ['KiB', 1024],
  ['MiB', 1024 ** 2],
  ['GiB', 1024 ** 3],
]);

/** Bytes of a size such as `8MiB` or `1500B`, or undefined if the text is not one. */
export const parseByteSize = (text: string): number | undefined => {
  const match = /^(\d{1,15})(B|KiB|MiB|GiB)$/.exec(text);
  return match === null ? undefined : Number(match[1]) * (bytesPer.get(match[2] ?? '') ?? Number.NaN);
};

/** A kind of number with a unit. */
interface Kind {
  readonly read: (text: string) => number | undefined;
  readonly fault: string;
  readonly example: string;
  /** Suggested for a number without a unit. */
  readonly unit: string;
  /** A suggestion for an invalid text. */
  readonly meant: (text: string) => string | undefined;
}

/** The bounds are written in the same format. The `instead` of an issue is the suggested text. */
const withUnit =
  ({ read, fault, example, unit, meant }: Kind) =>
  (least: string, most: string) => {
    const [from, to] = [read(least) ?? Number.NaN, read(most) ?? Number.NaN];
    const error = ({ input }: { readonly input?: unknown }): string =>
      typeof input === 'number' ? `${fault}: write it as ${input}${unit}` : `${fault}: ${example}`;
    const bounded = z.superRefine<string>((text, context) => {
      const value = read(text);
      if (value !== undefined && value >= from && value <= to) return;
      const instead = value === undefined ? meant(text) : undefined;
      const unread = instead === undefined ? `${fault}: ${example}` : fault;
      const message = value === undefined ? unread : `must be from ${least} to ${most}`;
      context.addIssue({ code: 'custom', input: text, message, ...(instead !== undefined && { params: { instead } }) });
    });
    return z.pipe(
      z.string({ error }).check(bounded),
      z.transform((text): number => read(text) ?? 0),
    );
  };

const faultOf = ({ fault, example, meant }: Pick<Kind, 'fault' | 'example' | 'meant'>, text: string): string => {
  const instead = meant(text);
  return `${fault}: ${instead === undefined ? example : `write it as ${instead}`}`;
};

const duration = {
  fault: 'is not a duration',
  example: 'write it like 30s, 1m30s or 250ms',
  meant: (text: string) => (text.length <= 20 && /^\d+(\.\d+)?$/.test(text) ? `${text}s` : undefined),
} as const;

/** The error for a text that parseGoDurationSeconds rejects. */
export const durationFault = (text: string): string => faultOf(duration, text);

/** Parsed as seconds. */
export const goDuration = withUnit({ read: parseGoDurationSeconds, unit: 's', ...duration });

const size = {
  fault: 'is not a size',
  example: 'write it like 8MiB or 512KiB',
  meant: (text: string) => {
    const [, digits, prefix] = /^(\d{1,12})\s*([kmg]?)(?:i?b?)$/i.exec(text) ?? [];
    return digits && `${digits}${prefix === '' ? 'B' : `${prefix?.toUpperCase()}iB`}`;
  },
} as const;

/** The error for a text that parseByteSize rejects. */
export const sizeFault = (text: string): string => faultOf(size, text);

/** Parsed as bytes. Suggests 8MiB for `8M`, `8 MB` and `8mi`. */
export const byteSize = withUnit({ read: parseByteSize, unit: 'B', ...size });

const label = /^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/;

/** The name format of most Kubernetes objects: a DNS subdomain. */
export const isObjectName = (text: string): boolean =>
  text.length <= 253 && /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/.test(text);

/** A name that is used in paths, metric labels and pod labels. */
export const dnsLabel = textThat(
  (text) => label.test(text),
  'is not a valid name: write lower-case letters, digits and `-`, beginning and ending with a letter or digit, at most 63 characters',
);

export const wholeNumber = (least: number, most: number) => {
  const error = `must be an integer from ${least} to ${most}`;
  const quoted = `${error}: remove the quotes`;
  const ofType = ({ input }: z.core.$ZodRawIssue): string => (typeof input === 'string' && /^\d+$/.test(input) ? quoted : error);
  return z.int({ error: ofType }).check(z.minimum(least, { error }), z.maximum(most, { error }));
};
