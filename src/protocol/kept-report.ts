// The part of a health report that is kept until the next poll: one report of the whole node, and one per tag set, of which there may be
// many. A node must not be able to fill the memory with what it may send in one response.

import { head } from './foreign-text.ts';
import type { CheckResult, HealthReport } from './health.ts';

/**
 * Maximum UTF-16 units of all errors and messages of a report. After that, only `rest` units of each text are kept. A real report has up to
 * 100,000, plus three lists of all validators of its network if the node is cut off.
 */
const maxTexts = { whole: 131_072, outline: 16_384, rest: 256 } as const;

/** Maximum texts of a list in a report that is too large. Of further ones, which nobody reads, only the number is kept. */
const maxListed = 256;

/** Limits of the list of subnets in the message of `bootstrapped`. A longer list is dropped, and the check counts for every tag set. */
const maxSubnets = { count: 1000, length: 64 } as const;

/** For the report of the whole node: keeps everything unless it is too large. */
export const wholeReport = (report: HealthReport): HealthReport => {
  let size = 0;
  for (const { error = '', message } of report.checks.values()) size += error.length + sizeOf(message);
  if (size <= maxTexts.whole) return report;
  const text = shortening(maxTexts.whole);
  return { ...report, checks: mapped(report, ({ message }) => copied(message, text), text) };
};

/** For reports of a tag set, readiness and liveness: keeps no message except the one that decides on readiness. */
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

/** May recurse, because the depth of a response is limited. */
const sizeOf = (value: unknown): number => {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 0;
  let size = 0;
  if (Array.isArray(value)) for (const item of value) size += sizeOf(item);
  else for (const name of Object.keys(value)) size += name.length + sizeOf(Reflect.get(value, name));
  return size;
};

/** Leaves out fields and items after the limit is reached. */
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
