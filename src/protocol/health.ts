// The health report: a map of check results, and whether the node is healthy.

import * as z from 'zod/mini';
import { quoted } from '../text.ts';
import { distinctName, head, isObject } from './foreign-text.ts';
import { type Instant, type LastRun, parseLastRun } from './time.ts';

/**
 * The last run of one check. An invalid value in a check only drops that field, never the report, so everything but the name may be
 * missing.
 */
export interface CheckResult {
  /** Any JSON value. Only the size of the response limits it. Undefined if the node sent none. */
  readonly message?: unknown;
  /** The message was shortened, because the report is too large. */
  readonly messageCut?: true;
  /** The check has failed if this is present, even if it is empty. At most 4096 characters. */
  readonly error?: string;
  /** End of the last run, by the node's clock. */
  readonly timestamp?: LastRun;
  /** Seconds. The node sends whole nanoseconds. */
  readonly duration?: number;
  /** 0 if the node sent none. */
  readonly contiguousFailures: number;
  readonly timeOfFirstFailure?: Instant;
}

export interface HealthReport {
  /** A Map, because a check may be named `__proto__`. In the order of the response. Names have at most 128 characters. */
  readonly checks: ReadonlyMap<string, CheckResult>;
  readonly healthy: boolean;
}

/** The last run of one check in JSON, as a node writes it. Responses may contain anything else. */
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
 * True for the message of a chain's check: `engine.consensus` (empty while bootstrapping) and `networking`. The name of the check cannot
 * be used: it is an ID, or an alias chosen by the operator.
 */
export const isChainMessage = (message: unknown): boolean =>
  isObject(message) && isObject(message.engine) && isObject(message.engine.consensus) && isObject(message.networking);

/** Maximum length of a check's name, which is a label value, and of an error. Longer texts are truncated. */
const longest = { name: 128, error: 4096 } as const;

const text = (value: unknown): string | undefined => {
  // Null is not an error: a proxy in front of the node may write null for absent fields.
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string') return head(value, longest.error);
  // Formatting an object would recurse as deep as the response does.
  return typeof value === 'object' ? 'not a string' : String(value);
};

const nonNegative = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;

/** Parsed without a schema, which would take most of the time of a poll with dozens of checks. It cannot fail as a whole. */
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

// z.record drops a key named __proto__, so this parses the map itself.
const checks = z.pipe(
  z.custom<Readonly<Record<string, WireCheck>>>(isObject, 'must be an object of check results'),
  z.transform((wire, context): ReadonlyMap<string, CheckResult> => {
    const parsed = new Map<string, CheckResult>();
    for (const [name, value] of Object.entries(wire)) {
      if (isObject(value)) parsed.set(distinctName(name, longest.name), checkResult(value));
      else
        context.issues.push({
          code: 'custom',
          message: `check ${quoted(name)} must be an object`,
          input: value,
        });
    }
    return parsed;
  }),
);

/** The response of GET /ext/health, and the result of health.health. */
export const healthReport = z.object({ checks, healthy: z.boolean() });

/** The form in JSON. */
export type WireReport = z.input<typeof healthReport>;
