// pageWatch reports every series that is missing in one of three scrapes, unless a fault of the node explains it.

import { expect, test } from 'vitest';
import type { Expected } from './holes.ts';
import { type Fault, modelNode } from './model-node.ts';
import { pageWatch } from './page-watch.ts';

const interval = 30;
const node = modelNode(0, { interval, renamedEvery: 1e9, subnetEvery: 1e9 });
const target = 'target="a"';

/** A time before which the node had only these faults, for as long as any excuse looks back. */
const timeWith = (...wanted: readonly Fault[]): number => {
  for (let at = 100_000; ; at += interval) {
    const lately = node.faultsFrom(at - 2 * interval, at);
    const before = node.faultsFrom(at - 400, at);
    if (before.size === wanted.length && wanted.every((kind) => lately.has(kind))) return at;
  }
};
const calm = timeWith();

/** A page of one target with the families that every target has, and a few others. */
const pageAt = (at: number, up = 1): string => {
  const families = {
    up: { type: 'gauge', samples: [`{${target}} ${up}`] },
    last_report_timestamp_seconds: { type: 'gauge', samples: [`{${target}} ${at}`] },
    target_info: { type: 'gauge', samples: [`{${target},node_id="NodeID-1"} 1`] },
    target_condition: { type: 'gauge', samples: [`{${target},status="true"} 1`, `{${target},status="false"} 0`] },
    polls_total: { type: 'counter', samples: [`{${target},outcome="ok"} 7`, `{${target},outcome="timeout"} 0`] },
    poll_duration_seconds: {
      type: 'histogram',
      samples: [`_bucket{${target},le="1"} 7`, `_bucket{${target},le="+Inf"} 7`, `_sum{${target}} 0.5`, `_count{${target}} 7`],
    },
    node_restarts_total: { type: 'counter', samples: [`{${target}} 0`] },
    check_healthy: { type: 'gauge', samples: node.namesAt(at).map((check) => `{${target},check="${check}"} 1`) },
    check_failure_reason: { type: 'gauge', samples: [`{${target},check="P",reason="other"} 1`] },
    health_frozen: { type: 'gauge', samples: [`{${target}} 0`] },
    health_run_mark_timestamp_seconds: { type: 'gauge', samples: [`{${target}} 1`] },
    network_connected_peers: { type: 'gauge', samples: [`{${target}} 23`] },
    build_info: { type: 'gauge', samples: ['{version="test"} 1'] },
  };
  const texts = Object.entries(families).map(([name, { type, samples }]) =>
    [
      `# HELP snowgauge_${name} What it is.`,
      `# TYPE snowgauge_${name} ${type}`,
      ...samples.map((one) => `snowgauge_${name}${one}`),
    ].join('\n'),
  );
  return `${texts.join('\n')}\n# HELP nodejs_active_requests Requests.\n# TYPE nodejs_active_requests gauge\nnodejs_active_requests{type="FSReqCallback"} 1\n`;
};

const silent = (): void => undefined;

/** The reported faults for three scrapes, of which the second is changed. */
const toldOf = (at: number, change: (page: string) => string, up = 1): readonly string[] => {
  const watch = pageWatch(silent);
  const expected: Expected = { name: 'a', node, interval, staleAfter: 3, since: 0 };
  for (const page of [pageAt(at), change(pageAt(at, up)), pageAt(at)]) watch.scraped(page, at, [expected]);
  return watch.faults.map((text) => text.slice(text.indexOf('Z: ') + 3));
};

const without =
  (...parts: readonly string[]) =>
  (page: string): string =>
    page
      .split('\n')
      .filter((line) => !parts.some((part) => line.includes(part)))
      .join('\n');
const replaced = (from: string, to: string) => (page: string) => {
  expect(page).toContain(from);
  return page.replace(from, to);
};

const peers = `snowgauge_network_connected_peers{${target}}`;
const gone = 'snowgauge_network_connected_peers is no longer on the page';
const help = '# HELP snowgauge_network_connected_peers What it is.';

test('three equal pages have no fault', () => {
  expect(toldOf(calm, (page) => page)).toEqual([]);
});

test('a gauge may be missing from one second before its report becomes stale', () => {
  const reported = (age: number) => (page: string) =>
    without('network_connected_peers{')(
      replaced(
        `last_report_timestamp_seconds{${target}} ${calm}`,
        `last_report_timestamp_seconds{${target}} ${calm - age}`,
      )(page),
    );
  const missing = `${peers} is missing in one scrape`;
  expect(toldOf(calm, reported(3 * interval - 0.5))).not.toContain(missing);
  expect(toldOf(calm, reported(3 * interval - 2))).toContain(missing);
});

