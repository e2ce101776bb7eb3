// Labels after relabeling -> a target: its URL, name, labels and tag sets.

import * as z from 'zod/mini';
import { nodeUrl } from '../config/fields.ts';
import { labelNameFault, labels as labelsSchema } from '../config/labels.ts';
import { auto, tagSets as tagSetsOfText, wholeNode } from '../config/parts.ts';
import { foundTarget, type TargetConfig } from '../config/target.ts';
import type { DiscoveryConfig } from '../config/types.ts';
import { maxTargetNameLength, printable, quoted } from '../text.ts';
import { check } from '../yaml/check.ts';
import type { DiscoveredTarget, Labels } from './found.ts';

export interface FoundTarget {
  readonly name: string;
  readonly url: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Creates the target on the first call, and returns the same object later. Shards that do not watch it never need it. */
  readonly target: () => TargetConfig;
}

export type TargetResult =
  /** `leftOut`: messages about labels and tag sets that are not used. */
  | { readonly kind: 'ok'; readonly found: FoundTarget; readonly leftOut: readonly string[] }
  /** It has no address yet. */
  | { readonly kind: 'pending'; readonly name: string }
  | { readonly kind: 'invalid'; readonly message: string };

/** The default port of a node's API, for addresses without one. */
export const nodePort = 9650;

const maxLabels = 8;

/** Limits of the names in a message, because it is kept for each of thousands of targets. */
const maxNames = 8;
const maxNameLength = 60;

export const shownName = (name: string): string => printable(name, maxNameLength);

export const listedNames = (names: readonly string[]): string => {
  const shown = names.slice(0, maxNames).map(shownName).join(', ');
  return names.length > maxNames ? `${shown} and ${names.length - maxNames} more` : shown;
};

/** Returns the target, or why it cannot be watched. `source`: the source that found it, such as `file/0`. */
export const targetOf = (
  labels: Labels,
  given: DiscoveredTarget,
  template: DiscoveryConfig['target'],
  source: string,
): TargetResult => {
  const named = labels.get('target') || given.name || '';
  // Without an address, relabelings may give a name that is not usable.
  if (given.isPending === true) return { kind: 'pending', name: isUsableName(named) ? named : (given.name ?? named) };
  const read = urlOf(labels, given);
  if (read.kind === 'invalid') return read;
  const { url } = read;
  const own = named || new URL(url).host;
  if (!isUsableName(own)) return invalidName;
  const leftOut: string[] = [];
  const tagSets = tagSetsOf(labels, given, leftOut);
  const settings = { name: own, url, labels: usable(labels, leftOut), ...(tagSets && { tagSets }) };
  let cached: TargetConfig | undefined;
  const target = (): TargetConfig => {
    cached ??= foundTarget(template, settings, source);
    return cached;
  };
  return { kind: 'ok', found: { name: own, url, labels: settings.labels, target }, leftOut };
};

type UrlRead = { readonly kind: 'ok'; readonly url: string } | { readonly kind: 'invalid'; readonly message: string };

const invalid = (message: string): UrlRead => ({ kind: 'invalid', message });

