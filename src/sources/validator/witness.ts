// Uptime of a node as other watched nodes observed it. It is in their own records of that node with four decimals, while peers report whole
// percents.

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

/** Without the node itself, for which it always reports 100. */
export const sightingsIn = (rows: readonly Validator[], own: string): ReadonlyMap<string, Sighting> =>
  new Map(
    rows.flatMap(({ nodeId, startTime: start, uptime }) =>
      nodeId === own || start === undefined || uptime === undefined ? [] : [[nodeId, { start, uptime: uptime / 100 }] as const],
    ),
  );

/** The witness that observed the lowest uptime, so that the downtime left is never overstated. `start`: of the current staking period. */
export const witnessOf = (neighbours: Nodes, nodeId: string, start: number, now: number): Witness | undefined => {
  let least: Witness | undefined;
  for (const { target, state, maxAge } of neighbours) {
    const seen = current(state.sightings, now, maxAge)?.get(nodeId);
    if (seen?.start === start && seen.uptime < (least?.uptime ?? Number.POSITIVE_INFINITY))
      least = { target, uptime: seen.uptime };
  }
  return least;
};
