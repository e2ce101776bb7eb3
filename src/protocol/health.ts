// The health report: one map of check results, and one verdict.

import * as z from 'zod/mini';
import { distinctName, head, isObject } from './foreign-text.ts';
import { type Instant, type LastRun, parseLastRun } from './time.ts';

/**
 * One check's last run. One odd value in one check costs that field, never the report, so everything but the name may be
 * missing.
 */
export interface CheckResult {
  /** Any JSON value, bounded only by the size of the body. Absent when the node sent none. */
  readonly message?: unknown;
  /** Of the report there is so much that of this message not all is kept. */
  readonly messageCut?: true;
  /** Present means failed, even when it is empty. At most 4096 characters. */
  readonly error?: string;
  /** End of the last run, in the node's clock. */
  readonly timestamp?: LastRun;
  /** Seconds. The wire carries whole nanoseconds. */
  readonly duration?: number;
  /** 0 when the node sent none. */
  readonly contiguousFailures: number;
  readonly timeOfFirstFailure?: Instant;
}

export interface HealthReport {
  /** A Map: a check may be named `__proto__`. In the order of the wire. Names of at most 128 characters. */
  readonly checks: ReadonlyMap<string, CheckResult>;
  readonly healthy: boolean;
}

/** One check's last run as it stands in JSON: what a node writes. What comes from the wire may be anything. */
export interface WireCheck {
  readonly message?: unknown;
  readonly error?: string;
  /** RFC 3339. */
  readonly timestamp: string;
  /** Whole nanoseconds. */
  readonly duration: number;
  readonly contiguousFailures?: number;
  readonly timeOfFirstFailure?: string;
}

/**
 * True for the message of a chain's check: `engine.consensus` (empty while bootstrapping) and `networking`. It is known by this shape,
 * not by its name, which is an id or an alias that the operator chose.
 */
export const isChainMessage = (message: unknown): boolean =>
  isObject(message) && isObject(message.engine) && isObject(message.engine.consensus) && isObject(message.networking);

/** Longest name of a check, a label's; and longest error text. What is longer is cut. */
const longest = { name: 128, error: 4096 } as const;

const text = (value: unknown): string | undefined => {
  // A null is no error: whatever stands between the node and us may write absent members so.
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string') return head(value, longest.error);
  // Spelling out an object would recurse, as deep as the body says.
  return typeof value === 'object' ? 'not a string' : String(value);
};

const nonNegative = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;

/** By hand: what every poll brings by the dozen costs a schema most of its time. Nothing in it is ever wrong as a whole. */
const checkResult = (wire: Readonly<Record<string, unknown>>): CheckResult => {
  const { message } = wire;
  const error = text(wire.error);
  const timestamp = typeof wire.timestamp === 'string' ? parseLastRun(wire.timestamp) : undefined;
  const duration = nonNegative(wire.duration);
  const first = typeof wire.timeOfFirstFailure === 'string' ? parseLastRun(wire.timeOfFirstFailure) : undefined;
  const failures = nonNegative(wire.contiguousFailures);
  const result: { -readonly [Member in keyof CheckResult]: CheckResult[Member] } = {
    contiguousFailures: failures !== undefined && Number.isInteger(failures) ? failures : 0,
  };
  if (message !== undefined) result.message = message;
  if (error !== undefined) result.error = error;
  if (timestamp !== undefined) result.timestamp = timestamp;
  if (duration !== undefined) result.duration = duration / 1e9;
  if (typeof first === 'number') result.timeOfFirstFailure = first;
  return result;
};

// z.record drops a key named __proto__, so the map is walked here.
const checks = z.pipe(
  z.custom<Readonly<Record<string, WireCheck>>>(isObject, 'must be an object of check results'),
  z.transform((wire, context): ReadonlyMap<string, CheckResult> => {
    const parsed = new Map<string, CheckResult>();
    for (const [name, value] of Object.entries(wire)) {
      if (isObject(value)) parsed.set(distinctName(name, longest.name), checkResult(value));
      else
        context.issues.push({
          code: 'custom',
          message: `check ${JSON.stringify(name.slice(0, 64))} must be an object`,
          input: value,
        });
    }
    return parsed;
  }),
);

/** The report of GET /ext/health and of result in health.health. */
export const healthReport = z.object({ checks, healthy: z.boolean() });

/** As it stands in JSON. */
export type WireReport = z.input<typeof healthReport>;
