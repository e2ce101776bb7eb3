// Which alert inhibits which others. Alertmanager's inhibition rules are derived from the scopes of the alerts.

import { alerts } from './alerts.ts';
import { type Alert, type Scope, targetScopes } from './rule.ts';
import { labelsIn, type Settings } from './settings.ts';

/** An alert never inhibits a more severe one: a warning must not suppress a page. Alerts of severity info inhibit none. */
const inhibitedBy = { critical: 'critical|warning|info', warning: 'warning|info' } as const;

/** For an Alertmanager with other alerts: they may use the label `scope` too. */
export const ours = 'alertname=~"Snowgauge.+"';

const isHidden = ({ inMaintenance, independent }: Alert): boolean => inMaintenance !== true && independent !== true;

/** No alert inhibits these by its scope. */
export const uninhibited: readonly string[] = alerts.flatMap((one) => (isHidden(one) ? [] : [one.name]));

const has = ({ scope: own }: Alert, scope: Scope): boolean => [own].flat().includes(scope);

/** Scopes of targets, widest first, that have alerts which can be inhibited. */
export const rankedScopes = targetScopes.filter((scope) => alerts.some((one) => isHidden(one) && has(one, scope)));

/**
 * Widest first: an alert of one of these scopes inhibits those of narrower scopes. Alerts on a part of the target inhibit none: those on
 * other parts have other causes, and no label says which chains and indexes belong to a tag set.
 */
export const inhibitingScopes = ['target', 'frozen', 'node'] as const satisfies readonly Scope[];

const lasting = `alertname!~"${alerts.flatMap(({ name, lasting }) => (lasting === true ? [name] : [])).join('|')}"`;

const inhibited = [ours, `alertname!~"${uninhibited.join('|')}"`];

/** With the names of Alertmanager's configuration. */
export interface InhibitRule {
  readonly source_matchers: readonly string[];
  readonly target_matchers: readonly string[];
  readonly equal: readonly string[];
}

export const inhibitRules = ({ identity }: Pick<Settings, 'identity'>): readonly InhibitRule[] => [
  ...byScope(labelsIn(identity)),
  ...byCause(labelsIn(identity)),
];

/** Only rules that can match: an alert of that scope and severity inhibits, and there are alerts that it can inhibit. */
const byScope = (equal: readonly string[]): readonly InhibitRule[] =>
  inhibitingScopes.flatMap((scope) =>
    Object.entries(inhibitedBy).flatMap(([severity, others]) => {
      const inhibits = alerts.some((one) => one.lasting !== true && one.severity === severity && has(one, scope));
      const below = rankedScopes
        .slice(rankedScopes.indexOf(scope) + 1)
        .filter((lower) => alerts.some((one) => isHidden(one) && others.split('|').includes(one.severity) && has(one, lower)));
      if (!inhibits || below.length === 0) return [];
      return {
        source_matchers: [ours, lasting, `scope="${scope}"`, `severity="${severity}"`],
        target_matchers: [...inhibited, `scope=~"${below.join('|')}"`, `severity=~"${others}"`],
        equal,
      };
    }),
  );

/** Only the alert that names the cause pages. The alerts on its consequences are inhibited. */
const byCause = (identity: readonly string[]): readonly InhibitRule[] =>
  [...new Set(alerts.flatMap(({ explains }) => (explains === undefined ? [] : [explains])))].map((explained) => {
    const causes = alerts.filter(({ explains }) => explains === explained);
    return {
      source_matchers: [`alertname=~"${causes.map(({ name }) => name).join('|')}"`],
      target_matchers: [`alertname=~"${explained.join('|')}"`],
      equal: causes.some(({ scope }) => scope === 'index') ? [...identity, 'index'] : identity,
    };
  });
