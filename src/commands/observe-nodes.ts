// Polls several nodes like an exporter with `tagSets: auto`: finds their identities and the subnets that they validate, and evaluates their
// conditions.

import type { ClientOptions } from '../client/options.ts';
import type { Target, Targets } from '../conditions/condition.ts';
import { targetFrom } from '../config/target.ts';
import type { TargetOptions } from '../snapshot/options.ts';
import { tagsToAsk } from '../sources/health/tags.ts';
import { sources } from '../sources/sources.ts';
import { withSubnets } from '../sources/subnets/tag-sets.ts';
import { hasMoreSubnets } from '../sources/validator/validator.ts';
import { adjusted } from '../target-update.ts';
import { withClient } from './client-flags.ts';
import type { CommandContext } from './context.ts';
import { pollOnce, unpolled } from './observe-node.ts';
import type { Rules } from './rule-flags.ts';

/** Thresholds apply after a single poll. */
const optionsOf = (url: string, name: string, { ignored, healthCheckFrequency }: Rules): TargetOptions => {
  const { options } = targetFrom({ indexes: [], tagSets: 'auto' });
  const readiness = { ...options.readiness, ...ignored, failAfter: 1, passAfter: 1 };
  return { ...options, name, url, healthCheckFrequency, readiness };
};

/** Maximum polls per node: the first finds its identity, later ones its subnets, and whether checks have their tags. */
const maxPolls = 12;

const observe = async (options: TargetOptions, client: ClientOptions, context: CommandContext): Promise<Target> =>
  withClient(client, context, async (asking) => {
    let target = unpolled(options, context.now());
    for (let polls = 0; polls < maxPolls; polls += 1) {
      target = await pollOnce(target, asking, context.now);
      const { subnets, health, validator } = target.state.sources;
      const found = withSubnets(target.state.options, subnets.known);
      if (found !== target.state.options) target = adjusted(sources, target, found, context.now());
      else if (target.state.lastPoll?.answered !== true) break;
      else if (!isSearching(target) && tagsToAsk(health.tags).length === 0 && !hasMoreSubnets(validator)) break;
    }
    return target;
  });

/** A search that waits for a retry does not count: it would continue too late for this command. */
const isSearching = ({ state }: Target): boolean => {
  const { search, retryAt } = state.sources.subnets;
  return search !== undefined && search.open.length > 0 && retryAt === undefined;
};

/** `names`: name of each node by its URL. */
export const observeNodes = async (
  nodes: readonly ClientOptions[],
  names: ReadonlyMap<string, string>,
  rules: Rules,
  context: CommandContext,
): Promise<Targets> => {
  const targets = await Promise.all(
    nodes.map(async (client) => {
      const name = names.get(client.baseUrl) ?? '';
      return [name, await observe(optionsOf(client.baseUrl, name, rules), client, context)] as const;
    }),
  );
  return new Map(targets);
};
