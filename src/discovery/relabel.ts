// Relabeling as in Prometheus: follows model/relabel/relabel.go step by step, with RE2 expressions.

import { createHash } from 'node:crypto';
import { loadRegexCompiler, type Regex } from '../config/regex.ts';
import { type Relabeling, relabelDefaults } from '../config/relabeling.ts';
import type { Labels } from './found.ts';

/** Undefined: the target is dropped. */
export type Relabel = (labels: Labels) => Labels | undefined;

export const relabelWith = async (relabelings: readonly Relabeling[]): Promise<Relabel> => {
  if (relabelings.length === 0) return (labels) => labels;
  // Loaded on demand, because most configurations have no relabelings.
  const compile = await loadRegexCompiler();
  const steps = relabelings.map((one) => stepOf(one, compile));
  return (labels) => {
    const builder = builderOf(labels);
    return steps.every((step) => step(builder)) ? new Map(builder.all()) : undefined;
  };
};

/** False: the target is dropped. */
type Step = (labels: Builder) => boolean;

const stepOf = (relabeling: Relabeling, compile: (regex: string) => Regex): Step => {
  const { sourceLabels = [], targetLabel = '', modulus = 1, action } = relabeling;
  const { separator, regex: text, replacement } = { ...relabelDefaults, ...relabeling };
  const regex = compile(text);
  const joined = (labels: Builder): string => sourceLabels.map(labels.get).join(separator);
  const matches = (value: string): boolean => regex.matcher(value).find();
  const set = (make: (joined: string) => string): Step => {
    return (labels) => {
      labels.set(targetLabel, make(joined(labels)));
      return true;
    };
  };
  const each = (change: (labels: Builder, name: string, value: string) => void): Step => {
    return (labels) => {
      for (const [name, value] of labels.all()) change(labels, name, value);
      return true;
    };
  };
  switch (action) {
    case 'drop':
      return (labels) => !matches(joined(labels));
    case 'keep':
      return (labels) => matches(joined(labels));
    case 'dropequal':
      return (labels) => labels.get(targetLabel) !== joined(labels);
    case 'keepequal':
      return (labels) => labels.get(targetLabel) === joined(labels);
    case 'lowercase':
      return set((value) => mapped(value.replaceAll('\u0130', 'i'), (one) => one.toLowerCase()));
    case 'uppercase':
      return set((value) => mapped(value, (one) => one.toUpperCase()));
    case 'hashmod':
      return set((value) => String(createHash('md5').update(value).digest().readBigUInt64BE(8) % BigInt(modulus)));
    case 'labeldrop':
      return each((labels, name) => matches(name) && labels.set(name, ''));
    case 'labelkeep':
      return each((labels, name) => matches(name) || labels.set(name, ''));
    case 'labelmap':
      return each((labels, name, value) => {
        const groups = groupsOf(regex, name);
        if (groups !== undefined) labels.set(expand(replacement, groups), value);
      });
    case 'replace':
      return (labels) => {
        const groups = groupsOf(regex, joined(labels));
        const name = groups && expand(targetLabel, groups);
        if (groups !== undefined && name !== undefined && name !== '') labels.set(name, expand(replacement, groups));
        return true;
      };
    default:
      return action satisfies never;
  }
};

/** Capture groups by number and by name. */
type Groups = ReadonlyMap<string, string>;

const groupsOf = (regex: Regex, value: string): Groups | undefined => {
  const matcher = regex.matcher(value);
  if (!matcher.find()) return undefined;
  const numbered = Array.from({ length: regex.groupCount() + 1 }, (_, at) => [String(at), matcher.group(at) ?? ''] as const);
  const named = Object.entries(regex.namedGroups()).map(([name, at]) => [name, matcher.group(at) ?? ''] as const);
  return new Map([...numbered, ...named]);
};

/** Like Go's Expand: names match greedily, an unknown group is empty, `$$` is a dollar, any other `$` is literal. */
const expand = (template: string, groups: Groups): string =>
  template.replace(/\$(?:\$|([\p{L}\p{Nd}_]+)|\{([\p{L}\p{Nd}_]+)\})/gu, (text, plain?: string, braced?: string) =>
    text === '$$' ? '$' : (groups.get(plain ?? braced ?? '') ?? ''),
  );

/** Go maps each character to one character. JavaScript maps some characters to several, such as ŉ: these stay unchanged. */
const mapped = (text: string, map: (character: string) => string): string =>
  Array.from(text, (one) => {
    const [first = one, ...more] = map(one);
    return more.length === 0 ? first : one;
  }).join('');

/**
 * The labels that steps read and change. Initial labels are sorted by name, and labels set by steps follow. If a labelmap maps several
 * labels to one name, the last label wins. In Prometheus, an arbitrary one of the initial labels wins.
 */
interface Builder {
  readonly get: (name: string) => string;
  /** An empty value removes the label. */
  readonly set: (name: string, value: string) => void;
  readonly all: () => readonly (readonly [string, string])[];
}

/** Labels that Prometheus sets before relabeling, if the list does not. */
const defaultLabels = [['__scheme__', 'http']] as const;

const builderOf = (labels: Labels): Builder => {
  const given = new Map([...defaultLabels, ...[...labels].filter(([, value]) => value !== '')]);
  const current = new Map([...given].sort(([a], [b]) => (a < b ? -1 : 1)));
  return {
    get: (name) => current.get(name) ?? '',
    set: (name, value) => {
      if (value === '') current.delete(name);
      else current.set(name, value);
    },
    all: () => [...current],
  };
};
