// `tagSets: auto`: the tag sets of a target, from those of the configuration and the found subnets.

import { isDeepStrictEqual } from 'node:util';
import type { TagSet, TargetOptions } from '../../snapshot/options.ts';
import type { KnownSubnet } from './known.ts';

/** Configured tag sets take precedence: by name, or if the subnet is their only tag. */
export const foundTagSets = (written: readonly TagSet[], known: readonly KnownSubnet[]): readonly TagSet[] => {
  const names = new Set(written.map(({ name }) => name));
  const ids = new Set(written.flatMap(({ tags }) => (tags.length === 1 ? tags : [])));
  return known.flatMap(({ id, name }): readonly TagSet[] => {
    const free = [name, id].find((one) => !names.has(one));
    if (ids.has(id) || free === undefined) return [];
    names.add(free);
    return [{ name: free, tags: [id] }];
  });
};

/** Name of the tag set of a subnet: the configured one, or the found one. Undefined if it has none. */
export const tagSetNameOf = (tagSets: readonly TagSet[], id: string): string | undefined =>
  tagSets.find(({ tags }) => tags.length === 1 && tags[0] === id)?.name;

/** Options with the tag sets of the known subnets; the same object if nothing changes. */
export const withSubnets = (options: TargetOptions, known: readonly KnownSubnet[]): TargetOptions => {
  const { writtenTagSets: written } = options;
  if (written === undefined) return options;
  const tagSets = [...written, ...foundTagSets(written, known)];
  return isDeepStrictEqual(tagSets, options.tagSets) ? options : { ...options, tagSets };
};
