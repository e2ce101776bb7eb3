// Value mappings and colours shared by several dashboards.

import { defaults } from '../src/rules/settings.ts';
import type { ThresholdName } from '../src/rules/thresholds.ts';
import type { Column, Steps, Words } from './board.ts';

export const healthy: Words = { '0': ['unhealthy', 'red'], '1': ['healthy', 'green'] };
export const passing: Words = { '0': ['failing', 'red'], '1': ['passing', 'green'] };
export const ready: Words = { '0': ['not ready', 'red'], '1': ['ready', 'green'], '2': ['unknown', 'text'] };
export const live: Words = { '0': ['no', 'red'], '1': ['yes', 'green'], '2': ['unknown', 'text'] };
export const answers: Words = { '0': ['no response', 'red'], '1': ['responds', 'green'] };
export const yes: Words = { '0': ['no', 'red'], '1': ['yes', 'green'] };
export const runs: Words = { '0': ['running', 'green'], '1': ['FROZEN', 'red'] };

/** The ranks of `worst`. */
export const ranks: Words = {
  '0': ['healthy', 'green'],
  '1': ['index in doubt', 'yellow'],
  '2': ['bootstrapping', 'blue'],
  '3': ['unhealthy', 'orange'],
  '4': ['not ready', 'red'],
  '5': ['FROZEN', 'purple'],
  '6': ['no response', 'red'],
};

/** The states of `rewardOf`. */
export const rewards: Words = {
  '0': ['on track', 'green'],
  '1': ['unknown', 'text'],
  '2': ['at risk', 'orange'],
  '3': ['lost', 'red'],
  '4': ['NOT A VALIDATOR', 'red'],
};

/** Zero is good, one or more is bad. */
export const none: Steps = [
  [null, 'green'],
  [1, 'red'],
];
export const noneIsBest: Steps = [
  [null, 'green'],
  [1, 'orange'],
];
export const plain: Steps = [[null, 'text']];

const value = (name: ThresholdName): number => Number(defaults[name]);

/** The default thresholds of the alerts. */
export const stake: Steps = [
  [null, 'red'],
  [value('stakeThreshold'), 'orange'],
  [value('stakeLow'), 'green'],
];
export const diskFree: Steps = [
  [null, 'red'],
  [value('diskLow'), 'orange'],
  [2 * value('diskLow'), 'green'],
];
export const peers: Steps = [
  [null, 'red'],
  [value('peersLow'), 'green'],
];
export const failingFor: Steps = [
  [null, 'yellow'],
  [600, 'orange'],
  [value('checkFailingAge'), 'red'],
];
export const diskTime: Steps = [
  [null, 'red'],
  [value('diskTimeLeft'), 'green'],
];
export const silence: Steps = [
  [null, 'green'],
  [60, 'orange'],
  [value('noMessagesAge'), 'red'],
];
/** The ranks of `firingAlerts`. */
export const severity: Words = { '1': ['info', 'blue'], '2': ['warning', 'orange'], '3': ['critical', 'red'] };

const to = (uid: string, ...labels: readonly string[]): string =>
  `/d/${uid}?\${__url_time_range}&var-datasource=\${datasource}${labels.map((label) => `&var-${label}=\${__data.fields.${label}}`).join('')}`;

export const nodeColumn: Column = {
  of: 'target',
  name: 'target',
  link: { title: 'This node', url: to('snowgauge-node', 'cluster', 'namespace', 'pod', 'target') },
};
export const tagSetColumn: Column = {
  of: 'tag_set',
  name: 'tag_set',
  link: { title: 'This subnet', url: to('snowgauge-subnet', 'cluster', 'namespace', 'tag_set') },
};
export const validatorLink = {
  title: 'This validator',
  url: to('snowgauge-validator', 'cluster', 'namespace', 'pod', 'target'),
} as const;
export const whereColumns: readonly Column[] = [
  { of: 'cluster', name: 'cluster' },
  { of: 'namespace', name: 'namespace' },
  { of: 'pod', name: 'pod' },
];
/** Links to the runbooks at the variable `runbooks`. */
export const alertColumn: Column = {
  of: 'alertname',
  name: 'alertname',
  link: { title: 'Runbook', url: `\${runbooks}/\${__value.text}.md` },
};
