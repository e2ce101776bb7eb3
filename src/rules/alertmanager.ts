// The configuration of Alertmanager: receivers, grouping and inhibition.

import { Document, isScalar, visit } from 'yaml';
import { type InhibitRule, inhibitRules, ours } from './inhibition.ts';
import { labelsIn, type Settings } from './settings.ts';

/** The receivers of alerts. `nobody` is not in the list, because it has no configuration. */
const receiverNames = ['pager', 'chat', 'watchdog'] as const;
export type ReceiverName = (typeof receiverNames)[number];

/** The configuration of each receiver: `pagerduty_configs` and the like. */
export type Receivers = Readonly<Record<ReceiverName, Readonly<Record<string, readonly object[]>>>>;

interface GroupingTimes {
  /** group_wait: how long a new group waits for more alerts with the same cause. */
  readonly wait: string;
  /** group_interval: how long a notified group waits before it reports more alerts. */
  readonly interval: string;
}

const shippedTimes: GroupingTimes = { wait: '30s', interval: '5m' };

/** Groups are by cluster, not by namespace: a network switch may connect nodes of several namespaces. */
const clusterIn = (fleet: string): readonly string[] => labelsIn(fleet).filter((label) => label !== 'namespace');

/** One cause on many nodes is one group, so groups have no label of a node. The scope separates a lost node from a full disk. */
const routeOf = ({ wait, interval }: GroupingTimes, cluster: readonly string[]): object => ({
  receiver: 'nobody',
  routes: [
    {
      matchers: ['alertname="SnowgaugeWatchdog"'],
      receiver: 'watchdog',
      group_by: cluster,
      group_wait: '0s',
      group_interval: '1m',
      repeat_interval: '5m',
    },
    {
      matchers: [ours],
      receiver: 'chat',
      group_by: [...cluster, 'network', 'scope'],
      group_wait: wait,
      group_interval: interval,
      repeat_interval: '1d',
      routes: [
        { matchers: ['severity="critical"'], receiver: 'pager', repeat_interval: '4h' },
        { matchers: ['severity=~"info|none"'], receiver: 'nobody' },
      ],
    },
  ],
});

const first = '{{ (index .Alerts 0).Annotations.summary }}';

const secrets = '/etc/alertmanager/secrets';

/** For the operator to fill in. Secrets are in files, which Alertmanager reads at every notification. */
const shippedReceivers: Receivers = {
  pager: {
    pagerduty_configs: [
      {
        routing_key_file: `${secrets}/pagerduty-routing-key`,
        severity: 'critical',
        description: `${first}{{ if gt (len .Alerts) 1 }} {{ len .Alerts }} alerts in this group.{{ end }}`,
      },
    ],
  },
  chat: {
    slack_configs: [
      {
        api_url_file: `${secrets}/slack-webhook-url`,
        channel: '#validators',
        send_resolved: true,
        text: '{{ range .Alerts }}{{ .Status }}: {{ .Annotations.summary }} <{{ .Annotations.runbook_url }}|runbook>\n{{ end }}',
      },
    ],
  },
  watchdog: {
    webhook_configs: [
      {
        url: 'https://watchdog.example/',
        send_resolved: false,
        http_config: { authorization: { credentials_file: `${secrets}/watchdog-token` } },
      },
    ],
  },
};

export interface AlertmanagerConfig {
  readonly route: object;
  readonly inhibit_rules: readonly InhibitRule[];
  readonly receivers: readonly { readonly name: string }[];
}

/** `settings`: those of the rules, for their labels. */
export const alertmanagerConfig = (
  settings: Pick<Settings, 'identity' | 'fleet'>,
  receivers: Receivers = shippedReceivers,
  times: GroupingTimes = shippedTimes,
): AlertmanagerConfig => ({
  route: routeOf(times, clusterIn(settings.fleet)),
  inhibit_rules: inhibitRules(settings),
  receivers: [{ name: 'nobody' }, ...receiverNames.map((name) => ({ name, ...receivers[name] }))],
});

const comments: Readonly<Record<keyof AlertmanagerConfig, string>> = {
  route: `Critical alerts page, warnings go to a chat, info is not notified. One cause on many nodes is one group and one notification.
In an Alertmanager that has other alerts too: add the two routes of this tree to its own.`,
  inhibit_rules: `For one target: down > frozen > node > tag set, chain, index. An alert never inhibits a more severe one. Not inhibited by scope:
alerts that also fire in maintenance windows, and alerts on damaged indexes. Other alerts on targets in maintenance do not fire.`,
  receivers: `Fill in these receivers. A webhook instead of pagerduty_configs or slack_configs:
    webhook_configs: [{ url: "https://alerts.example/", http_config: { authorization: { credentials_file: /path } } }]
The watchdog's URL is called every 5 minutes. If it is not, Prometheus or Alertmanager is down: let its service raise the alarm.`,
};

/** Writes lists of scalars on one line. */
const compact = (value: object): string => {
  const document = new Document(value, { aliasDuplicateObjects: false });
  visit(document, {
    Seq: (_, list) => {
      list.flow = list.items.every((item) => isScalar(item));
    },
  });
  return document.toString({ lineWidth: 0, flowCollectionPadding: false });
};

const section = (key: keyof AlertmanagerConfig, config: AlertmanagerConfig): string =>
  `${comments[key].replaceAll(/^/gm, '# ')}\n${compact({ [key]: config[key] })}`;

/** The same as YAML text, for the file that Alertmanager is started with. */
export const alertmanagerYaml = (header: string, config: AlertmanagerConfig): string =>
  [header, section('route', config), section('inhibit_rules', config), section('receivers', config)].join('\n');

/** deploy/prometheus/alertmanager.yml */
export const alertmanagerFile = (settings: Settings): string =>
  alertmanagerYaml(
    `# Alertmanager for the alerts of snowgauge. Generated by \`npm run docs\`, printed by \`snowgauge rules --alertmanager\`.
# What each part means: docs/alerts.md, "Routing".
`,
    alertmanagerConfig(settings),
  );
