// Which alert makes which others superfluous. Alertmanager's inhibition rules follow from the scopes of the alerts.

import { alerts } from './alerts.ts';
import { type Alert, type Scope, targetScopes } from './rule.ts';
import { labelsIn, type Settings } from './settings.ts';

/** An alert never inhibits one that is more severe: a warning must not keep a page back. Those of info inhibit none. */
const inhibitedBy = { critical: 'critical|warning|info', warning: 'warning|info' } as const;

/** Of a shared Alertmanager: `scope` is a word that others use too. */
export const ours = 'alertname=~"Snowgauge.+"';

/** Nothing hides these: they do not end with maintenance, nor with a node that is down. */
export const uninhibited: readonly string[] = alerts.flatMap(({ name, inMaintenance }) => (inMaintenance === true ? [name] : []));

const isHidden = ({ inMaintenance }: Alert): boolean => inMaintenance !== true;
const has = ({ scope: own }: Alert, scope: Scope): boolean => [own].flat().includes(scope);

/** Of a target, the widest first: those below hold alerts that can be inhibited. */
export const rankedScopes = targetScopes.filter((scope) => alerts.some((one) => isHidden(one) && has(one, scope)));

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

/** Only what can match: there is an alert that inhibits, and there are alerts for it to inhibit. */
const byScope = (equal: readonly string[]): readonly InhibitRule[] =>
  rankedScopes.flatMap((scope, at) =>
    Object.entries(inhibitedBy).flatMap(([severity, others]) => {
      const inhibits = alerts.some((one) => one.lasting !== true && one.severity === severity && has(one, scope));
      const below = rankedScopes
        .slice(at + 1)
        .filter((lower) => alerts.some((one) => isHidden(one) && others.split('|').includes(one.severity) && has(one, lower)));
      if (!inhibits || below.length === 0) return [];
      return {
        source_matchers: [ours, lasting, `scope="${scope}"`, `severity="${severity}"`],
        target_matchers: [...inhibited, `scope=~"${below.join('|')}"`, `severity=~"${others}"`],
        equal,
      };
    }),
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
