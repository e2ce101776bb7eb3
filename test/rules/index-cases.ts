// Cases of the alerts on the indexes, and of the optional alert on the node's own metrics.

import type { Fires, Quiet } from './case.ts';
import { beginning, check, grow, hold, inTurn, losing, type Series, scraped, well } from './series.ts';

const node = (steps: number, changes: Series): Series => scraped({ ...well(steps), ...changes });

const of = (family: string, labels: string, values: string): Series => ({
  [`snowgauge_index_${family}{index="C/block"${labels}}`]: values,
});
const head = (values: string): Series => of('last_accepted_height', '', values);
const drift = (values: string): Series => of('height_drift', '', values);
const errors = (kind: string, values: string): Series => of('integrity_errors_total', `,kind="${kind}"`, values);
const agrees = (values: string): Series => of('agrees_with_chain', '', values);

const off = (steps: number, from: number, minutes: number, state: 'off' | 'error' = 'off'): Series => {
  const rest = steps - from - minutes;
  const dip = (well_: number, ill: number): string =>
    inTurn(hold(well_, from), hold(ill, minutes), ...(rest > 0 ? [hold(well_, rest)] : []));
  return {
    ...of('state', ',state="ok"', dip(1, 0)),
    ...of('state', `,state="${state}"`, dip(0, 1)),
    ...head(inTurn(grow(999, 20, from), 'stale')),
    ...drift(inTurn(hold(0, from), 'stale')),
    ...agrees(inTurn(hold(1, from), 'stale')),
  };
};

const theirs = (values: string, pod = 'validator-0'): Series => ({
  [`avalanche_health_checks_failing{job="node",namespace="avalanche",pod="${pod}",instance="10.0.0.1:9650",check="health",tag="all"}`]:
    values,
});

const chainHeights = (values: string): Series => ({ 'snowgauge_chain_last_accepted_height{chain="C"}': values });

export const indexFires: readonly Fires[] = [
  {
    alert: 'SnowgaugeIndexStalled',
    title: 'the chain advances and its index does not',
    series: node(50, { ...head(inTurn(grow(999, 20, 10), hold(1179, 40))), ...drift(inTurn(hold(0, 10), grow(20, 20, 40))) }),
    steps: 50,
    at: 34,
    soonerIn3: true,
    labels: { index: 'C/block' },
    summary: 'Index C/block of node (validator-0) has stopped growing.',
    description:
      'The chain of index C/block of node (validator-0) accepts blocks, but the index does not grow: its clients read outdated data.',
  },
  {
    alert: 'SnowgaugeIndexDisagrees',
    title: 'the index lacks the last accepted block of the chain',
    series: node(20, agrees(inTurn(hold(1, 5), hold(0, 15)))),
    steps: 20,
    at: 10,
    labels: { index: 'C/block' },
    summary: 'Index C/block of node (validator-0) disagrees with its chain.',
    description:
      'Index C/block of node (validator-0) does not contain the last accepted block of its chain: it has lost blocks, or stopped growing.',
  },
  {
    alert: 'SnowgaugeIndexIntegrityErrors',
    title: 'the tail verifier finds a gap and a wrong hash',
    series: node(20, { ...errors('gap', inTurn(hold(0, 5), hold(1, 15))), ...errors('hash', inTurn(hold(0, 5), hold(3, 15))) }),
    steps: 20,
    at: 5,
    labels: { index: 'C/block' },
    summary: 'Index C/block of node (validator-0) has integrity errors.',
    description:
      'Containers of index C/block of node (validator-0) are missing or damaged: data read from it may be wrong. Kinds: gap hash.',
  },
  {
    alert: 'SnowgaugeIndexIntegrityErrors',
    title: 'the tail verifier found a wrong hash before the first scrape, and nothing since',
    set: ['indexErrorWindow=10m'],
    series: beginning(node(35, errors('hash', hold(1, 35))), 5),
    steps: 40,
    at: 5,
    ends: 21,
    labels: { index: 'C/block' },
    summary: 'Index C/block of node (validator-0) has integrity errors.',
    description:
      'Containers of index C/block of node (validator-0) are missing or damaged: data read from it may be wrong. Kinds: hash.',
  },
  {
    alert: 'SnowgaugeIndexOff',
    title: 'indexing is off',
    series: node(30, off(30, 5, 25)),
    steps: 30,
    at: 20,
    labels: { index: 'C/block' },
    summary: 'Index C/block of node (validator-0) is off.',
    description:
      'Index C/block of node (validator-0) is watched, but off on the node: containers accepted meanwhile are not indexed and cannot be added later.',
  },
  {
    alert: 'SnowgaugeIndexOff',
    title: 'the index answers with errors',
    series: node(30, off(30, 5, 25, 'error')),
    steps: 30,
    at: 20,
    labels: { index: 'C/block' },
    summary: 'Index C/block of node (validator-0) is failing.',
    description: 'Index C/block of node (validator-0) is watched, but requests to it fail.',
  },
  {
    alert: 'SnowgaugeIndexIncomplete',
    title: 'an index has lagged by millions of blocks for over an hour',
    series: node(85, drift(inTurn(hold(0, 5), hold(12_345_678, 80)))),
    steps: 85,
    at: 80,
    soonerIn3: true,
    labels: { index: 'C/block' },
    summary: 'Index C/block of node (validator-0) is missing 12345678 blocks.',
    description:
      'Index C/block of node (validator-0) is missing 12345678 blocks that its chain has accepted. The node ran without the index for some time; the missing blocks cannot be added later.',
  },
  {
    alert: 'SnowgaugeDisagreesWithNode',
    title: "the node's own metrics count failing checks while the report is healthy",
    series: { ...node(15, {}), ...theirs(inTurn(hold(0, 5), hold(2, 10))) },
    steps: 15,
    at: 7,
    summary: 'The exporter and node (validator-0) disagree about its health.',
    description:
      "snowgauge reports node (validator-0) as healthy, but the node's own metrics disagree. One of the two is outdated or belongs to another node.",
  },
];

