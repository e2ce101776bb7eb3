// The settings of the rules: name, default, unit, meaning. In addition, every alert has a setting `…For`.
//
// Rules contain a setting as a text or as a number of seconds, and nothing is computed from it. So the same table can make a file that has
// template expressions instead of values.

import { release, repository } from '../names.ts';

export type ThresholdKind = 'number' | 'ratio' | 'seconds' | 'duration' | 'labels' | 'matchers' | 'regex' | 'url' | 'counts';

interface Threshold {
  readonly value: string;
  readonly kind: ThresholdKind;
  /** One sentence. */
  readonly help: string;
}

/** Labels that identify a target by default. A missing label counts as empty: only alerts on sidecars have a pod. */
export const identityLabels = ['cluster', 'namespace', 'pod', 'target'] as const;

/** The lists of labels by which queries in the texts of alerts select series. */
export const queriedLabels = ['identity', 'fleet'] as const;

const rows = {
  selector: { value: '', kind: 'matchers', help: 'Label matchers of every series of the exporter, such as `job="snowgauge"`.' },
  identity: {
    value: identityLabels.join(', '),
    kind: 'labels',
    help: 'Labels that identify a target. Alerts have these labels and those of their scope. Add labels of your targets to route by them.',
  },
  fleet: {
    value: 'cluster, namespace',
    kind: 'labels',
    help: 'Labels that identify a fleet: nodes with equal values are compared with each other. A part of `identity`.',
  },
  exporter: {
    value: 'cluster, namespace, job, instance',
    kind: 'labels',
    help: 'Labels that identify an exporter, in addition to its pod. Other labels of a scrape are dropped, such as `endpoint`, `service`, `container` and `prometheus_replica`.',
  },
  sidecarUrls: {
    value: 'https?://(?:127[.]|localhost|[[]::1[]]).*',
    kind: 'regex',
    help: "URLs of nodes whose exporter is a sidecar: the exporter's pod is part of their identity.",
  },
  scrapeGap: {
    value: '7m',
    kind: 'duration',
    help: 'How long the last samples of an exporter remain valid while it cannot be scraped: two failed scrapes at an interval of 2m.',
  },
  keepFiring: { value: '5m', kind: 'duration', help: 'How long an alert keeps firing after its condition ended.' },
  nodeChecks: {
    value: 'bls|database|diskspace|futureupgrade|network|router|shuttingDown|validation',
    kind: 'regex',
    help: 'Checks of the node as a whole; all others belong to the tag sets that select them.',
  },
  sharedTargets: {
    value: '3',
    kind: 'number',
    help: 'Minimum number of nodes that must fail together; in a fleet of two, both.',
  },
  sharedRatio: { value: '0.5', kind: 'ratio', help: 'Fraction of the fleet that must fail together.' },
  expectedTargets: { value: '0', kind: 'number', help: 'Minimum number of targets of each fleet; 0 is off.' },
  expectedJobs: {
    value: 'none=0',
    kind: 'counts',
    help: 'Minimum number of targets of each job, such as `validators=5, rpc=3`.',
  },
  expectedTagSets: {
    value: 'none=0',
    kind: 'counts',
    help: 'Minimum number of targets that have a tag set, such as `my-l1=5`.',
  },
  expectedStatefulSets: {
    value: '.+',
    kind: 'regex',
    help: 'Names of StatefulSets that must have a target in as many pods as kube-state-metrics reports, once one pod has a target. `-` is none.',
  },
  targetSeenWithin: { value: '1h', kind: 'duration', help: 'Window in which a missing target must have been watched.' },
  restartWindow: { value: '1h', kind: 'duration', help: 'Window in which restarts of a node or an exporter are counted.' },
  restarts: { value: '2', kind: 'number', help: 'Maximum number of restarts in that window.' },
  exporterSeenWithin: {
    value: '1d',
    kind: 'duration',
    help: 'Window in which a scrape target must have been a snowgauge exporter.',
  },
  failureWindow: { value: '10m', kind: 'duration', help: 'Window in which failed requests to a node are counted.' },
  clockSkew: { value: '10s', kind: 'seconds', help: 'Maximum clock skew between node and exporter.' },
  checkFailingAge: { value: '1h', kind: 'seconds', help: 'Maximum time a check may fail.' },
  flapWindow: {
    value: '1h',
    kind: 'duration',
    help: 'Window in which failures of a flapping check are counted, and in which nodes that failed together must recover.',
  },
  flaps: { value: '3', kind: 'number', help: 'Maximum number of times a check may start to fail in that window.' },
  readySeenWithin: {
    value: '1d',
    kind: 'duration',
    help: 'Window in which a node must have been ready before it lost its readiness.',
  },
  readyLostGap: {
    value: '5m',
    kind: 'duration',
    help: 'Longest time without responses or runs of the checks after which a lost readiness is the same one.',
  },
  bootstrapWindow: { value: '1d', kind: 'duration', help: 'Window in which a bootstrapping node must make progress.' },
  stakeLow: { value: '0.85', kind: 'ratio', help: 'Connected stake of a chain below which it is low.' },
  stakeThreshold: { value: '0.8', kind: 'ratio', help: 'Connected stake below which the node reports the chain as unhealthy.' },
  stakeTrendWindow: { value: '1h', kind: 'duration', help: 'Window for the slope of the connected stake.' },
  stakeAhead: { value: '1h', kind: 'seconds', help: 'How far ahead the connected stake is predicted.' },
  chainBehind: {
    value: '5m',
    kind: 'duration',
    help: 'How long ago another of your nodes must have had a higher height. At least twice the longest scrape interval.',
  },
  peersLow: { value: '4', kind: 'number', help: 'Minimum number of peers. For Mainnet or Fuji, use about 100.' },
  peersDropRatio: { value: '0.5', kind: 'ratio', help: "Minimum peers as a fraction of the node's own median." },
  peersWindow: { value: '1d', kind: 'duration', help: 'Window for that median.' },
  noMessagesAge: { value: '5m', kind: 'seconds', help: 'Maximum time without inbound messages.' },
  diskTrendWindow: { value: '6h', kind: 'duration', help: 'Window for the slope of the free disk space.' },
  diskTimeLeft: { value: '4d', kind: 'seconds', help: 'Minimum predicted time until the disk is full.' },
  diskRequired: { value: '0.03', kind: 'ratio', help: 'Free fraction of the disk below which the node shuts itself down.' },
  diskLow: { value: '0.1', kind: 'ratio', help: 'Minimum free fraction of the disk.' },
  diskLowBytes: {
    value: '5e10',
    kind: 'number',
    help: 'Minimum free bytes of the disk, used if the node does not report the fraction.',
  },
  upgradeSoon: {
    value: '7d',
    kind: 'seconds',
    help: 'Minimum time left until an upgrade that the node does not support.',
  },
  peersNewer: {
    value: '0.5',
    kind: 'ratio',
    help: 'Maximum fraction of peers with a newer version.',
  },
  nodeIdWindow: { value: '1h', kind: 'duration', help: 'Window in which the NodeIDs of a target are compared.' },
  rewardTrendWindow: {
    value: '3d',
    kind: 'duration',
    help: 'Window for the slope of the downtime left of a validator, and for its last value when the node is down.',
  },
  rewardTimeLeft: {
    value: '3d',
    kind: 'seconds',
    help: 'Minimum time until the downtime left of a validator is used up, at the current rate.',
  },
  stakingEndsSoon: { value: '7d', kind: 'seconds', help: 'Minimum time left until a staking period ends.' },
  uptimeWindow: {
    // One percent of a year, plus some hours.
    value: '4d',
    kind: 'duration',
    help: 'Window in which the uptime seen by the network is compared with the uptime seen by snowgauge. More than one percent of the longest staking period.',
  },
  uptimeSeenWorse: {
    value: '2h24m',
    kind: 'seconds',
    help: 'Maximum time in that window in which the network may have seen a node down that snowgauge saw up.',
  },
  balanceLow: { value: '14d', kind: 'seconds', help: 'Minimum time until the balance of an L1 validator is gone.' },
  balanceVeryLow: { value: '3d', kind: 'seconds', help: 'The same, below which the alert is critical.' },
  indexWindow: { value: '15m', kind: 'duration', help: 'Window in which an index must grow if its chain does.' },
  indexErrorWindow: { value: '1h', kind: 'duration', help: 'Window in which integrity errors of an index are counted.' },
  indexDrift: { value: '0', kind: 'number', help: 'Maximum number of blocks missing from an index.' },
  objective: { value: '0.99', kind: 'ratio', help: 'Fraction of the time in which each tag set should be ready.' },
  nodeMatch: {
    value: 'pod!=""',
    kind: 'matchers',
    help: "Label matchers of the exporter's series that are joined with the node's own series.",
  },
  nodeSelector: { value: 'pod!=""', kind: 'matchers', help: "Label matchers of the node's own series." },
  nodeJoin: {
    value: 'cluster, namespace, pod',
    kind: 'labels',
    help: "Labels on which the exporter's and the node's own series are joined.",
  },
  runbooks: {
    // A release links to its own version.
    value: `${repository}/blob/v${release}/docs/runbooks`,
    kind: 'url',
    help: 'URL prefix of the runbooks, for runbook_url.',
  },
  grafana: { value: '', kind: 'url', help: 'URL prefix of Grafana, for dashboard_url. Empty: no dashboard_url.' },
} as const satisfies Readonly<Record<string, Threshold>>;

export type ThresholdName = keyof typeof rows;

export const thresholds: Readonly<Record<ThresholdName, Threshold>> = rows;
