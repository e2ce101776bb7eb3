// Which alert makes which others superfluous: Alertmanager's inhibition rules, which follow from the table of scopes.

import { isOfTarget, scopes } from './rule.ts';

/** From the root outwards: an alert inhibits those of every scope after its own, for the same target. */
export const inhibiting = scopes.filter(isOfTarget);

/** Whose alerts they are. A label that an alert lacks counts as empty: only a sidecar's have a pod. */
export const identity = ['cluster', 'namespace', 'pod', 'target'] as const;

/** An alert never inhibits one that is more severe: a warning must not keep a page back. Those of info inhibit none. */
const inhibitedBy = { critical: 'critical|warning|info', warning: 'warning|info' } as const;

/** Of a shared Alertmanager: `scope` is a word that others use too. */
export const ours = 'alertname=~"Snowgauge.+"';

/** Nothing hides these, not even maintenance and a node that is down: a replaced key and a lost reward do not end with either. */
const inhibited = [ours, 'alertname!~"Snowgauge(Identity|Reward).*"'];

/** In Alertmanager's own spelling. */
export interface InhibitRule {
  readonly source_matchers: readonly string[];
  readonly target_matchers: readonly string[];
  readonly equal: readonly string[];
}

export const inhibitRules = (): readonly InhibitRule[] => [
  {
    source_matchers: ['alertname="SnowgaugeMaintenance"'],
    target_matchers: [...inhibited, `scope=~"${inhibiting.join('|')}"`],
    equal: identity,
  },
  ...inhibiting.slice(0, -1).flatMap((scope, at) =>
    Object.entries(inhibitedBy).map(([severity, others]) => ({
      source_matchers: [ours, `scope="${scope}"`, `severity="${severity}"`],
      target_matchers: [...inhibited, `scope=~"${inhibiting.slice(at + 1).join('|')}"`, `severity=~"${others}"`],
      equal: identity,
    })),
  ),
];
