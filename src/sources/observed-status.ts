// Shows the status of any request: whether the last response has expired, when it arrived, and why a later request failed.

import { describe, type Failure } from '../client/outcome.ts';
import type { HealthReport } from '../protocol/health.ts';
import { lastValue, type Observed } from '../snapshot/observed.ts';
import { isoOf, rounded, shortened } from '../text.ts';
import type { Level, StatusContext } from './source.ts';

/** Instants are RFC 3339 in UTC, in the exporter's clock. */
export interface ObservedStatus {
  /** pending: not polled yet · failed: no response so far · stale: the last response has expired */
  readonly freshness: 'pending' | 'failed' | 'current' | 'stale';
  /** When the last valid response arrived, and its age. */
  readonly answeredAt?: string;
  readonly ageSeconds?: number;
  /** The failure of the last request, if it failed. */
  readonly lastError?: string;
}

/** For a GET that returns a report. */
export interface ReportStatus extends ObservedStatus {
  /** From the last valid response. */
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

// A failure may quote the node (the message of an RPC error), so it is cut to a limit like any text of the node.
const errorOf = (failure: Failure): string => shortened(describe(failure), 600);

export const reportStatus = (report: Observed<HealthReport>, context: Context): ReportStatus => {
  const known = lastValue(report);
  return { ...observedStatus(report, context), ...(known !== undefined && { healthy: known.healthy }) };
};

/** Word and level of the freshness, if there is nothing else to show. */
export const freshnessMark = ({ freshness }: Pick<ObservedStatus, 'freshness'>) => freshnessMarks[freshness];

const freshnessMarks: Readonly<
  Record<ObservedStatus['freshness'], { readonly level: Level; readonly word: string } | undefined>
> = {
  pending: { level: 'none', word: 'not polled yet' },
  failed: { level: 'bad', word: 'no response' },
  stale: { level: 'warn', word: 'stale' },
  current: undefined,
};
