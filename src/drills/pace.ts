// How a drill compresses time. It uses the shipped rules, only their settings differ.

import { alerts } from '../rules/alerts.ts';
import { forSetting } from '../rules/rule.ts';
import { readSettings, type Settings } from '../rules/settings.ts';

/** All in seconds. */
export const pace = {
  /** The node's check interval: 30 seconds in production. */
  interval: 1,
  scrape: 1,
  evaluation: 1,
  /** The `for` of every alert that has one. */
  pending: 4,
  /** group_wait and group_interval of Alertmanager: in production half a minute before a group's first notification, minutes after it. */
  grouping: 6,
  steady: 3,
  /** How long the last samples of an exporter are used that cannot be scraped: two lost scrapes, as in production. */
  gap: 3,
} as const;

/** Defaults, except for the `for` of every alert. The settings of the drill override both. */
export const settingsOf = (set: Readonly<Record<string, string>> = {}): Settings => {
  const pending = alerts.filter((alert) => alert.for !== '0m').map((alert) => [forSetting(alert), `${pace.pending}s`] as const);
  const all = { ...Object.fromEntries(pending), scrapeGap: `${pace.gap}s`, readyLostGap: `${pace.interval}s`, ...set };
  const read = readSettings(Object.entries(all).map(([name, value]) => `${name}=${value}`));
  if (read.kind === 'invalid') throw new Error(read.errors.join('\n'));
  return read.value;
};

/** Seconds that an alert is pending in a drill. */
export const pendingOf = (name: string): number => {
  const alert = alerts.find((one) => one.name === name);
  if (alert === undefined) throw new Error(`there is no alert ${name}`);
  return alert.for === '0m' ? 0 : pace.pending;
};

/** The waiting time of an alert on an exporter that is no longer scraped. */
export const forgets = {
  seconds: 10,
  reason: 'Prometheus refreshes its targets every 5 s, and marks the series of a removed target stale some scrapes later',
} as const;

/** The waiting time of an alert whose expression looks back this many seconds. */
export const looksBack = (seconds: number): { readonly seconds: number; readonly reason: string } => ({
  seconds,
  reason: `its expression looks back ${seconds} s`,
});
