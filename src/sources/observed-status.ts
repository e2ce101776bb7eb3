// How anything asked is shown: whether the last answer is still taken for true, when it came, and why a later one did not.

import { describe, type Failure } from '../client/outcome.ts';
import type { HealthReport } from '../protocol/health.ts';
import { lastValue, type Observed } from '../snapshot/observed.ts';
import { isoOf, rounded, shortened } from '../text.ts';
import type { Level, StatusContext } from './source.ts';

/** Instants are RFC 3339 in UTC, in the exporter's clock. */
export interface ObservedStatus {
  /** pending: not polled yet · failed: never answered · stale: the last answer is too old to be taken for true */
  readonly freshness: 'pending' | 'failed' | 'current' | 'stale';
  /** When the last good answer came, and how old it is. */
  readonly answeredAt?: string;
  readonly ageSeconds?: number;
  /** Why the last request failed, where it did. */
  readonly lastError?: string;
}

/** Of a GET that answers with a report. */
export interface ReportStatus extends ObservedStatus {
  /** What the node said in its last good answer. */
  readonly healthy?: boolean;
}

type Context = Pick<StatusContext, 'now' | 'maxAge' | 'wallOffset'>;

export const observedStatus = (observed: Observed<unknown>, { now, maxAge, wallOffset }: Context): ObservedStatus => {
  switch (observed.state) {
    case 'pending':
      return { freshness: 'pending' };
    case 'failed':
      return { freshness: 'failed', lastError: errorOf(observed.failure) };
    case 'fresh':
    case 'stale':
      return {
        freshness: now - observed.at <= maxAge ? 'current' : 'stale',
        answeredAt: isoOf(observed.at + wallOffset),
        ageSeconds: rounded(now - observed.at),
        ...(observed.state === 'stale' && { lastError: errorOf(observed.failure) }),
      };
    default:
      return observed satisfies never;
  }
};

// A failure may quote the node (an RPC error's message), so it is bounded like any text of the node's.
const errorOf = (failure: Failure): string => shortened(describe(failure), 600);

export const reportStatus = (report: Observed<HealthReport>, context: Context): ReportStatus => {
  const known = lastValue(report);
  return { ...observedStatus(report, context), ...(known !== undefined && { healthy: known.healthy }) };
};

/** How fresh something is, where that is all there is to say of it. */
export const freshnessMark = ({ freshness }: Pick<ObservedStatus, 'freshness'>) => freshnessMarks[freshness];

const freshnessMarks: Readonly<
  Record<ObservedStatus['freshness'], { readonly level: Level; readonly word: string } | undefined>
> = {
  pending: { level: 'none', word: 'not polled yet' },
  failed: { level: 'bad', word: 'no answer' },
  stale: { level: 'warn', word: 'stale' },
  current: undefined,
};
