// What is said of drills: before, for a person, and as JSON.

import type { Drill } from './drill.ts';
import { type Judged, type Span, said } from './judge.ts';
import { pace, pendingOf } from './pace.ts';

/** How to write for a terminal, or plainly. */
type Paint = Readonly<Record<'strong' | 'good' | 'bad', (text: string) => string>>;

const ofAllowed = ({ took, allowed }: Span): string => `${said(took)} (allowed: ${said(allowed)})`;

/** Before it begins: what will break, which alert comes when, what to look at. */
export const announcement = (drill: Drill, paint: Paint): string => {
  const { name, breaks, alert, look, sign, waits } = drill;
  const pending = pendingOf(alert);
  const reasons = [...(waits === undefined ? [] : [waits.reason]), ...(pending > 0 ? [`pending for ${pending} s`] : [])];
  return `${paint.strong(name)}
  breaks  ${breaks}
  seen    ${seen(sign)}
  fires   ${alert}${reasons.length === 0 ? ', at once' : `: ${reasons.join(', and ')}`}
  look    ${look}
`;
};

const seen = (sign: Drill['sign']): string => {
  if (sign === undefined) return 'by Prometheus itself, at its next scrape';
  const { family, patience } = sign;
  const within = `${family}, within ${pace.interval * (1 + (patience?.intervals ?? 0)) + 1} s`;
  return patience === undefined ? within : `${within}: ${patience.reason}`;
};

/** After it. */
export const result = ({ drill, detection, alert, delivery, faults, unexpected }: Judged, paint: Paint): string => {
  const others = unexpected.length === 0 ? 'none' : unexpected.map((one) => one.alert).join(', ');
  return `${faults.length === 0 ? paint.good('passed') : paint.bad('failed')}  ${drill.name}
  time to detect       ${detection === undefined ? 'not measured' : ofAllowed(detection)}
  time to alert        ${alert === undefined ? 'never' : `${ofAllowed(alert)} more`}
  time to notification ${delivery === undefined ? 'never' : `${said(delivery)} more`}
  unexpected alerts    ${others}
${faults.map((fault) => `  ${paint.bad('wrong')} ${fault}\n`).join('')}`;
};

/** One line, for the list of many. */
export const line = ({ drill, detection, alert, faults }: Judged, paint: Paint): string => {
  const times = `detected ${detection === undefined ? '    –' : said(detection.took).padStart(6)}, fired ${alert === undefined ? 'never' : `${said(alert.took).padStart(6)} later`}`;
  const mark = faults.length === 0 ? paint.good('passed') : paint.bad('failed');
  return `${mark}  ${drill.name.padEnd(22)} ${times}  ${drill.alert}\n${faults.map((fault) => `        ${fault}\n`).join('')}`;
};

export const asJson = (judged: readonly Judged[]): object => ({
  passed: judged.every(({ faults }) => faults.length === 0),
  settings: { checkIntervalSeconds: pace.interval, scrapeSeconds: pace.scrape, evaluationSeconds: pace.evaluation },
  drills: judged.map(({ drill, measured, detection, alert, delivery, unexpected, faults }) => ({
    name: drill.name,
    breaks: drill.breaks,
    alert: drill.alert,
    passed: faults.length === 0,
    faults,
    faultAt: measured.faultAt ?? null,
    detection: detection ?? null,
    firing: alert ?? null,
    deliverySeconds: delivery ?? null,
    machineLateSeconds: measured.late,
    unexpected: unexpected.map((one) => ({ alert: one.alert, summary: one.summary })),
    arrivals: measured.arrivals.map(({ alert: name, labels, firedAt, receivedAt }) => ({
      alert: name,
      labels,
      firedAt,
      receivedAt,
    })),
  })),
});
