// `tagSets: auto`: the tag sets that a target is asked for, out of those of the configuration and the subnets that were found.

import { isDeepStrictEqual } from 'node:util';
import type { TagSet, TargetOptions } from '../../snapshot/options.ts';
import type { KnownSubnet } from './known.ts';

/** What is configured wins: its tags, where they are the subnet alone, and its name. */
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

/** The options with the tag sets of the subnets that are known; the same object where nothing changes. */
export const withSubnets = (options: TargetOptions, known: readonly KnownSubnet[]): TargetOptions => {
  const { writtenTagSets: written } = options;
  if (written === undefined) return options;
  const tagSets = [...written, ...foundTagSets(written, known)];
  return isDeepStrictEqual(tagSets, options.tagSets) ? options : { ...options, tagSets };
};
