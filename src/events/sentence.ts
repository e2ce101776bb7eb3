// Records as a line of the log: its message is a sentence, its fields are the records'.

import type { LogEntry } from '../snapshot/log-entry.ts';
import { span } from '../text.ts';
import { jsonOf } from './json.ts';
import { type Draft, type EventKind, recordLimits } from './record.ts';

/** `alike`: records that differ only in check and tag set. `isFirstPass`: no poll has seen the check pass before. */
export const logEntryOf = (alike: readonly [Draft, ...Draft[]], isFirstPass = false): LogEntry => {
  const [first] = alike;
  // These are not fields, because the message contains them, or because every line has them.
  const {
    kind,
    at: _at,
    target: _target,
    message: _message,
    condition,
    check,
    alsoFailing,
    alsoFailingCount,
    error,
    reason,
    ...rest
  } = first;
  // The error of a check that passes again, and its reason, were logged when it began to fail.
  const checks = alike.flatMap((one) => one.check ?? []);
  const tagSets = [...new Set(alike.flatMap((one) => one.tagSets ?? []))];
  // A condition is not about one check: the check is only its reason.
  const others =
    check === undefined ? { failing: alsoFailing, failingCount: alsoFailingCount } : { alsoFailing, alsoFailingCount };
  const own = alike.length === 1 ? { check, ...others } : {};
  const listed = {
    ...(tagSets.length > 0 && { tagSets }),
    ...(checks.length > 1 && { checks: checks.slice(0, recordLimits.names) }),
  };
  const fields = Object.entries({
    condition,
    ...jsonOf(
      first.to === 'passing' ? rest : { ...rest, ...(error !== undefined && { error }), ...(reason !== undefined && { reason }) },
    ),
    ...own,
    ...listed,
  }).filter(([, value]) => value !== undefined);
  const { text, isTrouble } = texts[kind];
  return {
    level: (typeof isTrouble === 'boolean' ? isTrouble : isTrouble(first)) ? 'warn' : 'info',
    message: text(first, checks.length === 1 ? `check ${check}` : `${checks.length} checks`, {
      isFirstPass,
      failedFor: failedFor(alike),
    }),
    fields: Object.fromEntries(fields),
  };
};

interface Passed {
  readonly isFirstPass: boolean;
  /** ` after 15 s`; empty if it is unknown, or not the same for all checks. */
  readonly failedFor: string;
}

/** Both times are from the node's clock. */
const failedFor = (alike: readonly Draft[]): string => {
  const spans = new Set(
    alike.map(({ firstFailureAt, lastRunAt }) =>
      firstFailureAt === undefined || lastRunAt === undefined ? 0 : Math.round(lastRunAt - firstFailureAt),
    ),
  );
  const [seconds = 0] = spans;
  return spans.size === 1 && seconds > 0 ? ` after ${span(seconds)}` : '';
};

interface LineText {
  /** `which`: `check P`, `3 checks`. */
  readonly text: (draft: Draft, which: string, passed: Passed) => string;
  readonly isTrouble: boolean | ((draft: Draft) => boolean);
}

const texts: Readonly<Record<EventKind, LineText>> = {
  check: {
    text: ({ unseen, to }, which, { isFirstPass, failedFor }) => {
      if (unseen === true) return `${which} passed between two polls`;
      if (to === 'failing') return `${which} began to fail`;
      return isFirstPass ? `${which} passed for the first time` : `${which} passed again${failedFor}`;
    },
    isTrouble: ({ to }) => to === 'failing',
  },
  'found-failing': { text: (_, which) => `${which} failing`, isTrouble: true },
  'check-gone': { text: (_, which) => `${which} removed from the report`, isTrouble: true },
  'check-back': { text: (_, which) => `${which} added to the report again`, isTrouble: ({ to }) => to === 'failing' },
  'node-restarted': { text: ({ message = '' }) => `node restarted: ${message}`, isTrouble: true },
  'node-id-changed': { text: ({ from, to }) => `NodeID changed from ${from} to ${to}`, isTrouble: true },
  'version-changed': { text: ({ from, to }) => `node version changed from ${from} to ${to}`, isTrouble: false },
  'health-frozen': { text: () => 'health checks stopped running: the report is outdated', isTrouble: true },
  'health-running': { text: () => 'health checks running again', isTrouble: false },
  condition: {
    text: ({ condition, to, message = '' }) => `condition ${condition} changed to ${to}: ${message}`,
    isTrouble: ({ from, to, condition }) =>
      to === 'False' || ((condition === 'Ready' || condition === 'Healthy') && from === 'True'),
  },
  maintenance: { text: ({ message = '' }) => `maintenance ${message}`, isTrouble: false },
  'maintenance-ended': { text: () => 'maintenance ended', isTrouble: false },
  'target-removed': { text: ({ message = '' }) => `target removed: ${message}`, isTrouble: false },
};
