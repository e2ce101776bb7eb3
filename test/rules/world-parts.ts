// Building blocks of the worlds: nodes in trouble and their exporters.

import {
  check,
  dip,
  grow,
  healthy,
  hold,
  info,
  inTurn,
  isOfNode,
  l1,
  losing,
  moreTagSets,
  ready,
  reason,
  type Series,
  scraped,
  scrapeLabels,
  since,
  tagSets,
  until,
  well,
  where,
} from './series.ts';

export const all = (...parts: readonly Series[]): Series => Object.assign({}, ...parts);

/** An exporter that is not a sidecar, in its own pod. */
export const fleetPod = (pod: string, instance: string) => ({ job: 'snowgauge', namespace: 'avalanche', pod, instance });

/** A node as an exporter of a fleet sees it. */
export const remote = (node: Series, name: string, steps: number, by: Readonly<Record<string, string>>): Series =>
  scraped({ ...node, ...info(`http://${name}:9650`, `NodeID-${name}`, hold(1, steps)) }, by, name);

/** Nothing is ready, and a subnet bootstraps, from the first step on. */
export const bootstrapping = (steps: number): Series => ({
  ...well(steps),
  ...healthy(hold(0, steps)),
  ...ready(hold(0, steps)),
  ...check('bootstrapped', hold(0, steps)),
  ...reason('bootstrapped', 'bootstrapping', hold(1, steps)),
  snowgauge_bootstrapping_subnets: hold(1, steps),
});

/** One more subnet, which bootstraps from a step on: only the tag set with all checks waits for it. */
export const tracksAnother = (steps: number, from: number): Series => ({
  ...healthy(dip(1, 0, steps, from), ['all']),
  ...ready(dip(1, 0, steps, from), ['all']),
  ...check('bootstrapped', dip(1, 0, steps, from)),
  ...reason('bootstrapped', 'bootstrapping', inTurn(hold('_', from), hold(1, steps - from))),
  snowgauge_bootstrapping_subnets: dip(0, 1, steps, from),
});

/** A chain whose check fails from a step on for reasons that readiness ignores; the reason alternates. */
export const failing = (
  name: string,
  why: readonly [string, string],
  steps: number,
  from: number,
  sets: readonly string[],
): Series => {
  const alternating = (first: boolean): string =>
    inTurn(
      hold('_', from),
      ...Array.from({ length: Math.ceil((steps - from) / 8) }, () => (first ? '1x3 stale _x3' : '_x4 1x3')).map((part, at) =>
        !first && at > 0 ? part.replace('_x4', 'stale _x3') : part,
      ),
    );
  return {
    ...healthy(dip(1, 0, steps, from), sets),
    ...check(name, dip(1, 0, steps, from)),
    ...(why[0] === why[1]
      ? reason(name, why[0], inTurn(hold('_', from), hold(1, steps - from)))
      : { ...reason(name, why[0], alternating(true)), ...reason(name, why[1], alternating(false)) }),
    ...since(name, inTurn(hold('_', from), hold(60 * from, steps - from))),
  };
};

export const stuck: readonly [string, string] = ['stake-disconnected', 'stake-disconnected'];

export const unready = (steps: number, from: number): Series => ready(dip(1, 0, steps, from));

/** A node in a poor state: 2 peers, 81 % of the stake, not ready. */
export const poor = (steps: number, from: number, seconds = 60): Series => ({
  ...well(steps, seconds),
  ...unready(steps, from),
  snowgauge_network_connected_peers: dip(200, 2, steps, from),
  'snowgauge_chain_connected_ratio{chain="P"}': dip(0.97, 0.81, steps, from),
});

