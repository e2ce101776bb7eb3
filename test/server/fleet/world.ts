// Fleets of many targets, some of which fail.

import type { Targets } from '../../../src/conditions/condition.ts';
import type { ShownTransition } from '../../../src/server/strip.ts';
import { newTarget, type TargetState } from '../../../src/sources/target-state.ts';
import { failing, fresh, noon, passing, report, targetKnowing, targetOptions, targetsOf } from '../../support/snapshot.ts';

export const subnet = '2bRCr6B4MiEfSjidDwxDpdCyviwnfUVqB2HGwhm947w9YYqb7r';

const tagSets = [
  { name: 'all', tags: [] },
  { name: 'my-l1', tags: [subnet] },
];

/** Half of the nodes are in each cluster and network; those at `ill` fail only for `my-l1`. */
export const node = (at: number, ill: readonly number[] = [], over: Partial<TargetState> = {}): TargetState =>
  targetKnowing(targetOptions({ name: `node-${at}`, tagSets, labels: { cluster: at % 2 === 0 ? 'eu' : 'us' } }), {
    health: {
      all: fresh(report({ network: passing() })),
      'my-l1': fresh(report({ network: passing(), [subnet]: ill.includes(at) ? failing('stuck') : passing() })),
    },
    tags: { adds: new Map([[subnet, true]]), toAsk: 0, open: [] },
    info: { ...newTarget(targetOptions()).sources.info, network: fresh(at % 2 === 0 ? 'fuji' : 'mainnet') },
    lastPoll: { at: noon - 5, answered: true, failures: [] },
    ...over,
  });

export const fleetOfSize = (size: number, ill: readonly number[] = []): Targets =>
  targetsOf(...Array.from({ length: size }, (_, at) => node(at, ill)));

/** A change of Ready `secondsAgo`. */
export const changed = (secondsAgo: number, from: string, to: string, tagSet = 'my-l1'): ShownTransition => ({
  kind: 'condition',
  condition: 'Ready',
  at: noon - secondsAgo,
  tagSets: [tagSet],
  from,
  to,
});
