// The format of file_sd and http_sd: groups of addresses with labels.

import { type Bounds, countedBy } from '../client/bounds.ts';
import { yielding, yieldToProbes } from '../pause.ts';
import { isObject } from '../protocol/foreign-text.ts';
import type { DiscoveredTarget, Labels } from './found.ts';
import { jsonFault } from './json-fault.ts';
import { maxFound, tooManyTargets } from './source.ts';

/** Maximum size of a text in bytes; checked before it is parsed. */
export const maxBytes = 4 * 1024 * 1024;

/** Limits on the content of a text: an empty group has 3 bytes, but needs hundreds in memory. */
const bounds: Bounds = { depth: 16, values: 150_000, name: 1024, names: 10_000, checks: Number.POSITIVE_INFINITY };

interface Group {
  readonly targets: readonly string[];
  readonly labels: readonly (readonly [string, string])[];
}

const isText = (value: unknown): value is string => typeof value === 'string';
const isScalar = (value: unknown): boolean => value === null || ['string', 'number', 'boolean'].includes(typeof value);

/** Returns the group, or the first error as text. A schema would create an error for each of up to 150,000 mistakes and fill the heap. */
const groupOf = (value: unknown): Group | string => {
  if (!isObject(value)) return ' must be an object';
  // Go ignores the case of keys in JSON.
  const given = new Map(Object.entries(value).map(([key, one]) => [key.toLowerCase(), one]));
  const targets = given.get('targets') ?? [];
  const labels = given.get('labels') ?? {};
  // Unknown keys are errors, as in Prometheus: a list with a misspelt key would look empty.
  if ([...given.keys()].some((key) => key !== 'targets' && key !== 'labels'))
    return ' may have targets and labels, and no other key';
  if (!Array.isArray(targets) || !targets.every(isText)) return '.targets must be an array of strings';
  if (!isObject(labels) || !Object.values(labels).every(isScalar)) return '.labels must be an object of strings';
  return { targets, labels: Object.entries(labels).map(([name, one]) => [name, String(one ?? '')]) };
};

export type GroupsRead =
  | { readonly kind: 'ok'; readonly found: readonly DiscoveredTarget[] }
  /** `reason`: one line, without any content of the text. */
  | { readonly kind: 'invalid'; readonly reason: string };

/** Yields to the event loop after this many bytes. */
const pieceBytes = 128 * 1024;

export const readJson = async (
  bytes: Buffer,
): Promise<{ readonly kind: 'ok'; readonly value: unknown } | { readonly kind: 'invalid'; readonly reason: string }> => {
  const counted = countedBy(bounds);
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    const bound = counted.take(bytes.subarray(at, at + pieceBytes));
    if (bound !== undefined) return { kind: 'invalid', reason: `is too large (${bound}: more than ${bounds[bound]})` };
    await yieldToProbes();
  }
  const text = bytes.toString();
  try {
    return { kind: 'ok', value: JSON.parse(text) };
  } catch {
    return { kind: 'invalid', reason: await jsonFault(text) };
  }
};

/** Maximum number of labels per target, and in total. Labels of a group count once for each of its targets. */
const maxLabels = { each: 128, all: 100_000 } as const;

/**
 * Maximum length in characters of an address, and of all labels of a group together. Regular expressions of relabelings take microseconds
 * per character.
 */
const maxLength = { address: 2048, labels: 16 * 1024 } as const;

const faultOf = ({ targets, labels }: Group, meta: Labels): string | undefined => {
  const each = labels.length + meta.size + 1;
  if (each > maxLabels.each) return `holds a group of ${each} labels, more than ${maxLabels.each}: leave some out`;
  const characters = labels.reduce((sum, [name, value]) => sum + name.length + value.length, 0);
  if (characters > maxLength.labels)
    return `holds a group whose labels have ${characters} characters, more than ${maxLength.labels}: shorten them`;
  const address = targets.find((one) => one.length > maxLength.address);
  return address && `holds an address of ${address.length} characters, more than ${maxLength.address}: shorten it`;
};

const shapeFault = (what: string): GroupsRead => ({ kind: 'invalid', reason: `is not a list of target groups: ${what}` });

/**
 * `meta`: labels of the source, which every target gets. They override labels of a group. `shown`: removes secrets from the value of a
 * label. It is not used for labels that begin with __, because these are never shown and may be part of a URL. Yields to the event loop,
 * because a list may have tens of thousands of groups.
 */
export const readGroups = async (
  value: unknown,
  meta: Labels,
  shown: (label: string) => string = (label) => label,
): Promise<GroupsRead> => {
  // Go writes null for a list that never had an entry.
  if (value === null) return { kind: 'ok', found: [] };
  if (!Array.isArray(value)) return shapeFault('it must be an array: write [] for no targets');
  const found: DiscoveredTarget[] = [];
  let [targets, labels] = [0, 0];
  let tooMuch: string | undefined;
  const yieldIfDue = yielding();
  for (const [at, one] of value.entries()) {
    await yieldIfDue();
    const group = groupOf(one);
    if (typeof group === 'string') return shapeFault(`${at}${group}`);
    tooMuch ??= faultOf(group, meta);
    targets += group.targets.length;
    labels += group.targets.length * (group.labels.length + meta.size + 1);
    // Keep counting: the error message has the totals of the list.
    if (tooMuch !== undefined || targets > maxFound || labels > maxLabels.all) continue;
    const labelsOfGroup = group.labels.map(([name, one]) => [name, name.startsWith('__') ? one : shown(one)] as const);
    // As in Prometheus, a list cannot override the labels of its source.
    const shared = [...labelsOfGroup, ...meta];
    for (const [nth, address] of group.targets.entries()) {
      if (nth % 100 === 99) await yieldIfDue();
      found.push({ labels: new Map([...shared, ['__address__', address] as const]) });
    }
  }
  if (tooMuch !== undefined) return { kind: 'invalid', reason: tooMuch };
  if (targets > maxFound) return { kind: 'invalid', reason: tooManyTargets(targets) };
  if (labels > maxLabels.all) {
    const reason = `its targets have ${labels} labels, more than ${maxLabels.all}: split the list`;
    return { kind: 'invalid', reason };
  }
  return { kind: 'ok', found };
};
