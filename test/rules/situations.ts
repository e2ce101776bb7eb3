// Situations in which no alert may fire.

import type { Situation } from './case.ts';
import {
  check,
  ended,
  grow,
  healthy,
  hold,
  info,
  inTurn,
  isOfNode,
  l1,
  perTagSet,
  ready,
  reason,
  type Series,
  scraped,
  scrapeLabels,
  since,
  until,
  well,
  where,
} from './series.ts';

const fleet = (nodes: readonly Series[]): Series => Object.assign({}, ...nodes.map((node, at) => scraped(node, at)));

/** The node's own count of failing checks; the optional group compares it with ours. */
const own = (values: string, at = 0): Series => {
  const { namespace, pod, instance } = scrapeLabels(at);
  const labels = { check: 'health', tag: 'all', job: 'avalanchego', namespace, pod, instance: instance?.replace('9652', '9650') };
  const text = Object.entries(labels).map(([name, value]) => `${name}="${value}"`);
  return { [`avalanche_health_checks_failing{${text.join(',')}}`]: values };
};

const isHeight = (name: string): boolean => /last_accepted_height/.test(name);

/** Down for 4 minutes from `from`, then 5 minutes of catching up with few peers. */
const restarted = (steps: number, from: number): Series => {
  const after = steps - from - 9;
  const gone = where(well(steps), isOfNode, inTurn(hold(1, from), hold('_', 4), hold(1, 5 + after)));
  const of = (before: number, meanwhile: number, later: number): string =>
    inTurn(hold(before, from), hold('_', 4), hold(meanwhile, 5), hold(later, after));
  return {
    ...well(steps),
    ...gone,
    // Far in the future, whatever the node does.
    ...where(well(steps), (name) => /_end_timestamp/.test(name), inTurn(hold(1e7, from), hold('_', 4), hold(1e7, 5 + after))),
    snowgauge_up: inTurn(hold(1, from + 2), hold(0, 2), hold(1, 5 + after)),
    ...ready(inTurn(hold(1, from), hold(0, 9), hold(1, after))),
    snowgauge_health_frozen: inTurn(hold(0, from), hold('_', 5), hold(0, 4 + after)),
    snowgauge_clock_skew_seconds: of(0.1, 0.2, 0.1),
    ...healthy(of(1, 0, 1)),
    ...check('bootstrapped', of(1, 0, 1)),
    ...reason('bootstrapped', 'bootstrapping', inTurn(hold('_', from + 4), hold(1, 5), ended('_'))),
    ...reason('P', 'not-yet-run', inTurn(hold('_', from + 4), ended('1'))),
    ...reason('futureupgrade', 'no-validators', inTurn(hold('_', from + 4), hold(1, 3), ended('_'))),
    snowgauge_bootstrapping_subnets: of(0, 1, 0),
    snowgauge_network_connected_peers: inTurn(hold(200, from), hold('_', 4), grow(1, 39, 5), hold(200, after)),
    ...where(
      well(steps),
      (name) => name.startsWith('snowgauge_check_last_run'),
      inTurn(grow(0, 60, from), hold('_', 4), grow(60 * from + 240, 60, 5 + after)),
    ),
    snowgauge_network_last_message_received_timestamp_seconds: inTurn(
      grow(-1, 60, from),
      hold('_', 4),
      grow(60 * from + 239, 60, 5 + after),
    ),
    snowgauge_disk_available_bytes: of(6e11, 5.9e11, 5.9e11),
    snowgauge_disk_available_ratio: of(0.6, 0.59, 0.59),
    ...where(
      well(steps),
      (name) => /transitions_total.*check="(?:bootstrapped|P)",to="failing"/.test(name),
      inTurn(hold(0, from + 4), hold(1, 5 + after)),
    ),
    ...where(
      well(steps),
      (name) => isHeight(name) && name.startsWith('snowgauge_chain'),
      inTurn(grow(1000, 20, from), hold('_', 9), grow(1000 + 20 * (from + 9), 20, after)),
    ),
    ...where(
      well(steps),
      (name) => isHeight(name) && name.startsWith('snowgauge_index_last'),
      inTurn(grow(999, 20, from), hold('_', 4), grow(999 + 20 * (from + 4), 20, 5 + after)),
    ),
    ...where(
      well(steps),
      (name) => name.startsWith('snowgauge_chain_connected_ratio'),
      inTurn(hold(0.97, from), hold('_', 4), hold(0.3, 5), hold(0.97, after)),
    ),
    ...where(
      well(steps),
      (name) => name.startsWith('snowgauge_index_height_drift'),
      inTurn(hold(0, from), hold('_', 9), hold(0, after)),
    ),
    ...where(well(steps), (name) => /state="(?!ok)/.test(name), inTurn(hold(0, from), hold('_', 4), hold(0, 5 + after))),
    ...where(
      well(steps),
      (name) => name.startsWith('snowgauge_index_state') && name.includes('error'),
      inTurn(hold(0, from), hold(1, 2), hold('_', 2), hold(0, 5 + after)),
    ),
    ...where(
      well(steps),
      (name) => name === 'snowgauge_index_state{index="C/block",state="off"}',
      inTurn(hold(0, from), hold('_', 4), hold(1, 3), hold(0, 2 + after)),
    ),
  };
};

const ownWhenRestarted = (steps: number, from: number): string =>
  inTurn(hold(0, from), hold('_', 4), hold(1, 5), hold(0, steps - from - 9));

/** Steps of 10 minutes: P bootstraps for 20 hours, then the rest and normal operation for 20 more. */
const bootstrapping = (steps: number): Series => {
  const half = steps / 2;
  const rest = half - 24;
  const phases = (p: number, other: number, done: number): string => inTurn(hold(p, half), hold(other, rest), hold(done, 24));
  const notBefore = (name: string): boolean => /"C"|C\/block/.test(name) || name.includes(l1);
  const all = well(steps, 600);
  const late = (values: string): string => inTurn(hold('_', half), values);
  return {
    ...all,
    ...healthy(phases(0, 0, 1)),
    ...ready(phases(0, 0, 1)),
    ...check('bootstrapped', phases(0, 0, 1)),
    ...reason('bootstrapped', 'bootstrapping', inTurn(hold(1, half + rest), 'stale')),
    ...reason('futureupgrade', 'no-validators', inTurn(hold(1, half), 'stale')),
    snowgauge_bootstrapping_subnets: phases(2, 2, 0),
    ...since('bootstrapped', inTurn(hold(30, half + rest), 'stale')),
    snowgauge_network_connected_peers: inTurn('0 3', hold(150, steps - 2)),
    snowgauge_disk_available_bytes: inTurn(grow(2e12, -6e9, half + rest), hold(2e12 - 6e9 * (half + rest), 24)),
    snowgauge_disk_available_ratio: hold(0.5, steps),
    ...where(all, (name) => name.startsWith('snowgauge_chain_connected_ratio'), inTurn(hold(0.2, half), hold(0.9, rest + 24))),
    ...where(
      all,
      (name) => /^snowgauge_chain_last_accepted_height.*"P"/.test(name),
      inTurn(hold('_', half), grow(20_000_000, 200, rest + 24)),
    ),
    ...where(
      all,
      (name) => /^snowgauge_index_last_accepted_height.*P/.test(name),
      inTurn(grow(1, 160_000, half), grow(20_000_000, 200, rest + 24)),
    ),
    ...where(all, (name) => /^snowgauge_index_height_drift/.test(name), inTurn(hold('_', steps - 24), hold(0, 24))),
    ...where(
      all,
      (name) => /^snowgauge_(?:check_(?:healthy|last_run)|tag_set_check).*(?:"C"|2bRC)/.test(name),
      late(hold(1, half)),
    ),
    ...where(all, (name) => isHeight(name) && notBefore(name), inTurn(hold('_', half + rest), grow(1000, 100, 24))),
    ...where(all, (name) => /^snowgauge_chain_connected.*(?:"C"|2bRC)/.test(name), late(hold(0.9, half))),
    'snowgauge_index_state{index="C/block",state="off"}': inTurn(hold(1, half), hold(0, half)),
    'snowgauge_index_state{index="C/block",state="ok"}': inTurn(hold(0, half), hold(1, half)),
    [`snowgauge_tag_known{tag_set="my-l1",tag="${l1}"}`]: inTurn(hold(0, half), hold(1, half)),
  };
};

/** The old exporter stops, and a new one at another address starts 2 minutes later without state. */
const deployed = (steps: number): Series => {
  const url = info('http://node:9650', 'NodeID-a', hold(1, steps));
  const before = { ...well(steps), ...url };
  const old = where(before, () => true, inTurn(hold(1, 20), 'stale'));
  const fresh = (values: string): string => inTurn(hold('_', 22), values);
  const later = { ...well(steps - 22), ...info('http://node:9650', 'NodeID-a', hold(1, steps - 22)) };
  return {
    ...scraped({
      ...old,
      ...where(
        before,
        (name) =>
          /transitions|integrity|frozen|state="(?!ok)|status="(?!true)|failing_checks|dropped|overloaded|drift|bootstrapping/.test(
            name,
          ),
        inTurn(hold(0, 20), 'stale'),
      ),
      ...where(before, (name) => isHeight(name) || /(?<!_end)_timestamp/.test(name), inTurn(grow(0, 60, 20), 'stale')),
      ...where(before, (name) => /_end_timestamp/.test(name), inTurn(hold(1e7, 20), 'stale')),
      up: inTurn(hold(1, 20), hold(0, 1), 'stale'),
      snowgauge_disk_available_bytes: inTurn(hold(6e11, 20), 'stale'),
      snowgauge_network_connected_peers: inTurn(hold(200, 20), 'stale'),
    }),
    ...scraped(
      {
        ...where(later, () => true, fresh),
        ...where(
          later,
          (name) => /(?<!_end)_timestamp|height\{/.test(name) && !name.includes('drift'),
          () => fresh(grow(1320, 60, steps - 22)),
        ),
        ...ready(fresh(inTurn(hold(0, 1), hold(1, steps - 23)))),
        snowgauge_health_frozen: inTurn(hold('_', 24), hold(0, steps - 24)),
        snowgauge_up: fresh(inTurn(hold(0, 1), hold(1, steps - 23))),
        'snowgauge_build_info{version="0.2.0"}': fresh(hold(1, steps - 22)),
      },
      4,
    ),
  };
};

/** From minute 10 to 50 blocks are processed too slowly and stake drops on every node. */
const networkWide = (steps: number): Series => {
  const meanwhile = (before: number, then_: number): string =>
    inTurn(hold(before, 10), hold(then_, 40), hold(before, steps - 50));
  const failing = inTurn(hold('_', 10), hold(1, 40), 'stale');
  return {
    ...well(steps),
    ...healthy(meanwhile(1, 0)),
    ...Object.assign(
      {},
      ...['P', 'C', l1].flatMap((chain): readonly Series[] => [
        check(chain, meanwhile(1, 0)),
        reason(chain, chain === 'C' ? 'block-processing' : 'stake-disconnected', failing),
      ]),
    ),
    ...where(well(steps), (name) => name.startsWith('snowgauge_chain_connected_ratio'), meanwhile(0.97, 0.6)),
    ...where(well(steps), isHeight, inTurn(grow(1000, 20, 10), hold(1200, 40), grow(1200, 20, steps - 50))),
    ...where(
      well(steps),
      (name) => /transitions_total.*check="(?:P|C)",to="failing"/.test(name),
      inTurn(hold(0, 10), grow(1, 1, 8), hold(8, steps - 18)),
    ),
    snowgauge_network_connected_peers: meanwhile(200, 60),
  };
};

/** Checks fail for several reasons in one and in both tag sets, so that every join of the rules has both sides. */
const troubled = (steps: number): Series => {
  const failing = hold(1, steps);
  return {
    ...well(steps),
    ...healthy(hold(0, steps)),
    ...perTagSet('snowgauge_tag_set_failing_checks', hold(3, steps)),
    ...ready(hold(0, steps)),
    ...Object.assign(
      {},
      ...[
        ['C', 'block-processing'],
        ['P', 'stake-disconnected'],
        [l1, 'vm-dead'],
      ].flatMap(([name = '', why = '']): readonly Series[] => [
        check(name, hold(0, steps)),
        reason(name, why, failing),
        since(name, hold(-7200, steps)),
      ]),
    ),
    'snowgauge_polls_total{api="index",outcome="timeout"}': inTurn(hold('_', 3), grow(1, 1, steps - 3)),
  };
};

export const situations: readonly Situation[] = [
  {
    title: 'one of two nodes of one exporter is in trouble',
    series: { ...scraped(troubled(45), 0, 'troubled', 'site="fra",tier="one"'), ...scraped(well(45)) },
    steps: 45,
    fires: { 'CheckFailing node': 1 },
  },
  {
    title: 'nothing happens',
    series: { ...fleet([well(45)]), ...own(hold(0, 45)) },
    steps: 45,
  },
  {
    title: 'the nodes restart one after the other',
    series: {
      ...fleet([restarted(50, 10), restarted(50, 20), restarted(50, 30)]),
      ...Object.assign({}, ...[10, 20, 30].map((from, at) => own(ownWhenRestarted(50, from), at))),
    },
    steps: 50,
  },
  {
    title: 'the chains are idle',
    series: { ...fleet([{ ...well(45), ...where(well(45), isHeight, hold(1000, 45)) }]), ...own(hold(0, 45)) },
    steps: 45,
  },
  {
    title: 'a node bootstraps for the first time',
    series: { ...fleet([bootstrapping(240)]), ...own(inTurn(hold(2, 216), hold(0, 24))) },
    steps: 240,
    seconds: 600,
  },
  {
    title: 'one poll is missed',
    // The previous report stays valid for 3 check intervals; it is only a minute old.
    series: {
      ...own(hold(0, 30)),
      ...fleet([
        {
          ...well(30),
          'snowgauge_polls_total{api="health",outcome="timeout"}': inTurn(hold('_', 10), hold(1, 20)),
          snowgauge_check_missed_runs_total: inTurn(hold(0, 11), hold(1, 19)),
          ...where(well(30), isHeight, inTurn(grow(1000, 20, 10), '1180', grow(1220, 20, 19))),
          ...where(
            well(30),
            (name) => name.startsWith('snowgauge_check_last_run'),
            inTurn(grow(0, 60, 10), '540', grow(660, 60, 19)),
          ),
          snowgauge_network_last_message_received_timestamp_seconds: inTurn(grow(-1, 60, 10), '539', grow(659, 60, 19)),
        },
      ]),
    },
    steps: 30,
  },
  {
    title: 'the exporter is redeployed',
    series: { ...deployed(60), ...own(hold(0, 60)), ...own(hold(0, 60), 4) },
    steps: 60,
  },
  {
    title: 'a target is removed from the configuration',
    series: {
      ...scraped(until(well(20), 20), 0, 'removed'),
      ...scraped(well(60)),
      ...own(hold(0, 60)),
    },
    steps: 60,
  },
  {
    title: 'the whole network stops accepting blocks',
    series: {
      ...fleet([networkWide(70), networkWide(70), networkWide(70)]),
      ...Object.assign({}, ...[0, 1, 2].map((at) => own(inTurn(hold(0, 10), hold(3, 40), hold(0, 20)), at))),
    },
    steps: 70,
    fires: { 'FleetFailing network': 1 },
    ends: {},
  },
];