test.each([
  {
    hole: 'a missing series of several',
    change: without(`{${target},outcome="timeout"}`),
    told: [`snowgauge_polls_total{${target},outcome="timeout"} is missing in one scrape`],
  },
  {
    hole: 'a missing bucket',
    change: without('le="1"'),
    told: [`snowgauge_poll_duration_seconds_bucket{${target},le="1"} is missing in one scrape`],
  },
  {
    hole: 'a changed label value',
    change: replaced('NodeID-1', 'NodeID-2'),
    told: [`snowgauge_target_info{${target},node_id="NodeID-1"} is missing in one scrape`],
  },
  {
    hole: 'a family without its samples',
    change: without(peers),
    told: ['snowgauge_network_connected_peers has no samples', `${peers} is missing in one scrape`],
  },
  {
    hole: 'a missing family',
    change: without('network_connected_peers'),
    told: [gone, `${peers} is missing in one scrape`],
  },
  {
    hole: 'a missing family of the exporter',
    change: without('build_info'),
    told: ['snowgauge_build_info is no longer on the page', /^snowgauge_build_info.* is missing/],
  },
  {
    hole: 'a missing HELP line',
    change: without(help),
    told: [
      'snowgauge_network_connected_peers has no HELP',
      `snowgauge_network_connected_peers was declared as "${help}, gauge", and is as ", gauge"`,
    ],
  },
  {
    hole: 'a missing TYPE line',
    change: without('# TYPE snowgauge_network_connected_peers'),
    told: [`${peers} has no TYPE`, gone, `${peers} is missing in one scrape`],
  },
  {
    hole: 'missing HELP and TYPE lines',
    change: without(help, '# TYPE snowgauge_network_connected_peers'),
    told: [`${peers} has no TYPE`, gone, `${peers} is missing in one scrape`],
  },
  {
    hole: 'a changed type',
    change: replaced('_connected_peers gauge', '_connected_peers counter'),
    told: [`snowgauge_network_connected_peers was declared as "${help}, gauge", and is as "${help}, counter"`],
  },
  { hole: 'a changed HELP text', change: replaced(help, `${help}.`), told: [/was declared as/] },
  {
    hole: 'a missing value',
    change: replaced(`${peers} 23`, `${peers} `),
    told: [`${peers}  has no number`, /no samples/, /is missing in one scrape/],
  },
  {
    hole: 'a missing value without a space',
    change: replaced(`${peers} 23`, peers),
    told: [`${peers} has no number`, /no samples/, /is missing in one scrape/],
  },
  {
    hole: 'NaN',
    change: replaced(`${peers} 23`, `${peers} NaN`),
    told: [`${peers} NaN has no number`, /no samples/, /is missing in one scrape/],
  },
  {
    hole: 'a missing check of the report',
    change: without('_healthy{target="a",check="X"}'),
    told: [/^a shows the checks/, /check="X"} is missing/],
  },
  { hole: 'a decreased counter', change: replaced('outcome="ok"} 7', 'outcome="ok"} 6'), told: [/went back from 7 to 6/] },
])('reports $hole', ({ change, told }) => {
  expect(toldOf(calm, change)).toEqual(told.map((one) => (typeof one === 'string' ? one : expect.stringMatching(one))));
});

test.each([
  { family: 'snowgauge_health_frozen', excusing: 'status', not: 'failing' },
  { family: 'snowgauge_health_run_mark_timestamp_seconds', excusing: 'frozen', not: 'failing' },
  { family: 'snowgauge_target_info', excusing: 'other-node', not: 'down' },
  { family: 'snowgauge_check_failure_reason', excusing: 'flapping', not: 'down' },
] as const)(
  '$family may be missing after the fault $excusing, not after the fault $not or without a fault',
  ({ family, excusing, not }) => {
    const change = without(`${family}{`, `${family} `);
    const holes = (at: number) => toldOf(at, change).filter((text) => text.includes('is missing in one scrape'));
    expect(holes(timeWith(excusing))).toEqual([]);
    expect(holes(timeWith(not))).toHaveLength(1);
    expect(holes(calm)).toHaveLength(1);
  },
);

test('a target with snowgauge_up 0 may lack gauges, but no counters', () => {
  const at = timeWith('silent');
  expect(toldOf(at, without(peers), 0)).toEqual(['snowgauge_network_connected_peers has no samples']);
  expect(toldOf(at, without('outcome="timeout"'), 0)).toEqual([expect.stringMatching(/outcome="timeout"} is missing/)]);
});

test('current counts of Node.js may be missing with their whole family', () => {
  expect(toldOf(calm, without('nodejs_active_requests'))).toEqual([]);
});

test('forget and forgetAll reset the history, so earlier series may be missing', () => {
  const watch = pageWatch(silent);
  const expected: Expected = { name: 'a', node, interval, staleAfter: 3, since: 0 };
  const missing = without('outcome="timeout"');
  for (const forget of [() => watch.forget('a'), watch.forgetAll]) {
    watch.scraped(pageAt(calm), calm, [expected]);
    forget();
    watch.scraped(missing(pageAt(calm)), calm, [expected]);
    watch.scraped(pageAt(calm), calm, [expected]);
  }
  expect(watch.faults).toEqual([]);
});
