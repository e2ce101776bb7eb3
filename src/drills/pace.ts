// How time is compressed in a drill. The rules are the shipped ones: only their settings differ.

import { alerts } from '../rules/alerts.ts';
import { forSetting } from '../rules/rule.ts';
import { readSettings, type Settings } from '../rules/settings.ts';

/** Seconds. */
export const pace = {
  /** Between two rounds of the node's checks: half a minute in life. */
  interval: 1,
  scrape: 1,
  evaluation: 1,
  /** `for` of every alert that has one. */
  pending: 4,
  /** How long Alertmanager waits for more alerts of a group: half a minute before its first notification in life, minutes after it. */
  grouping: 6,
  steady: 3,
  /** How long the last samples of an exporter count that cannot be scraped: two lost scrapes, as in life. */
  gap: 3,
} as const;

/** Defaults, but that every alert is pending for so long, with those of the drill on top. */
export const settingsOf = (set: Readonly<Record<string, string>> = {}): Settings => {
  const pending = alerts.filter((alert) => alert.for !== '0m').map((alert) => [forSetting(alert), `${pace.pending}s`] as const);
  const all = { ...Object.fromEntries(pending), scrapeGap: `${pace.gap}s`, ...set };
  const read = readSettings(Object.entries(all).map(([name, value]) => `${name}=${value}`));
  if (read.kind === 'invalid') throw new Error(read.errors.join('\n'));
  return read.value;
};

/** Seconds of `for` that an alert has in a drill. */
export const pendingOf = (name: string): number => {
  const alert = alerts.find((one) => one.name === name);
  if (alert === undefined) throw new Error(`there is no alert ${name}`);
  return alert.for === '0m' ? 0 : pace.pending;
};

/** What an alert waits for that asks about the last so many seconds. */
export const looksBack = (seconds: number): { readonly seconds: number; readonly reason: string } => ({
  seconds,
  reason: `its expression looks back ${seconds} s`,
});
