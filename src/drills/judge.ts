// What was measured -> what is to be thought of it.

import type { Drill } from './drill.ts';
import { pace, pendingOf } from './pace.ts';
import type { Arrival } from './receiver.ts';
import { isMain, type Measured } from './run-drill.ts';

/** Seconds, and how many there may be. */
export interface Span {
  readonly took: number;
  readonly allowed: number;
}

export interface Judged {
  readonly drill: Drill;
  readonly measured: Measured;
  /** From the injection to the exporter's page. */
  readonly detection?: Span;
  /** From there, else from the injection, until Prometheus fired. */
  readonly alert?: Span;
  /** From there until it was here. */
  readonly delivery?: number;
  /** Unexpected alerts. */
  readonly unexpected: readonly Arrival[];
  /** What is wrong; none: passed. */
  readonly faults: readonly string[];
}

export const said = (seconds: number): string => `${seconds.toFixed(1)} s`;

export const judge = (drill: Drill, measured: Measured): Judged => {
  const { faultAt, detectedAt, arrivals, late } = measured;
  const expected = [drill.alert, ...(drill.alongside ?? [])];
  const unexpected = arrivals.filter(({ alert }) => !expected.some((name) => name === alert));
  const tooMany = unexpected.map(({ alert, summary }) => `${alert} was not expected: ${summary}`);
  if (faultAt === undefined) {
    return { drill, measured, unexpected, faults: ['all was never well before it began', ...tooMany] };
  }
  const { sign } = drill;
  const main = arrivals.find((one) => isMain(drill, one));
  const intervals = 1 + (sign?.patience?.intervals ?? 0);
  const detection =
    detectedAt === undefined ? undefined : { took: detectedAt - faultAt, allowed: intervals * pace.interval + 1 + late.seeing };
  const allowed = (drill.waits?.seconds ?? 0) + pendingOf(drill.alert) + 2 * pace.scrape + pace.evaluation + late.firing;
  const alert = main === undefined ? undefined : { took: main.firedAt - (detectedAt ?? faultAt), allowed };
  const faults = [
    ...(sign !== undefined && detection === undefined ? [`${sign.family} never showed it`] : []),
    ...(detection !== undefined && detection.took > detection.allowed ? [`it was seen after ${exceeded(detection)}`] : []),
    ...(alert === undefined ? [`${drill.alert} never came${withLabels(drill)}`] : []),
    ...(alert !== undefined && alert.took > alert.allowed ? [`${drill.alert} fired after ${exceeded(alert)}`] : []),
    ...(main !== undefined && main.firedAt < faultAt ? [`${drill.alert} fired before it had a reason to`] : []),
    ...tooMany,
  ];
  return {
    drill,
    measured,
    unexpected,
    faults,
    ...(detection && { detection }),
    ...(alert && { alert }),
    ...(main && { delivery: main.receivedAt - main.firedAt }),
  };
};

const exceeded = ({ took, allowed }: Span): string => `${said(took)}, and ${said(allowed)} are allowed`;

const withLabels = ({ labels }: Drill): string =>
  labels === undefined
    ? ''
    : ` with ${Object.entries(labels)
        .map(([name, value]) => `${name} ${value}`)
        .join(', ')}`;
