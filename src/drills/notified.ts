// Which notifications a drill must lead to, and which came: each as a text, its receiver and the alerts in it.

import type { ReceiverName } from '../rules/alertmanager.ts';
import { alerts } from '../rules/alerts.ts';
import type { Severity } from '../rules/rule.ts';
import type { Notification } from './receiver.ts';

/** `pager: SnowgaugeReadinessLost ×4, SnowgaugeTargetDown`, the alerts by name. */
export type Notified = `${ReceiverName}: Snowgauge${string}`;

const receivers: Readonly<Record<Severity, ReceiverName | undefined>> = {
  critical: 'pager',
  warning: 'chat',
  info: undefined,
  none: undefined,
};

/** Unless the drill says so: one, to the receiver of the alert's severity. */
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

/** What of the first the second lacks, one for one. */
export const lacking = (wanted: readonly string[], given: readonly string[]): readonly string[] => {
  const left = [...given];
  return wanted.filter((one) => {
    const at = left.indexOf(one);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
};
