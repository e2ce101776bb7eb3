// The format of file_sd and http_sd: groups of addresses with labels.

import * as z from 'zod/mini';
import { type Bounds, countedBy } from '../client/bounds.ts';
import type { Found, Labels } from './source.ts';

/** Of a text, before it is read: 20,000 targets with ten labels each are 4 MB. */
export const maxBytes = 4 * 1024 * 1024;

/** What a text may hold: an empty group is 3 bytes of it, and hundreds of memory. */
const bounds: Bounds = { depth: 16, values: 250_000, name: 1024, names: 10_000, checks: Number.POSITIVE_INFINITY };

const scalar = z.pipe(z.union([z.string(), z.number(), z.boolean()]), z.transform(String));

const groups = z.array(
  z.looseObject({
    targets: z.nullish(z.array(z.string())),
    labels: z.nullish(z.record(z.string(), scalar)),
  }),
);

export type GroupsRead =
  | { readonly kind: 'ok'; readonly found: readonly Found[] }
  /** One line, which shows nothing of the text. */
  | { readonly kind: 'invalid'; readonly reason: string };

export const readJson = (
  text: string,
): { readonly kind: 'ok'; readonly value: unknown } | { readonly kind: 'invalid'; readonly reason: string } => {
  const bound = countedBy(bounds).take(Buffer.from(text));
  if (bound !== undefined) return { kind: 'invalid', reason: `is too large (${bound}: more than ${bounds[bound]})` };
  try {
    return { kind: 'ok', value: JSON.parse(text) };
  } catch {
    return { kind: 'invalid', reason: 'is not JSON' };
  }
};

/** `meta`: labels of every target, which those of a group beat. */
export const readGroups = (value: unknown, meta: Labels): GroupsRead => {
  const read = z.safeParse(groups, value);
  if (!read.success) {
    const { path = [], code } = read.error.issues[0] ?? {};
    const place = path.length === 0 ? 'the list' : path.map(String).join('.');
    return { kind: 'invalid', reason: `is not a list of target groups: ${place} is not what it must be (${code})` };
  }
  const found = read.data.flatMap(({ targets, labels }) =>
    (targets ?? []).map((address) => ({
      labels: new Map([...meta, ...Object.entries(labels ?? {}), ['__address__', address] as const]),
    })),
  );
  return { kind: 'ok', found };
};
