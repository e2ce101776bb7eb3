// Measurements of a drill -> its result.

import type { Drill } from './drill.ts';
import { expectedOf, lacking, textOf } from './notified.ts';
import { pace, pendingOf } from './pace.ts';
import type { Arrival } from './receiver.ts';
import { isMain, type Measured } from './run-drill.ts';

/** The measured time and its maximum. */
export interface Span {
  readonly tookSeconds: number;
  readonly allowedSeconds: number;
}

export interface Judged {
  readonly drill: Drill;
  readonly measured: Measured;
  /** From the injection until the exporter's page shows it. */
  readonly detection?: Span;
  /** From the detection, or from the injection without one, until Prometheus fires the alert. */
  readonly alert?: Span;
  /** From the firing until the first notification that contains the alert. */
  readonly deliverySeconds?: number;
  /** Texts like `pager: SnowgaugeTargetDown`. Undefined without Alertmanager. */
  readonly notifications?: { readonly delivered: readonly string[]; readonly expected: readonly string[] };
  /** Unexpected alerts. */
  readonly unexpected: readonly Arrival[];
  /** What is wrong. Empty if the drill passed. */
  readonly failures: readonly string[];
  /** inconclusive: something is wrong, but the scheduling delay of this machine is too large to tell why. */
  readonly outcome: 'passed' | 'failed' | 'inconclusive';
}

export const said = (seconds: number): string => `${seconds.toFixed(1)} s`;

/** Maximum share of a drill's time. With more delay, timers and scrapes of one second are not on time. */
export const maxDelayRatio = 0.2;

export const judgeDrill = (drill: Drill, measured: Measured): Judged => {
  const { failures, ...rest } = measured.faultAt === undefined ? neverSteady : judgeTimes(drill, measured, measured.faultAt);
  const unexpected = unexpectedIn(drill, measured);
  const notifications = measured.notifications && {
    delivered: measured.notifications.map(textOf),
    expected: expectedOf(drill),
  };
  const all = [
    ...failures,
    ...unexpected.map(({ alert, summary }) => `${alert} was not expected: ${summary}`),
    ...(notifications === undefined || measured.faultAt === undefined ? [] : notificationFailures(notifications)),
  ];
  const wrong = measured.schedulingDelay.ratio > maxDelayRatio ? 'inconclusive' : 'failed';
  const outcome = all.length === 0 ? 'passed' : wrong;
  return { drill, measured, unexpected, ...rest, ...(notifications && { notifications }), failures: all, outcome };
};

const neverSteady = { failures: ['no steady state before the fault: not everything was healthy'] };

const unexpectedIn = ({ alert, alongside = [] }: Drill, { arrivals }: Measured): readonly Arrival[] =>
  arrivals.filter((one) => ![alert, ...alongside].some((name) => name === one.alert));

const notificationFailures = ({ delivered, expected }: NonNullable<Judged['notifications']>): readonly string[] => [
  ...lacking(expected, delivered).map((one) => `no notification to ${one}`),
  ...lacking(delivered, expected).map((one) => `unexpected notification to ${one}`),
];

const judgeTimes = (
  drill: Drill,
  { detectedAt, arrivals, notifications = [], schedulingDelay }: Measured,
  faultAt: number,
): Pick<Judged, 'detection' | 'alert' | 'deliverySeconds' | 'failures'> => {
  const { sign } = drill;
  const main = arrivals.find(({ labels }) => isMain(drill, labels));
  const notified = notifications.find(({ alerts }) => alerts.some((labels) => isMain(drill, labels)));
  const intervals = 1 + (sign?.patience?.intervals ?? 0);
  const detection =
    detectedAt === undefined
      ? undefined
      : { tookSeconds: detectedAt - faultAt, allowedSeconds: intervals * pace.interval + 1 + schedulingDelay.detectionSeconds };
  // A scrape stores the sample, one group records it, the group of the alert reads that at a time of its own, and `for` ends at the
  // first evaluation after its seconds.
  const evaluated = pace.scrape + 3 * pace.evaluation;
  const allowedSeconds = (drill.waits?.seconds ?? 0) + pendingOf(drill.alert) + evaluated + schedulingDelay.totalSeconds;
  const alert = main === undefined ? undefined : { tookSeconds: main.firedAt - (detectedAt ?? faultAt), allowedSeconds };
  const failures = [
    ...(sign !== undefined && detection === undefined ? [`${sign.family} never showed the fault`] : []),
    ...(detection !== undefined && detection.tookSeconds > detection.allowedSeconds
      ? [`detected after ${exceeded(detection)}`]
      : []),
    ...(alert === undefined ? [`${drill.alert} never fired${withLabels(drill)}`] : []),
    ...(alert !== undefined && alert.tookSeconds > alert.allowedSeconds ? [`${drill.alert} fired after ${exceeded(alert)}`] : []),
    ...(main !== undefined && main.firedAt < faultAt ? [`${drill.alert} fired before the fault`] : []),
  ];
  return {
    failures,
    ...(detection && { detection }),
    ...(alert && { alert }),
    ...(main && notified && { deliverySeconds: notified.receivedAt - main.firedAt }),
  };
};

const exceeded = ({ tookSeconds, allowedSeconds }: Span): string => `${said(tookSeconds)}, allowed: ${said(allowedSeconds)}`;

const withLabels = ({ labels }: Drill): string =>
  labels === undefined
    ? ''
    : ` with ${Object.entries(labels)
        .map(([name, value]) => `${name} ${value}`)
        .join(', ')}`;
