// The expected and the delivered notifications of a drill: each as a text with its receiver and its alerts.

import type { ReceiverName } from '../rules/alertmanager.ts';
import { alerts } from '../rules/alerts.ts';
import type { Severity } from '../rules/rule.ts';
import type { Notification } from './receiver.ts';

/** For example `pager: SnowgaugeReadinessLost ×4, SnowgaugeTargetDown`. Alerts are sorted by name. */
export type Notified = `${ReceiverName}: Snowgauge${string}`;

const receivers: Readonly<Record<Severity, ReceiverName | undefined>> = {
  critical: 'pager',
  warning: 'chat',
  info: undefined,
  none: undefined,
};

/** By default one notification, to the receiver of the alert's severity. */
export const expectedOf = (drill: {
  readonly alert: `Snowgauge${string}`;
  readonly notified?: readonly Notified[];
}): readonly Notified[] => {
  if (drill.notified !== undefined) return drill.notified;
  const severity = alerts.find(({ name }) => name === drill.alert)?.severity;
  const to = severity && receivers[severity];
  return to === undefined ? [] : [`${to}: ${drill.alert}`];
};

export const textOf = ({ receiver, alerts: all }: Notification): string => {
  const names = all.map(({ alertname = '' }) => alertname);
  const counted = [...new Set(names)].sort().map((name) => {
    const times = names.filter((one) => one === name).length;
    return times === 1 ? name : `${name} ×${times}`;
  });
  return `${receiver}: ${counted.join(', ')}`;
};

/** Elements of `wanted` that are missing in `given`. Duplicates count. */
export const lacking = (wanted: readonly string[], given: readonly string[]): readonly string[] => {
  const left = [...given];
  return wanted.filter((one) => {
    const at = left.indexOf(one);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
};
