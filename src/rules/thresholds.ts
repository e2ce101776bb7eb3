// What may be set of the rules: name, default, unit, meaning. Beside these every alert has its own `…For`.
//
// A setting is put into the rules as it is written, and nothing here computes with it: so the same table makes a file with a
// template's expressions in place of the values.

export type Kind = 'number' | 'ratio' | 'seconds' | 'duration' | 'labels' | 'matchers' | 'regex' | 'url';

export interface Threshold {
  readonly value: string;
  readonly kind: Kind;
  /** One sentence. */
  readonly help: string;
}

const rows = {
  selector: { value: '', kind: 'matchers', help: 'Label matchers of every series of the exporter, such as `job="snowgauge"`.' },
  fleet: {
    value: 'cluster, namespace, job',
    kind: 'labels',
    help: 'Labels that tell networks apart: nodes that agree in them are compared with each other.',
  },
  sharedReasons: {
    value: 'block-processing|stake-disconnected',
    kind: 'regex',
    help: 'Reasons of failure that a whole network can share.',
  },
  sharedTargets: { value: '3', kind: 'number', help: 'How many nodes must see the same for it to be an event of the network.' },
  sharedRatio: { value: '0.5', kind: 'ratio', help: 'And which fraction of those that have the check.' },
  exporterSeenWithin: {
    value: '1d',
    kind: 'duration',
    help: 'For how long a scrape target that once was a snowgauge counts as one.',
  },
  failureWindow: { value: '10m', kind: 'duration', help: 'In which failed requests to a node are counted.' },
  clockSkew: { value: '10', kind: 'seconds', help: "How far the node's clock may be from the exporter's." },
  checkFailingAge: { value: '3600', kind: 'seconds', help: 'For how long a check may fail.' },
  flapWindow: { value: '1h', kind: 'duration', help: 'In which flapping is counted.' },
  flaps: { value: '3', kind: 'number', help: 'How often a check may begin to fail in that window.' },
  readySeenWithin: { value: '1d', kind: 'duration', help: 'For how long a node that once was ready is missed.' },
  bootstrapWindow: { value: '1d', kind: 'duration', help: 'In which a bootstrapping node must get somewhere.' },
  stakeLow: { value: '0.85', kind: 'ratio', help: "Connected stake of a chain's validators that is low." },
  stakeThreshold: { value: '0.8', kind: 'ratio', help: 'Connected stake below which the node itself calls the chain unhealthy.' },
  stakeTrendWindow: { value: '1h', kind: 'duration', help: 'From which the slope of the connected stake is taken.' },
  stakeAhead: { value: '3600', kind: 'seconds', help: 'How far ahead that slope is followed.' },
  peersLow: { value: '4', kind: 'number', help: 'Peers that a node must have. On Mainnet or Fuji, 100 is no exaggeration.' },
  peersDropRatio: { value: '0.5', kind: 'ratio', help: 'Minimum peers as a fraction of its own median.' },
  peersWindow: { value: '1d', kind: 'duration', help: 'From which that median is taken.' },
  silenceAge: { value: '300', kind: 'seconds', help: 'For how long no message may come in.' },
  diskTrendWindow: { value: '6h', kind: 'duration', help: 'From which the slope of the free space is taken.' },
  diskTimeLeft: { value: '345600', kind: 'seconds', help: 'Time left until the disk is full: 4 days.' },
  diskRequired: { value: '0.03', kind: 'ratio', help: 'Free part of the disk below which the node shuts itself down.' },
  diskLow: { value: '0.1', kind: 'ratio', help: 'Free part of the disk that is low.' },
  diskLowBytes: { value: '5e10', kind: 'number', help: 'Free bytes that are low, where the node does not say the part.' },
  upgradeSoon: { value: '604800', kind: 'seconds', help: 'Time left until an upgrade that this node does not know: 7 days.' },
  indexWindow: { value: '15m', kind: 'duration', help: 'In which an index must follow its chain.' },
  gapWindow: { value: '1h', kind: 'duration', help: 'In which integrity errors of an index are counted.' },
  indexDrift: { value: '0', kind: 'number', help: 'How many blocks may be missing in an index.' },
  nodeMatch: {
    value: 'pod!=""',
    kind: 'matchers',
    help: "Label matchers of the exporter's series that have a node's own beside them.",
  },
  nodeSelector: { value: 'pod!=""', kind: 'matchers', help: "Label matchers of the node's own series." },
  nodeJoin: { value: 'namespace, pod', kind: 'labels', help: "Labels that the exporter's and the node's own series share." },
  runbooks: { value: 'docs/runbooks', kind: 'url', help: 'Where the runbooks are: the beginning of runbook_url.' },
  grafana: { value: '', kind: 'url', help: 'Where Grafana is: the beginning of dashboard_url.' },
} as const satisfies Readonly<Record<string, Threshold>>;

export type ThresholdName = keyof typeof rows;

export const thresholds: Readonly<Record<ThresholdName, Threshold>> = rows;
