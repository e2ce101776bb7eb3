// A container (block, vertex or transaction) as the index gives it, and the scalars of the index methods.

import * as z from 'zod/mini';
import { parseInstant } from './time.ts';

export const maxUint64 = 18_446_744_073_709_551_615n;

/** Most containers that one index.getContainerRange may ask for (`MaxFetchedByRange`). */
export const maxFetchedByRange = 1024;

const isUint64Text = (text: string): boolean => /^\d{1,40}$/.test(text) && BigInt(text) <= maxUint64;

/** As `uint64` without its schema, which costs ten times as much; undefined where it is none. */
export const uint64Of = (wire: unknown): bigint | undefined => {
  if (typeof wire === 'string') return isUint64Text(wire) ? BigInt(wire) : undefined;
  return typeof wire === 'number' && Number.isSafeInteger(wire) && wire >= 0 ? BigInt(wire) : undefined;
};

/** The node writes index numbers as strings; a plain number is taken as long as it is exact. */
export const uint64 = z.pipe(
  z.union([
    z.string().check(z.refine(isUint64Text, 'must be a decimal uint64')),
    z.number().check(z.refine((n) => Number.isSafeInteger(n) && n >= 0, 'must be an exact whole number')),
  ]),
  z.transform((value): bigint => BigInt(value)),
);

const instant = z.string().check(z.refine((text) => parseInstant(text) !== undefined, 'must be an RFC 3339 timestamp'));

/** Longest id that is taken: one of 32 bytes has 50 characters. */
export const maxIdLength = 128;

/** `timestamp` stays text: this node's time of acceptance, to the nanosecond and in its own offset. */
export const container = z.object({
  id: z.string().check(z.maxLength(maxIdLength)),
  bytes: z.string(),
  timestamp: instant,
  encoding: z.string(),
  index: uint64,
});

export type Container = z.infer<typeof container>;

/** As it stands in JSON. */
export type WireContainer = z.input<typeof container>;