const isUsableName = (name: string): boolean =>
  name.length <= maxTargetNameLength && /^[A-Za-z0-9[][A-Za-z0-9._:[\]-]*$/.test(name);

const invalidName: TargetResult = {
  kind: 'invalid',
  message: `its name is not usable: set the label target to at most ${maxTargetNameLength} letters, digits, dots, colons and hyphens`,
};

/** An address may be a complete URL, as for the blackbox_exporter. */
const urlOf = (labels: Labels, given: DiscoveredTarget): UrlRead => {
  const address = labels.get('__address__') ?? '';
  if (address === '' && given.fault !== undefined) return invalid(given.fault);
  if (/^https?:\/\//i.test(address)) return checkedUrl(address, 'its address');
  const at = /^(?:\[[^\]]*\]|[^:]*):\d+$/.test(address) ? address : `${bracketed(address)}:${nodePort}`;
  if (address === '' || /[/?#@\s]/.test(at)) return checkedUrl('', 'its address');
  const scheme = labels.get('__scheme__') || 'http';
  // A scheme that is itself a URL would change the host: a pod may choose its scheme, but not which host is polled.
  if (!/^https?$/i.test(scheme))
    return invalid(`its scheme must be http or https: correct ${setterOf('__scheme__', labels, given)}`);
  const url = checkedUrl(`${scheme}://${at}`, 'its address');
  const path = labels.get('__path__') ?? '';
  if (url.kind === 'invalid' || path === '') return url;
  const setter = setterOf('__path__', labels, given);
  return path.startsWith('/')
    ? checkedUrl(`${scheme}://${at}${path}`, setter)
    : invalid(`its path must begin with /: correct ${setter}`);
};

const checkedUrl = (text: string, subject: string): UrlRead => {
  const read = z.safeParse(nodeUrl, text);
  return read.success ? { kind: 'ok', url: read.data } : invalid(`${subject} ${read.error.issues[0]?.message ?? ''}`);
};

/** What an operator has to correct: the setting in the source, or the label if a relabeling has changed it. */
const setterOf = (label: string, labels: Labels, given: DiscoveredTarget): string =>
  (labels.get(label) === given.labels.get(label) ? given.setBy?.get(label) : undefined) ?? `the label ${label}`;

const bracketed = (host: string): string => (host.includes(':') && !host.startsWith('[') ? `[${host}]` : host);

const usable = (labels: Labels, leftOut: string[]): Readonly<Record<string, string>> => {
  const entries = [...labels].filter(([name, value]) => !name.startsWith('__') && name !== 'target' && value !== '').sort();
  const good: [string, string][] = [];
  const unusable: { readonly name: string; readonly fault: string }[] = [];
  for (const [name, value] of entries) {
    if (good.length === maxLabels) {
      leftOut.push(`of ${entries.length} labels the first ${maxLabels} are used: drop some with relabelings`);
      break;
    }
    const fault = labelNameFault(name) ?? checked(labelsSchema, { [name]: value }).fault?.message;
    if (fault === undefined) good.push([name, value]);
    else unusable.push({ name, fault });
  }
  const [first, ...more] = unusable;
  const others = more.length === 0 ? '' : `; also not usable: ${listedNames(more.map(({ name }) => name))}`;
  if (first !== undefined) leftOut.push(`label ${shownName(first.name)} ${first.fault}${others}`);
  return Object.fromEntries(good);
};

const tagSetsSchema = tagSetsOfText(auto);

/**
 * Parses tag sets such as `auto;my-l1=TAG,TAG;other=TAG`. If a part of the text is wrong, nothing is used: a name without its tags would
 * stand for the whole node.
 */
const tagSetsOf = (labels: Labels, given: DiscoveredTarget, leftOut: string[]): Parameters<typeof foundTarget>[1]['tagSets'] => {
  const sets = parts(labels.get('__tag_sets__') ?? '', ';').map((part) => {
    const [name = '', ...tags] = part.split('=');
    return part === auto ? auto : { name: name.trim(), tags: parts(tags.join('='), ',') };
  });
  if (sets.length === 0) return undefined;
  const [untagged] = sets.flatMap((one) => (one !== auto && one.name !== wholeNode && one.tags.length === 0 ? [one.name] : []));
  const { value, fault } = checked(tagSetsSchema, sets);
  const reason = untagged === undefined ? fault && `${fault.path} ${fault.message}` : `${quoted(untagged)} has no tags`;
  if (reason === undefined) return value;
  const setter = setterOf('__tag_sets__', labels, given);
  leftOut.push(`${setter} is not used: ${reason}: write NAME=TAG,TAG;NAME=TAG, ${auto} or ${wholeNode}`);
  return undefined;
};

/** Validates with a schema of the configuration. */
const checked = <S extends z.core.$ZodType>(schema: S, input: unknown) => {
  const read = check(schema, { value: input, positions: new Map() });
  return read.kind === 'ok' ? { value: read.value } : { fault: read.errors[0] };
};

const parts = (text: string, separator: string): readonly string[] =>
  text
    .split(separator)
    .map((part) => part.trim())
    .filter((part) => part !== '');
