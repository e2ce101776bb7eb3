// Records as a line of the log: its message is a sentence, its fields are the records'.

import type { LogEntry } from '../snapshot/log-entry.ts';
import { jsonOf } from './json.ts';
import { type Draft, limits } from './record.ts';

/** Records that are alike but for their check or their tag set. `isFirstPass`: nobody has seen the check pass before. */
export const lineOf = (alike: readonly [Draft, ...Draft[]], isFirstPass = false): LogEntry => {
  const [first] = alike;
  // What the sentence says, and what every line has, is no field.
  const { kind: _, at: __, target: ___, message: ____, condition, check, alsoFailing, alsoFailingCount, ...rest } = first;
  const checks = alike.flatMap((one) => one.check ?? []);
  const tagSets = [...new Set(alike.flatMap((one) => one.tagSets ?? []))];
  const own = alike.length === 1 ? { check, alsoFailing, alsoFailingCount } : {};
  const listed = { ...(tagSets.length > 0 && { tagSets }), ...(checks.length > 1 && { checks: checks.slice(0, limits.names) }) };
  const fields = Object.entries({ condition, ...jsonOf(rest), ...own, ...listed }).filter(([, value]) => value !== undefined);
  return {
    level: isTrouble(first) ? 'warn' : 'info',
    message: sentenceOf(first, checks.length === 1 ? `check ${check}` : `${checks.length} checks`, isFirstPass),
    fields: Object.fromEntries(fields),
  };
};

const isTrouble = ({ kind, from, to, condition }: Draft): boolean => {
  switch (kind) {
    case 'check':
    case 'check-back':
      return to === 'failing';
    case 'found-failing':
    case 'check-gone':
    case 'node-restarted':
    case 'node-id-changed':
    case 'health-frozen':
      return true;
    case 'health-running':
    case 'maintenance':
    case 'maintenance-ended':
    case 'target-removed':
      return false;
    case 'condition':
      return to === 'False' || ((condition === 'Ready' || condition === 'Healthy') && from === 'True');
    default:
      return kind satisfies never;
  }
};

const sentenceOf = ({ kind, from, to, unseen, message = '', condition }: Draft, which: string, isFirstPass: boolean): string => {
  switch (kind) {
    case 'check':
      if (unseen === true) return `${which} passed between two polls`;
      if (to === 'failing') return `${which} began to fail`;
      return isFirstPass ? `${which} passed for the first time` : `${which} passed again`;
    case 'found-failing':
      return `${which} failing`;
    case 'check-gone':
      return `${which} removed from the report`;
    case 'check-back':
      return `${which} added to the report again`;
    case 'node-restarted':
      return `node restarted: ${message}`;
    case 'node-id-changed':
      return `NodeID changed from ${from} to ${to}`;
    case 'health-frozen':
      return 'health checks stopped running: the report is old';
    case 'health-running':
      return 'health checks running again';
    case 'condition':
      return `condition ${condition} changed to ${to}: ${message}`;
    case 'maintenance':
      return `maintenance ${message}`;
    case 'maintenance-ended':
      return 'maintenance ended';
    case 'target-removed':
      return `target removed: ${message}`;
    default:
      return kind satisfies never;
  }
};
