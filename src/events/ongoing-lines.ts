// Log lines for lasting states of the parts of a target: one when a state begins and one when it ends, each for all parts together.

import { groupBy } from '../lists.ts';
import type { LogEntry, Ongoing } from '../snapshot/log-entry.ts';

export interface OngoingMemory {
  /** Part -> its last logged state. */
  readonly logged: ReadonlyMap<string, Ongoing>;
  /** Warnings of the last poll, which are only logged if the next poll confirms them. */
  readonly unconfirmed: ReadonlyMap<string, string>;
}

export const nothingLogged: OngoingMemory = { logged: new Map(), unconfirmed: new Map() };

/** Maximum number of parts listed in one line. */
const maxParts = 20;

const partOf = ({ field, name, value }: Ongoing): string => (field === 'tags' ? `${field} ${value} ${name}` : `${field} ${name}`);
const textOf = ({ message, value }: Ongoing): string => `${message}: ${value}`;

/** `isKept`: whether the part still exists. If a reload removed it, its state has not ended. */
export const ongoingLines = (
  { logged, unconfirmed }: OngoingMemory,
  ongoing: readonly Ongoing[],
  isKept: (part: Ongoing) => boolean,
): { readonly memory: OngoingMemory; readonly lines: readonly LogEntry[] } => {
  const next = new Map<string, Ongoing>();
  const waiting = new Map<string, string>();
  const started: Ongoing[] = [];
  for (const one of ongoing) {
    const [part, text] = [partOf(one), textOf(one)];
    const before = logged.get(part);
    if (before !== undefined && textOf(before) === text) next.set(part, one);
    else if (one.level === 'warn' && unconfirmed.get(part) !== one.message) {
      waiting.set(part, one.message);
      if (before !== undefined) next.set(part, before);
    } else {
      next.set(part, one);
      // The same failure with another text is not logged again.
      if (before?.message !== one.message || one.level !== 'warn') started.push(one);
    }
  }
  const ended = [...logged].flatMap(([part, { end, ...one }]): readonly Ongoing[] =>
    next.has(part) || waiting.has(part) || end === undefined || !isKept(one) ? [] : [{ ...one, level: 'info', message: end }],
  );
  const lines = [
    ...groupedLines(started, (parts) => Object.fromEntries(parts.map(({ name, value }) => [name, value]))),
    // Without the value: the failure that ended would be read as a new one.
    ...groupedLines(ended, (parts) => parts.map(({ name }) => name)),
  ];
  return { memory: { logged: next, unconfirmed: waiting }, lines };
};

const groupedLines = (all: readonly Ongoing[], listed: (parts: readonly Ongoing[]) => unknown): readonly LogEntry[] =>
  groupBy(all, ({ level, message }) => `${level} ${message}`).map((group) => {
    const [{ level, message, field }] = group;
    const parts = listed(group.slice(0, maxParts));
    return { level, message, fields: { [field]: parts, ...(group.length > maxParts && { count: group.length }) } };
  });
