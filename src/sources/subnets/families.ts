// Metric family of the subnet search: checks without a known subnet.

import { type FamilyGroup, group, type Row } from '../../metrics/family.ts';
import type { SubnetsState } from './state.ts';

const rows: readonly Row<SubnetsState>[] = [
  {
    name: 'snowgauge_unplaced_checks',
    type: 'gauge',
    stability: 'beta',
    labels: ['target'],
    unit: 'count',
    help: 'Checks of the node whose subnet is unknown: `tagSets: auto` has no tag set for them.',
    source: 'platform.getBlockchains, checks of GET /ext/health by tag',
    value: ({ search }) => search?.open.length ?? 0,
  },
];

export const subnetFamilies: readonly FamilyGroup<SubnetsState>[] = [
  group<SubnetsState, SubnetsState>(rows, (state) => (state.isAuto ? [state] : [])),
];
