// What is kept of a health report until the next poll: one of the whole node, and one for each tag set, however many there are. What a
// node may send in one response must not be what it may fill the memory with.

import { head } from './foreign-text.ts';
import type { CheckResult, HealthReport } from './health.ts';

/**
 * UTF-16 units of all errors and messages of a report; what comes after them keeps so much of each text. A real report has up to 100,000,
 * and, where the node is cut off, three lists of all validators of its network beside them.
 */
const maxTexts = { whole: 131_072, outline: 16_384, rest: 256 } as const;

/** Texts of a list in a report that has too many: of the rest, which nobody reads, is kept how many there are. */
const maxListed = 256;

/** Of the list of subnets in the message of `bootstrapped`: of a longer one nothing is kept, and then it counts for every tag set. */
const maxSubnets = { count: 1000, length: 64 } as const;

/** Of the report of the whole node: all but what is too much for one. */
export const wholeReport = (report: HealthReport): HealthReport => {
  let size = 0;
  for (const { error = '', message } of report.checks.values()) size += error.length + sizeOf(message);
  if (size <= maxTexts.whole) return report;
  const text = shortening(maxTexts.whole);
  return { ...report, checks: mapped(report, ({ message }) => copied(message, text), text) };
};

/** Of the report of a tag set, of readiness and liveness: no message but the one that readiness is judged by. */
export const reportOutline = (report: HealthReport): HealthReport => ({
  ...report,
  checks: mapped(
    report,
    ({ message }, check) => (check === 'bootstrapped' ? subnetsOf(message) : undefined),
    shortening(maxTexts.outline),
  ),
});

const mapped = (
  { checks }: HealthReport,
  messageOf: (result: CheckResult, check: string) => unknown,
  text: Shortening,
): HealthReport['checks'] => {
  const kept = new Map<string, CheckResult>();
  for (const [check, result] of checks) {
    const { message: _, error, ...rest } = result;
    const message = messageOf(result, check);
    if (error === undefined && message === undefined) {
      kept.set(check, rest);
      continue;
    }
    const messageCut = message !== undefined && text.isOver();
    kept.set(check, {
      ...(error !== undefined && { error: text.take(error) }),
      ...(message !== undefined && { message }),
      ...(messageCut && { messageCut }),
      ...rest,
    });
  }
  return kept;
};

const subnetsOf = (message: unknown): unknown =>
  Array.isArray(message) && message.length <= maxSubnets.count
    ? message.filter((subnet) => typeof subnet === 'string' && subnet.length <= maxSubnets.length)
    : undefined;

interface Shortening {
  readonly isOver: () => boolean;
  readonly take: (text: string) => string;
}

const shortening = (units: number): Shortening => {
  let left = units;
  return {
    isOver: () => left <= 0,
    take: (text) => {
      left -= text.length;
      return left >= 0 ? text : head(text, maxTexts.rest);
    },
  };
};

/** A response is bounded in depth. */
const sizeOf = (value: unknown): number => {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 0;
  let size = 0;
  if (Array.isArray(value)) for (const item of value) size += sizeOf(item);
  else for (const name of Object.keys(value)) size += name.length + sizeOf(Reflect.get(value, name));
  return size;
};

/** Once too much was taken, members and items are left out. */
const copied = (value: unknown, text: Shortening): unknown => {
  if (typeof value === 'string') return text.take(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value))
    return value.flatMap((item, at) => {
      if (text.isOver()) return [];
      return [at >= maxListed && typeof item === 'string' ? '' : copied(item, text)];
    });
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) => (text.isOver() ? [] : [[text.take(name), copied(member, text)]])),
  );
};
