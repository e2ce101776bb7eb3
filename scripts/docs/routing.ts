// Generates the section of docs/alerts.md about the Alertmanager configuration.

import { alerts } from '../../src/rules/alerts.ts';
import { inhibitingScopes, rankedScopes, uninhibited } from '../../src/rules/inhibition.ts';
import { scopes } from '../../src/rules/rule.ts';
import { identityLabels } from '../../src/rules/thresholds.ts';
import { code, table } from './markdown.ts';

const meanings: Readonly<Record<(typeof rankedScopes)[number], string>> = {
  target: 'the target is down',
  frozen: 'the health checks have stopped running',
  node: 'the node as a whole: disk, database, peers, clock, a global check',
  tag_set: 'a tag set is unhealthy or not ready',
  chain: 'a chain of the node',
  index: 'a container index of the node',
  identity: 'the NodeID of the node',
  validator: 'staking period and reward, or the balance of an L1 validator',
};

/** `A, B: C, D` */
const causes = [...new Set(alerts.flatMap(({ explains }) => (explains === undefined ? [] : [explains])))]
  .map((explained) => {
    const named = alerts.filter(({ explains }) => explains === explained).map(({ name }) => name);
    return `${named.join(', ')} inhibit${named.length === 1 ? 's' : ''} ${explained.join(', ')}`;
  })
  .join('; ');

const lasting = alerts.flatMap((one) => (one.lasting === true ? [one.name] : []));

const list = (words: readonly string[]): string => words.map(code).join(', ');

/** docs/alerts.md, "Routing" */
export const routing = `## Routing

The goal is one notification per cause. \`deploy/prometheus/alertmanager.yml\` (\`snowgauge rules --alertmanager\`) is a configuration of
Alertmanager 0.25 or later with routing, grouping and inhibition; fill in its receivers. Start Alertmanager with it, or add its
routes, \`inhibit_rules\` and receivers to your existing configuration: they match only alerts named \`Snowgauge…\`.

**Routing** follows the label \`severity\`. All other alerts go to the chat.

${table(
  ['severity', 'receiver', 'repeated', 'shipped as'],
  [
    ['critical', code('pager'), 'every 4 h', 'PagerDuty, `routing_key_file`'],
    ['warning', code('chat'), 'every day', 'Slack, `api_url_file`'],
    ['info, none', code('nobody'), '', ''],
    ['SnowgaugeWatchdog', code('watchdog'), 'every 5 minutes', 'webhook, `credentials_file`'],
  ],
)}

The watchdog always fires. The service behind its webhook must raise the alarm when the calls stop: then Prometheus, Alertmanager or the
connection to the service is down. Secrets are in files that Alertmanager reads at every notification; mount them from a Secret. For a webhook instead
of PagerDuty or Slack, replace \`pagerduty_configs\` or \`slack_configs\` with \`webhook_configs\`. With the Prometheus Operator, put the file
into the Secret that \`configSecret\` of your Alertmanager names. An AlertmanagerConfig object can hold the same, but by default only
matches alerts of its own namespace.

\`snowgauge rules --alertmanager --set identity=… --set fleet=…\` prints the configuration for rules with these settings.

**Grouping** is by \`cluster\`, \`network\` and \`scope\`. If a switch fails and takes five nodes down, there is one group and one notification that lists
five nodes. A group waits 30 s for more alerts, and reports new ones every 5 minutes. PagerDuty adds them to the open incident:
if you want an incident for each node, add \`namespace\`, \`pod\` and \`target\` to \`group_by\`.

**Inhibition** is by the label \`scope\`. While an alert with scope ${list(inhibitingScopes).replace(/, (?=[^,]*$)/, ' or ')} fires, alerts further down this list do not notify:

${table(
  ['scope', 'about'],
  rankedScopes.map((scope) => [code(scope), meanings[scope]]),
)}

- Only alerts for the same node inhibit each other: ${list(identityLabels)} must be equal. A label that both lack counts as equal. If several
  clusters send to one Alertmanager, each needs its own \`cluster\`, such as an external label of its Prometheus.
- Alerts on a tag set, a chain or an index inhibit none of another scope: a failure of one chain does not explain another. If a chain loses so much
  stake that its check fails, SnowgaugeConnectedStakeLow notifies, and SnowgaugeUnhealthy or later SnowgaugeCheckFailing.
- An alert on a cause inhibits the alerts on its effects on the same node: ${causes}.
- An alert that may fire for days inhibits nothing: ${lasting.join(', ')}. If only
  the check of SnowgaugeUpgradeDeadlineNear or SnowgaugeDiskLow fails, no other alert fires because of it; any other failure has its own alert.
- An alert never inhibits a more severe one. A warning for the node does not suppress a page for a tag set.
- Alerts that also fire in maintenance windows, and alerts on damaged indexes, are not inhibited by scope, only by a cause above: ${uninhibited.join(', ')}.
- Alerts with scope ${list(scopes.filter((scope) => !rankedScopes.some((one) => one === scope)))} are not in the list: except for the causes above they neither inhibit nor are inhibited.

Alertmanager lists inhibited alerts (\`amtool alert query --inhibited\`). If an alert still fires when its cause is resolved, it is
notified then. To see the notifications of a fault: \`snowgauge drill\` ([drills](drills.md)).
`;
