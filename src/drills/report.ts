// Texts about drills: the announcement, the result for a person, and the result as JSON.

import { roughPercent } from '../text.ts';
import type { Drill } from './drill.ts';
import { type Judged, maxStolen, type Span, said } from './judge.ts';
import { expectedOf } from './notified.ts';
import { pace, pendingOf } from './pace.ts';

/** Formats for a terminal, or as plain text. */
type Paint = Readonly<Record<'strong' | 'good' | 'bad', (text: string) => string>>;

const ofAllowed = ({ took, allowed }: Span): string => `${said(took)} (allowed: ${said(allowed)})`;

/** Printed before the drill: what breaks, which alert fires when, and what to look at. */
export const announcement = (drill: Drill, paint: Paint): string => {
  const { name, breaks, alert, look, sign, waits } = drill;
  const pending = pendingOf(alert);
  const reasons = [...(waits === undefined ? [] : [waits.reason]), ...(pending > 0 ? [`pending for ${pending} s`] : [])];
  return `${paint.strong(name)}
  breaks  ${breaks}
  seen    ${seen(sign)}
  fires   ${alert}${reasons.length === 0 ? ', at once' : `: ${reasons.join(', and ')}`}
  sends   ${listed(expectedOf(drill))}
  look    ${look}
`;
};

const seen = (sign: Drill['sign']): string => {
  if (sign === undefined) return 'by Prometheus itself, at its next scrape';
  const { family, patience } = sign;
  const within = `${family}, within ${pace.interval * (1 + (patience?.intervals ?? 0)) + 1} s`;
  return patience === undefined ? within : `${within}: ${patience.reason}`;
};

const listed = (texts: readonly string[]): string => (texts.length === 0 ? 'no notification' : texts.join('; '));

/** Printed after the drill. */
export const result = (judged: Judged, paint: Paint): string => {
  const { drill, detection, alert, delivery, notifications, unexpected } = judged;
  const others = unexpected.length === 0 ? 'none' : unexpected.map((one) => one.alert).join(', ');
  const delivered = notifications === undefined ? 'not judged: no Alertmanager' : listed(notifications.delivered);
  return `${mark(judged, paint)}  ${drill.name}
  time to detect       ${detection === undefined ? 'not measured' : ofAllowed(detection)}
  time to alert        ${alert === undefined ? 'never' : `${ofAllowed(alert)} more`}
  time to notification ${delivery === undefined ? 'none' : `${said(delivery)} more`}
  notifications        ${delivered}
  unexpected alerts    ${others}
${wrong(judged, paint, '  ')}`;
};

const mark = ({ outcome }: Judged, { good, bad, strong }: Paint): string =>
  ({ passed: good('passed'), failed: bad('failed'), inconclusive: strong('inconclusive') })[outcome];

const wrong = ({ faults, outcome, measured }: Judged, { bad }: Paint, indent: string): string =>
  [
    ...faults.map((fault) => `${bad('wrong')} ${fault}`),
    ...(outcome === 'inconclusive'
      ? [
          `scheduling delay was ${roughPercent(measured.stolen.share)} of the time (maximum ${roughPercent(maxStolen)}): run the drill alone`,
        ]
      : []),
  ]
    .map((text) => `${indent}${text}\n`)
    .join('');

/** One line per drill, for several drills. */
export const line = (judged: Judged, paint: Paint): string => {
  const { drill, detection, alert, notifications } = judged;
  const times = `detected ${detection === undefined ? '    –' : said(detection.took).padStart(6)}, fired ${alert === undefined ? 'never' : `${said(alert.took).padStart(6)} later`}`;
  const delivered = notifications === undefined ? drill.alert : listed(notifications.delivered);
  return `${mark(judged, paint)}  ${drill.name.padEnd(22)} ${times}  ${delivered}\n${wrong(judged, paint, '        ')}`;
};

export const asJson = (judged: readonly Judged[]): object => ({
  passed: judged.every(({ outcome }) => outcome === 'passed'),
  settings: {
    checkIntervalSeconds: pace.interval,
    scrapeSeconds: pace.scrape,
    evaluationSeconds: pace.evaluation,
    groupingSeconds: pace.grouping,
  },
  drills: judged.map(({ drill, measured, detection, alert, delivery, notifications, unexpected, faults, outcome }) => ({
    name: drill.name,
    breaks: drill.breaks,
    alert: drill.alert,
    outcome,
    passed: outcome === 'passed',
    faults,
    faultAt: measured.faultAt ?? null,
    detection: detection ?? null,
    firing: alert ?? null,
    deliverySeconds: delivery ?? null,
    stolen: measured.stolen,
    notifications: notifications === undefined ? null : { ...notifications, all: measured.notifications },
    unexpected: unexpected.map((one) => ({ alert: one.alert, summary: one.summary })),
    arrivals: measured.arrivals.map(({ alert: name, labels, firedAt }) => ({ alert: name, labels, firedAt })),
  })),
});
