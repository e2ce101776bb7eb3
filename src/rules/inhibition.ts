// Which alert makes which others superfluous. Alertmanager's inhibition rules follow from the scopes of the alerts.

import { alerts } from './alerts.ts';
import { targetScopes } from './rule.ts';
import { labelsIn, type Settings } from './settings.ts';

/** An alert never inhibits one that is more severe: a warning must not keep a page back. Those of info inhibit none. */
const inhibitedBy = { critical: 'critical|warning|info', warning: 'warning|info' } as const;

/** Of a shared Alertmanager: `scope` is a word that others use too. */
export const ours = 'alertname=~"Snowgauge.+"';

/** Nothing hides these: they do not end with maintenance, nor with a node that is down. */
export const uninhibited: readonly string[] = alerts.flatMap(({ name, inMaintenance }) => (inMaintenance === true ? [name] : []));

const lasting = `alertname!~"${alerts.flatMap(({ name, lasting }) => (lasting === true ? [name] : [])).join('|')}"`;

const inhibited = [ours, `alertname!~"${uninhibited.join('|')}"`];

/** In Alertmanager's own spelling. */
export interface InhibitRule {
  readonly source_matchers: readonly string[];
  readonly target_matchers: readonly string[];
  readonly equal: readonly string[];
}

export const inhibitRules = ({ identity }: Pick<Settings, 'identity'>): readonly InhibitRule[] => [
  ...byScope(labelsIn(identity)),
  ...byCause(labelsIn(identity)),
];

const byScope = (equal: readonly string[]): readonly InhibitRule[] =>
  targetScopes.slice(0, -1).flatMap((scope, at) =>
    Object.entries(inhibitedBy).map(([severity, others]) => ({
      source_matchers: [ours, lasting, `scope="${scope}"`, `severity="${severity}"`],
      target_matchers: [...inhibited, `scope=~"${targetScopes.slice(at + 1).join('|')}"`, `severity=~"${others}"`],
      equal,
    })),
  );

/** A page that names the cause comes first, and what follows from it is no second one. */
const byCause = (identity: readonly string[]): readonly InhibitRule[] =>
  [...new Set(alerts.flatMap(({ explains }) => (explains === undefined ? [] : [explains])))].map((explained) => {
    const causes = alerts.filter(({ explains }) => explains === explained);
    return {
      source_matchers: [`alertname=~"${causes.map(({ name }) => name).join('|')}"`],
      target_matchers: [`alertname=~"${explained.join('|')}"`],
      equal: causes.some(({ scope }) => scope === 'index') ? [...identity, 'index'] : identity,
    };
  });
