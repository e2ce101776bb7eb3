// The format of file_sd and http_sd: groups of addresses with labels.

import * as z from 'zod/mini';
import { type Bounds, countedBy } from '../client/bounds.ts';
import { type Found, type Labels, maxFound, tooMany } from './source.ts';

/** Of a text, before it is read. */
export const maxBytes = 4 * 1024 * 1024;

/** What a text may hold: an empty group is 3 bytes of it, and hundreds of memory. */
const bounds: Bounds = { depth: 16, values: 150_000, name: 1024, names: 10_000, checks: Number.POSITIVE_INFINITY };

const scalar = z.pipe(z.union([z.string(), z.number(), z.boolean()]), z.transform(String));

const group = z.looseObject({
  targets: z.nullish(z.array(z.string())),
  labels: z.nullish(z.record(z.string(), scalar)),
});
const groups = z.array(group);

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

/** Of each target, and of all together: those of a group are those of each of its targets. */
const maxLabels = { each: 128, all: 100_000 } as const;

const faultOf = (all: readonly z.output<typeof group>[], meta: Labels): string | undefined => {
  let [targets, labels] = [0, 0];
  for (const one of all) {
    const count = one.targets?.length ?? 0;
    const each = Object.keys(one.labels ?? {}).length + meta.size + 1;
    if (each > maxLabels.each) return `holds a group of ${each} labels, more than ${maxLabels.each}: leave some out`;
    targets += count;
    labels += count * each;
  }
  if (targets > maxFound) return tooMany(targets);
  return labels > maxLabels.all ? `its targets have ${labels} labels, more than ${maxLabels.all}: split the list` : undefined;
};

/** `meta`: labels of every target, which those of a group beat. */
export const readGroups = (value: unknown, meta: Labels): GroupsRead => {
  const read = z.safeParse(groups, value);
  if (!read.success) {
    const { path = [], code } = read.error.issues[0] ?? {};
    const place = path.length === 0 ? 'the list' : path.map(String).join('.');
    return { kind: 'invalid', reason: `is not a list of target groups: ${place} is not what it must be (${code})` };
  }
  const fault = faultOf(read.data, meta);
  if (fault !== undefined) return { kind: 'invalid', reason: fault };
  const found = read.data.flatMap(({ targets, labels }) =>
    (targets ?? []).map((address) => ({
      labels: new Map([...meta, ...Object.entries(labels ?? {}), ['__address__', address] as const]),
    })),
  );
  return { kind: 'ok', found };
};
