// The files that Prometheus and Alertmanager are started with. JSON is YAML.

import { ruleGroups, rulesYaml } from '../rules/file.ts';
import type { Settings } from '../rules/settings.ts';
import { pace } from './pace.ts';

/** Where the exporter is found; empty: nowhere. */
export const targetsFile = (exporter: string | undefined): string =>
  JSON.stringify(
    exporter === undefined ? [] : [{ targets: [exporter], labels: { cluster: 'drill', namespace: 'drill', pod: 'validator-0' } }],
  );

export const prometheusFile = (targets: string, rules: string, alertmanager: string): string =>
  JSON.stringify({
    global: {
      scrape_interval: `${pace.scrape}s`,
      scrape_timeout: `${pace.scrape}s`,
      evaluation_interval: `${pace.evaluation}s`,
    },
    rule_files: [rules],
    alerting: { alertmanagers: [{ static_configs: [{ targets: [alertmanager] }] }] },
    scrape_configs: [{ job_name: 'snowgauge', file_sd_configs: [{ files: [targets], refresh_interval: '1s' }] }],
  });

export const noRules = JSON.stringify({ groups: [] });

/** Without the one that always fires. */
export const rulesFile = (settings: Settings): string => rulesYaml(ruleGroups(settings, 'main', ['SnowgaugeWatchdog']));

/** Every alert by itself and at once: nothing waits for others of its group. */
export const alertmanagerFile = (webhook: string): string =>
  JSON.stringify({
    route: { receiver: 'drill', group_by: ['...'], group_wait: '0s', group_interval: '1s', repeat_interval: '1h' },
    receivers: [{ name: 'drill', webhook_configs: [{ url: webhook, send_resolved: false }] }],
  });
