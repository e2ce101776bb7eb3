// The files that Prometheus and Alertmanager are started with. JSON is YAML.

import { alertmanagerConfig } from '../rules/alertmanager.ts';
import { ruleGroups, rulesYaml } from '../rules/file.ts';
import type { Settings } from '../rules/settings.ts';
import { pace } from './pace.ts';

/** Where the exporter is found; empty: nowhere. */
export const targetsFile = (exporter: string | undefined): string =>
  JSON.stringify(exporter === undefined ? [] : [{ targets: [exporter], labels: { namespace: 'drill', pod: 'validator-0' } }]);

/** Every one of `alertmanagers` gets all alerts. */
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

export const rulesFile = (settings: Settings): string => rulesYaml(ruleGroups(settings, 'main'));

/** Routing and inhibition as shipped, in less time. Nobody waits for the watchdog. */
export const alertmanagerFile = (webhook: string): string => {
  const hook = { webhook_configs: [{ url: webhook, send_resolved: false }] };
  const wait = `${pace.grouping}s`;
  return JSON.stringify(alertmanagerConfig({ pager: hook, chat: hook, watchdog: {} }, { wait, interval: wait }));
};
