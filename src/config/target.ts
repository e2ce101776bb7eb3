// A target, which is a node to poll: its schema, the rules between its settings, their parsed values, and the effect of a change.

import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod/mini';
import { valueAt } from '../yaml/path.ts';
import { distinct, rule } from '../yaml/rules.ts';
import { mappingSuchAs } from './fields.ts';
import { auto, tagSets, wholeNode } from './parts.ts';
import { type Immutable, setting } from './setting.ts';
import { type NamesOf, type ReloadEffect, schemasOf } from './target-setting.ts';
import { targetSettings } from './target-settings.ts';

/** The target if none is configured. */
export const defaultTarget = { name: 'node', url: 'http://127.0.0.1:9650' } as const;

const defaultTimeout = 5;

const { name, url, labels, ...common } = schemasOf(targetSettings);

const inTime = rule((value, addIssue) => {
  const timeout = valueAt(value, ['timeout']);
  const frequency = valueAt(value, ['healthCheckFrequency']);
  if (typeof timeout === 'number' && typeof frequency === 'number' && timeout > frequency)
    addIssue(['timeout'], 'is longer than healthCheckFrequency: a poll must end before the next begins');
});

const written = '{ name: validator-1, url: http://127.0.0.1:9650 }';

const settings = z.strictObject({ name, url, labels, ...common }, mappingSuchAs(written)).check(
  inTime,
  rule((value, addIssue) => {
    const url = valueAt(value, ['url']);
    if (valueAt(value, ['tls']) !== undefined && typeof url === 'string' && /^http:/i.test(url))
      addIssue(['tls'], 'has no effect, because the url begins with http: write https, or leave tls out');
  }),
);

type Settings = Immutable<z.output<typeof settings>>;
type Names<R extends ReloadEffect> = NamesOf<typeof targetSettings, R>;

type TagSet = Settings['tagSets']['written'][number];

/** The settings that polling, metrics, page and conditions use. Times are seconds or check intervals. */
export interface TargetOptions extends Omit<Pick<Settings, Names<'reset' | 'adjust' | 'apply'>>, 'tagSets'> {
  /** One of them is for the whole node. The configured ones come first, then those of discovered subnets. */
  readonly tagSets: readonly TagSet[];
  /** The configured ones. Only set with `auto`. */
  readonly writtenTagSets?: readonly TagSet[];
  /** The source of discovery, such as `kubernetes/0`; absent if the target is in the configuration. */
  readonly source?: string;
}

/** The options of a client, except its User-Agent. */
export type ClientSettings = ReturnType<typeof clientOf>;

export interface TargetConfig {
  readonly options: TargetOptions;
  readonly client: ClientSettings;
}

const names = <R extends ReloadEffect>(...reloads: readonly R[]): readonly Names<R>[] =>
  // Object.entries types the keys of the table as strings.
  Object.entries(targetSettings).flatMap(([name, { reload }]) =>
    reloads.some((one) => one === reload) ? [name as Names<R>] : [],
  );

/** Computed once: a thousand targets need them in one iteration of the event loop. */
const byReload = { reset: names('reset'), adjust: [...names('adjust'), 'writtenTagSets'] as const, apply: names('apply') };
const [ofOptions, ofClient] = [names('reset', 'adjust', 'apply'), names('reconnect')];

const only = <K extends keyof Settings>(given: Settings, keys: readonly K[]): Pick<Settings, K> =>
  Object.fromEntries(keys.flatMap((key) => (key in given ? [[key, given[key]]] : []))) as Pick<Settings, K>;

const optionsOf = (given: Settings): TargetOptions => {
  const { tagSets, ...options } = only(given, ofOptions);
  const hasUntagged = tagSets.written.some(({ tags }) => tags.length === 0);
  const written = hasUntagged ? tagSets.written : [{ name: wholeNode, tags: [] }, ...tagSets.written];
  return { ...options, tagSets: written, ...(tagSets.isAuto && { writtenTagSets: written }) };
};

const clientOf = (given: Settings) => {
  const { timeout, maxReportSize, maxBodySize, ...rest } = only(given, ofClient);
  const seconds = timeout ?? Math.min(defaultTimeout, given.healthCheckFrequency);
  const timeoutMs = Math.max(1, Math.round(seconds * 1000));
  const limits = { timeoutMs, maxReportBytes: Math.min(maxReportSize, maxBodySize), maxBodyBytes: maxBodySize };
  return { ...rest, baseUrl: given.url, ...limits };
};

const toTarget = (given: Settings): TargetConfig => ({ options: optionsOf(given), client: clientOf(given) });

/** The target of a module of /probe. Name and URL are replaced by those of the request. */
export const moduleTarget = (given: Partial<Settings>): TargetConfig =>
  toTarget({ ...z.parse(settings, defaultTarget), ...given });

export const targets = z.pipe(
  z.array(settings).check(z.maxLength(10_000), distinct('name')),
  z.transform((given): readonly TargetConfig[] => given.map(toTarget)),
);

/** A target with these settings, as in a file, and the defaults of the others. Throws if one is invalid. */
export const targetFrom = (given: Partial<Immutable<z.input<typeof settings>>> = {}): TargetConfig =>
  toTarget(z.parse(settings, { ...defaultTarget, ...given }));

/** The default of discovered targets is `auto`, because their subnets are not known in advance. */
const discoveredTagSets = setting({ description: 'As `targets[].tagSets`.' }, tagSets(auto));

/** The settings of all discovered targets: all except name, url and labels. */
export const template = z.strictObject({ ...common, tagSets: discoveredTagSets }).check(inTime);

type Template = Immutable<z.output<typeof template>>;

/** A discovered target. `found`: parsed values. */
export const foundTarget = (
  common: Template,
  found: Pick<Settings, 'name' | 'url' | 'labels'> & Partial<Pick<Settings, 'tagSets'>>,
  source?: string,
): TargetConfig => {
  const { options, client } = toTarget({ ...common, ...found });
  return { options: { ...options, ...(source !== undefined && { source }) }, client };
};

/** The effect of a reload on a target, the largest first. */
export type OptionsChange = 'reset' | 'adjust' | 'apply' | 'none';

const ofRules = [...byReload.reset, ...byReload.adjust, ...byReload.apply].filter((name) => name !== 'labels');

/** True if only the labels can differ, because every other part is the same object. */
export const isRelabelled = (before: TargetOptions, after: TargetOptions): boolean =>
  ofRules.every((name) => before[name] === after[name]);

/** The options with the rules of other ones, which do not change what is requested. */
export const withRulesOf = (other: TargetOptions, options: TargetOptions): TargetOptions => ({
  ...options,
  ...Object.fromEntries(byReload.apply.map((name) => [name, other[name]])),
});

export const changeOf = (before: TargetOptions, after: TargetOptions): OptionsChange =>
  before === after
    ? 'none'
    : ((['reset', 'adjust', 'apply'] as const).find((reload) =>
        byReload[reload].some((name) => before[name] !== after[name] && !isDeepStrictEqual(before[name], after[name])),
      ) ?? (before.source === after.source ? 'none' : 'apply'));
