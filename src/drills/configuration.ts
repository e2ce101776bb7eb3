// The configuration files of Prometheus and Alertmanager. They are JSON, which is valid YAML.

import { alertmanagerConfig } from '../rules/alertmanager.ts';
import { ruleGroups, rulesYaml } from '../rules/file.ts';
import type { Settings } from '../rules/settings.ts';
import type { DrillExporter } from './drill.ts';
import { pace } from './pace.ts';

/** The address of an exporter, and the labels that a scrape of it adds. */
export interface Scraped {
  readonly host: string;
  readonly labels: Readonly<Record<string, string>>;
}

export const podLabels = { cluster: 'drill', namespace: 'drill', pod: 'validator-0' } as const;

/** Two pods, each with its node and its sidecar. */
export const sidecars: readonly DrillExporter[] = [0, 1].map((nth) => ({
  labels: { ...podLabels, pod: `validator-${nth}` },
  nodes: [nth],
}));

export const targetsFile = (exporters: readonly Scraped[]): string =>
  JSON.stringify(exporters.map(({ host, labels }) => ({ targets: [host], labels })));

/** Every Alertmanager in `alertmanagers` gets all alerts. */
export const prometheusFile = (targets: string, rules: string, alertmanagers: readonly string[]): string =>
  JSON.stringify({
    global: {
      scrape_interval: `${pace.scrape}s`,
      scrape_timeout: `${pace.scrape}s`,
      evaluation_interval: `${pace.evaluation}s`,
    },
    rule_files: [rules],
    alerting: { alertmanagers: alertmanagers.map((one) => ({ static_configs: [{ targets: [one] }] })) },
    scrape_configs: [{ job_name: 'snowgauge', file_sd_configs: [{ files: [targets], refresh_interval: '1s' }] }],
  });

export const noRules = JSON.stringify({ groups: [] });

/** All rules except the watchdog, which always fires. */
export const rulesFile = (settings: Settings): string => rulesYaml(ruleGroups(settings, 'main', ['SnowgaugeWatchdog']));

/** Routing and inhibition as shipped, with shorter times and without a receiver for the watchdog. */
export const drillAlertmanagerFile = (settings: Settings, webhook: string): string => {
  const hook = { webhook_configs: [{ url: webhook, send_resolved: false }] };
  const wait = `${pace.grouping}s`;
  return JSON.stringify(alertmanagerConfig(settings, { pager: hook, chat: hook, watchdog: {} }, { wait, interval: wait }));
};