export const indexQuiet: readonly Quiet[] = [
  {
    alert: 'SnowgaugeIndexStalled',
    title: 'the chain is idle as well',
    series: node(50, { ...head(hold(1179, 50)), ...chainHeights(hold(1180, 50)) }),
    steps: 50,
  },
  {
    alert: 'SnowgaugeIndexStalled',
    title: 'the chain accepts a block every quarter of an hour',
    series: node(60, {
      ...head(inTurn(hold(999, 15), hold(1000, 15), hold(1001, 15), hold(1002, 15))),
      ...chainHeights(inTurn(hold(1000, 15), hold(1001, 15), hold(1002, 15), hold(1003, 15))),
    }),
    steps: 60,
  },
  {
    alert: 'SnowgaugeIndexStalled',
    title: 'the index catches up after a quarter of an hour',
    series: node(60, {
      ...head(inTurn(grow(999, 20, 10), hold(1179, 16), grow(1519, 20, 34))),
      ...drift(inTurn(hold(0, 10), grow(20, 20, 16), hold(0, 34))),
    }),
    steps: 60,
  },
  {
    alert: 'SnowgaugeIndexStalled',
    title: 'the node returns without its indexes after half an hour without accepted blocks',
    series: node(100, {
      ...off(100, 40, 60),
      ...head(inTurn(hold(999, 40), 'stale')),
      ...chainHeights(inTurn(hold(1000, 40), grow(1001, 1, 60))),
    }),
    steps: 100,
  },
  {
    alert: 'SnowgaugeIndexDisagrees',
    title: 'index and chain disagree for 4 minutes',
    series: node(20, agrees(inTurn(hold(1, 5), hold(0, 4), hold(1, 11)))),
    steps: 20,
  },
  {
    alert: 'SnowgaugeIndexDisagrees',
    title: 'nothing has been accepted yet, so there is no sample',
    series: node(20, { ...agrees(hold('_', 20)), ...drift(hold('_', 20)) }),
    steps: 20,
  },
  {
    alert: 'SnowgaugeIndexIntegrityErrors',
    title: 'every container is valid',
    series: node(30, errors('gap', hold(0, 30))),
    steps: 30,
  },
  {
    alert: 'SnowgaugeIndexIntegrityErrors',
    title: 'the clock of the node was set back, so that a container is older than its predecessor',
    series: node(30, errors('time', inTurn(hold(0, 5), hold(1, 25)))),
    steps: 30,
  },
  {
    alert: 'SnowgaugeIndexIntegrityErrors',
    title: 'scrapes are lost occasionally, and every container is valid',
    series: losing(node(30, errors('gap', hold(0, 30))), (step) => step % 9 === 8),
    steps: 30,
  },
  {
    alert: 'SnowgaugeIndexOff',
    title: 'the index is off for 14 minutes',
    series: node(30, off(30, 5, 14)),
    steps: 30,
  },
  {
    alert: 'SnowgaugeIndexOff',
    title: 'the node bootstraps, and the chain is not created yet',
    series: node(30, { ...off(30, 5, 25), snowgauge_bootstrapping_subnets: hold(1, 30) }),
    steps: 30,
  },
  {
    alert: 'SnowgaugeIndexOff',
    title: 'an index is empty',
    series: node(30, {
      ...of('state', ',state="ok"', hold(0, 30)),
      ...of('state', ',state="empty"', hold(1, 30)),
      ...head(hold('_', 30)),
    }),
    steps: 30,
  },
  {
    alert: 'SnowgaugeIndexIncomplete',
    title: 'a poll occasionally sees the chain a block ahead of its index',
    series: node(100, drift(inTurn(...Array.from({ length: 10 }, () => '1x6 0x2')))),
    steps: 90,
  },
  {
    alert: 'SnowgaugeIndexIncomplete',
    title: 'the index has stopped: another alert fires',
    series: node(100, { ...head(inTurn(grow(999, 20, 10), hold(1179, 90))), ...drift(inTurn(hold(0, 10), grow(20, 20, 90))) }),
    steps: 100,
  },
  {
    alert: 'SnowgaugeDisagreesWithNode',
    title: 'one of the two is a check interval later than the other',
    series: {
      ...node(15, check('router', inTurn(hold(1, 5), hold(0, 5), hold(1, 5)))),
      ...theirs(inTurn(hold(0, 4), hold(1, 5), hold(0, 6))),
    },
    steps: 15,
  },
  {
    alert: 'SnowgaugeDisagreesWithNode',
    title: "the node's metrics are those of another pod",
    series: { ...node(15, {}), ...theirs(hold(2, 15), 'validator-9') },
    steps: 15,
  },
];
