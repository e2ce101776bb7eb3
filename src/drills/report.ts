// Texts about drills: the announcement, the result for a person, and the result as JSON.

import { isoOf, roughPercent } from '../text.ts';
import type { Drill } from './drill.ts';
import { type Judged, maxDelayRatio, type Span, said } from './judge.ts';
import { expectedOf } from './notified.ts';
import { pace, pendingOf } from './pace.ts';
import type { Notification } from './receiver.ts';

/** Formats for a terminal, or as plain text. */
type Paint = Readonly<Record<'strong' | 'good' | 'bad', (text: string) => string>>;

/** `since`: text after the time. */
const ofAllowed = ({ tookSeconds, allowedSeconds }: Span, since = ''): string =>
  `${said(tookSeconds)}${since} (allowed: ${said(allowedSeconds)})`;

/** Printed before the drill: what breaks, which alert fires when, and what to look at. */
export const announcement = (drill: Drill, paint: Paint): string => {
  const { name, fault, alert, look, sign, waits } = drill;
  const pending = pendingOf(alert);
  const reasons = [...(waits === undefined ? [] : [waits.reason]), ...(pending > 0 ? [`pending for ${pending} s`] : [])];
  return `${paint.strong(name)}
  fault          ${fault}
  detected by    ${seen(sign)}
  alert          ${alert}${reasons.length === 0 ? ', at once' : `: ${reasons.join(', and ')}`}
  notifications  ${listed(expectedOf(drill))}
  dashboard      ${look}
`;
};

const seen = (sign: Drill['sign']): string => {
  if (sign === undefined) return 'Prometheus itself, at its next scrape';
  const { family, patience } = sign;
  const within = `${family}, within ${pace.interval * (1 + (patience?.intervals ?? 0)) + 1} s`;
  return patience === undefined ? within : `${within}: ${patience.reason}`;
};

const listed = (texts: readonly string[]): string => (texts.length === 0 ? 'no notification' : texts.join('; '));

/** Printed after the drill. */
export const result = (judged: Judged, paint: Paint): string => {
  const { drill, detection, alert, deliverySeconds, notifications, unexpected } = judged;
  const others = unexpected.length === 0 ? 'none' : unexpected.map((one) => one.alert).join(', ');
  const delivered = notifications === undefined ? 'not judged: no Alertmanager' : listed(notifications.delivered);
  return `${mark(judged, paint)}  ${drill.name}
  time to detect       ${detection === undefined ? 'not measured' : ofAllowed(detection)}
  time to alert        ${alert === undefined ? 'never' : ofAllowed(alert, ` after ${detection === undefined ? 'the fault' : 'detection'}`)}
  time to notification ${deliverySeconds === undefined ? 'none' : `${said(deliverySeconds)} after the alert`}
  notifications        ${delivered}
  unexpected alerts    ${others}
${wrong(judged, paint, '  ')}`;
};

const mark = ({ outcome }: Judged, { good, bad, strong }: Paint): string =>
  ({ passed: good('passed'), failed: bad('failed'), inconclusive: strong('inconclusive') })[outcome];

const wrong = ({ failures, outcome, measured }: Judged, { bad }: Paint, indent: string): string =>
  [
    ...failures.map((failure) => `${bad('wrong')} ${failure}`),
    ...(outcome === 'inconclusive'
      ? [
          `scheduling delay was ${roughPercent(measured.schedulingDelay.ratio)} of the time (maximum ${roughPercent(maxDelayRatio)}): run the drill alone`,
        ]
      : []),
  ]
    .map((text) => `${indent}${text}\n`)
    .join('');

/** One line per drill, for several drills. */
export const line = (judged: Judged, paint: Paint): string => {
  const { drill, detection, alert, notifications } = judged;
  const times = `detected ${detection === undefined ? '    –' : said(detection.tookSeconds).padStart(6)}, fired ${alert === undefined ? 'never' : `${said(alert.tookSeconds).padStart(6)} later`}`;
  const delivered = notifications === undefined ? drill.alert : listed(notifications.delivered);
  return `${mark(judged, paint)}  ${drill.name.padEnd(22)} ${times}  ${delivered}\n${wrong(judged, paint, '        ')}`;
};

export const asJson = (judged: readonly Judged[]) => ({
  passed: judged.every(({ outcome }) => outcome === 'passed'),
  settings: {
    checkIntervalSeconds: pace.interval,
    scrapeSeconds: pace.scrape,
    evaluationSeconds: pace.evaluation,
    groupingSeconds: pace.grouping,
  },
  drills: judged.map(({ drill, measured, detection, alert, deliverySeconds, notifications, unexpected, failures, outcome }) => ({
    name: drill.name,
    fault: drill.fault,
    alert: drill.alert,
    outcome,
    passed: outcome === 'passed',
    failures,
    faultAt: measured.faultAt === undefined ? null : isoOf(measured.faultAt),
    detection: detection ?? null,
    firing: alert ?? null,
    deliverySeconds: deliverySeconds ?? null,
    schedulingDelay: measured.schedulingDelay,
    notifications: notifications === undefined ? null : { ...notifications, all: measured.notifications?.map(notificationJson) },
    unexpected: unexpected.map((one) => ({ alert: one.alert, summary: one.summary })),
    arrivals: measured.arrivals.map(({ alert: name, labels, firedAt }) => ({ alert: name, labels, firedAt: isoOf(firedAt) })),
  })),
});

const notificationJson = ({ receivedAt, ...rest }: Notification) => ({ ...rest, receivedAt: isoOf(receivedAt) });