/** Alternates between three minutes up and three minutes down. */
export const crashing = (steps: number): Series => {
  const loop = (up: string, down: string): string => Array.from({ length: steps / 6 }, () => `${up}x2 ${down}`).join(' ');
  return {
    ...well(steps),
    ...where(well(steps), isOfNode, loop('1', 'stale _x2')),
    // Far in the future, whatever the node does.
    ...where(well(steps), (name) => /_end_timestamp/.test(name), loop('10000000', 'stale _x2')),
    snowgauge_up: loop('1', '0x2'),
    ...ready(loop('0', '0x2')),
    snowgauge_health_frozen: loop('0', 'stale _x2'),
    snowgauge_clock_skew_seconds: loop('0', 'stale _x2'),
    snowgauge_network_connected_peers: loop('20', 'stale _x2'),
    snowgauge_bootstrapping_subnets: loop('1', 'stale _x2'),
    ...where(well(steps), (name) => /drift|state="(?!ok)|failing_checks/.test(name), loop('0', 'stale _x2')),
    ...healthy(loop('0', '0x2')),
    ...check('bootstrapped', loop('0', 'stale _x2')),
    ...reason('bootstrapped', 'bootstrapping', loop('1', 'stale _x2')),
    snowgauge_node_restarts_total: Array.from({ length: steps / 6 }, (_, at) => `${at}x5`).join(' '),
    'snowgauge_check_transitions_total{check="bootstrapped",to="failing"}': Array.from(
      { length: steps / 6 },
      (_, at) => `${at}x5`,
    ).join(' '),
  };
};

/** The database is closed: every chain fails, and no tag set is ready. */
export const closed = (steps: number, from: number): Series => {
  const sets = ['all', 'my-l1', 'a', 'b', 'c'];
  return {
    ...well(steps),
    ...moreTagSets(['a', 'b', 'c'], steps),
    ...healthy(dip(1, 0, steps, from), sets),
    ...unready(steps, from),
    ...ready(dip(1, 0, steps, from), sets),
    ...all(
      ...['database', 'P', 'C', l1, 'a', 'b', 'c'].map((name) => failing(name, ['database', 'database'], steps, from, sets)),
    ),
  };
};

/** All of my nodes fail P and lose peers and stake. */
export const cutOff = (steps: number, from: number): Series => ({
  ...well(steps),
  ...failing('P', stuck, steps, from, ['all']),
  snowgauge_network_connected_peers: dip(200, 40, steps, from),
  'snowgauge_chain_connected_ratio{chain="P"}': dip(0.97, 0.81, steps, from),
});

/** The same without inbound messages. */
export const silent = (steps: number, from: number): Series => ({
  ...cutOff(steps, from),
  ...failing('network', ['network', 'network'], steps, from, ['all']),
  snowgauge_network_last_message_received_timestamp_seconds: inTurn(grow(-1, 60, from), hold(60 * from - 1, steps - from)),
});

export const four = (node: Series): Series => all(...[0, 1, 2, 3].map((at) => scraped(node, at)));

/** A failing node of another operator. */
export const others = (steps: number): Series =>
  scraped(
    { ...well(steps), ...failing('P', stuck, steps, 10, ['all']), ...unready(steps, 10) },
    fleetPod('reference', '10.0.9.9:9652'),
    'other-operator',
    'reference="true"',
  );

/** The node's own count of failing checks, with a cluster label. */
export const own = (cluster: string, failed: number, steps: number): Series => ({
  [`avalanche_health_checks_failing{check="health",tag="all",job="node",cluster="${cluster}",namespace="avalanche",pod="validator-0",instance="10.0.0.1:9650"}`]:
    hold(failed, steps),
});

export const inCluster = (cluster: string) => ({ ...scrapeLabels(), cluster });

/** A node that does not answer: only the series that always exist. */
export const down = (steps: number, from: number, more: readonly string[] = []): Series => ({
  ...until(
    where({ ...well(steps), ...moreTagSets(more, steps) }, isOfNode, (values) => values),
    from,
  ),
  ...where(
    well(steps),
    (name) => !isOfNode(name),
    (values) => values,
  ),
  snowgauge_up: dip(1, 0, steps, from),
  ...unready(steps, from),
  ...ready(dip(1, 0, steps, from), more),
});

export const maintained = (from: number, minutes: number, steps: number): Series => ({
  snowgauge_target_maintenance_end_timestamp_seconds: inTurn(
    hold('_', from),
    hold(60 * (from + minutes), minutes),
    ...(steps > from + minutes ? ['stale'] : []),
  ),
});

/** A node with a known or unknown network and a chain that stalls from a step on. */
export const inNetwork = (network: string, steps: number, slow?: { readonly chain: string; readonly from: number }): Series => ({
  ...well(steps),
  ...info('http://127.0.0.1:9650', '', hold(1, steps), network),
  ...(slow && {
    [`snowgauge_chain_last_accepted_height{chain="${slow.chain}"}`]: inTurn(
      grow(1000, 20, slow.from),
      hold(1000 + 20 * slow.from, steps - slow.from),
    ),
  }),
});

/** One pod per node. */
export const pods = (...nodes: readonly Series[]): Series => all(...nodes.map((node, at) => scraped(node, at)));

/** Reports healthy and from a step on no checks, so the conditions are Unknown. */
export const withoutChecks = (steps: number, from: number): Series => {
  const kept = Object.entries(well(steps)).filter(
    ([name]) => !/^snowgauge_(?:check|tag_set_check|chain|network|disk|bootstrapping|health_frozen)/.test(name),
  );
  const before = Object.entries(well(steps)).filter(([name]) => kept.every(([other]) => other !== name));
  const known = dip(1, 0, steps, from);
  const conditions = ['Healthy', 'Ready'].flatMap((name) =>
    tagSets.flatMap((tagSet) =>
      [known, hold(0, steps), dip(0, 1, steps, from)].map((values, at): readonly [string, string] => [
        `snowgauge_target_condition{condition="${name}",tag_set="${tagSet}",status="${['true', 'false', 'unknown'][at]}"}`,
        values,
      ]),
    ),
  );
  return { ...Object.fromEntries([...kept, ...conditions]), ...(from > 0 && until(Object.fromEntries(before), from)) };
};

const isOfExporter = (name: string): boolean =>
  /^(?:up|process_|snowgauge_(?:build_info|config_|discovery_|event_history_|overloaded|requests_shed_|target_info))/.test(name);

/** Its exporter was restarted, and at this step has not polled it yet. */
export const unpolledAt = (node: Series, step: number): Series => ({
  ...losing(
    where(
      node,
      (name) => !isOfExporter(name),
      (values) => values,
    ),
    (at) => at === step,
  ),
  ...where(node, isOfExporter, (values) => values),
});
