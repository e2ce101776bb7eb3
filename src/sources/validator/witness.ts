// What other watched nodes saw of a node. Each tells it to the exporter in its own record of that node, which no peer does: in four
// decimals, where the peers have whole percent.

import { primaryNetworkId } from '../../protocol/id.ts';
import type { Validator } from '../../protocol/platform.ts';
import { current, lastValue } from '../../snapshot/observed.ts';
import type { Neighbour } from '../source.ts';
import type { Sighting, ValidatorState, Witness } from './state.ts';

type Nodes = readonly Neighbour<ValidatorState>[];

/** NodeIDs of other watched nodes that may be validators. */
export const otherIds = (neighbours: Nodes, own: string): readonly string[] => {
  const ids = neighbours.flatMap(({ state: { nodeId, memberships } }) => {
    const isNone = lastValue(memberships.get(primaryNetworkId))?.state === 'none';
    return nodeId === undefined || nodeId === own || isNone ? [] : [nodeId];
  });
  return [...new Set(ids)];
};

/** Of all but itself: of itself a node says 100. */
export const sightingsIn = (rows: readonly Validator[], own: string): ReadonlyMap<string, Sighting> =>
  new Map(
    rows.flatMap(({ nodeId, startTime: start, uptime }) =>
      nodeId === own || start === undefined || uptime === undefined ? [] : [[nodeId, { start, uptime: uptime / 100 }] as const],
    ),
  );

/**
 * Of several the one that saw least: what lies between the witnesses is no more than a whole percent hides, and the downtime left is
 * then never overstated. `start`: of the staking period that runs.
 */
export const witnessOf = (neighbours: Nodes, nodeId: string, start: number, now: number): Witness | undefined => {
  let least: Witness | undefined;
  for (const { target, state, maxAge } of neighbours) {
    const seen = current(state.sightings, now, maxAge)?.get(nodeId);
    if (seen?.start === start && seen.uptime < (least?.uptime ?? Number.POSITIVE_INFINITY))
      least = { target, uptime: seen.uptime };
  }
  return least;
};
