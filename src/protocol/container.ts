// A container (block, vertex or transaction) in responses of the index API, and the scalar types of its methods.

import * as z from 'zod/mini';
import { textThat } from './scalars.ts';
import { parseInstant } from './time.ts';

export const maxUint64 = 18_446_744_073_709_551_615n;

/** Maximum containers per request of index.getContainerRange (`MaxFetchedByRange`). */
export const maxFetchedByRange = 1024;

const isUint64Text = (text: string): boolean => /^\d{1,40}$/.test(text) && BigInt(text) <= maxUint64;

/** The node writes index numbers as strings. A JSON number is accepted if it is exact. Undefined if invalid. */
export const uint64Of = (wire: unknown): bigint | undefined => {
  if (typeof wire === 'string') return isUint64Text(wire) ? BigInt(wire) : undefined;
  return typeof wire === 'number' && Number.isSafeInteger(wire) && wire >= 0 ? BigInt(wire) : undefined;
};

/** The same as a schema. */
export const uint64 = z.pipe(
  z.custom<string | number>((wire) => uint64Of(wire) !== undefined, 'must be a decimal uint64'),
  z.transform((wire): bigint => uint64Of(wire) ?? 0n),
);

const instant = textThat((text) => parseInstant(text) !== undefined, 'must be an RFC 3339 timestamp');

/** Maximum length of an accepted ID: an ID of 32 bytes has 50 characters. */
export const maxIdLength = 128;

/** Not by `z.maxLength`, which compares `length` of objects too, and throws if a node sends one that cannot be compared. */
const id = textThat((text) => text.length <= maxIdLength, `must have at most ${maxIdLength} characters`);

/** `timestamp` remains a text: the time of acceptance by this node, in nanoseconds, with its own UTC offset. */
export const container = z.object({
  id,
  bytes: z.string(),
  timestamp: instant,
  encoding: z.string(),
  index: uint64,
});

export type Container = z.infer<typeof container>;

/** The form in JSON. */
export type WireContainer = z.input<typeof container>;
