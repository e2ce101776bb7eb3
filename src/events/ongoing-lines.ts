// What holds of the parts of a target, as lines: said when it begins and when it ends, in one line for all parts.

import type { LogEntry, Ongoing } from '../snapshot/log-entry.ts';
import { groupBy } from './group-by.ts';

export interface OngoingMemory {
  /** By part: what was said of it last. */
  readonly said: ReadonlyMap<string, Ongoing>;
  /** Warnings of the last poll: one that the next poll takes back is not worth a line. */
  readonly unconfirmed: ReadonlyMap<string, string>;
}

export const nothingSaid: OngoingMemory = { said: new Map(), unconfirmed: new Map() };

/** Most parts that one line lists. */
const maxParts = 20;

const partOf = ({ field, name, value }: Ongoing): string => (field === 'tags' ? `${field} ${value} ${name}` : `${field} ${name}`);
const textOf = ({ message, value }: Ongoing): string => `${message}: ${value}`;

export const ongoingLines = (
  { said, unconfirmed }: OngoingMemory,
  ongoing: readonly Ongoing[],
): { readonly memory: OngoingMemory; readonly lines: readonly LogEntry[] } => {
  const next = new Map<string, Ongoing>();
  const waiting = new Map<string, string>();
  const started: Ongoing[] = [];
  for (const one of ongoing) {
    const [part, text] = [partOf(one), textOf(one)];
    const before = said.get(part);
    if (before !== undefined && textOf(before) === text) next.set(part, one);
    else if (one.level === 'warn' && unconfirmed.get(part) !== one.message) {
      waiting.set(part, one.message);
      if (before !== undefined) next.set(part, before);
    } else {
      next.set(part, one);
      // Another text of the same failure is the same failure.
      if (before?.message !== one.message || one.level !== 'warn') started.push(one);
    }
  }
  const ended = [...said].flatMap(([part, { end, ...one }]): readonly Ongoing[] =>
    next.has(part) || waiting.has(part) || end === undefined ? [] : [{ ...one, level: 'info', message: end }],
  );
  return { memory: { said: next, unconfirmed: waiting }, lines: groupedLines([...started, ...ended]) };
};

const groupedLines = (all: readonly Ongoing[]): readonly LogEntry[] =>
  groupBy(all, ({ level, message }) => `${level} ${message}`).map((group) => {
    const [{ level, message, field }] = group;
    const parts = Object.fromEntries(group.slice(0, maxParts).map(({ name, value }) => [name, value]));
    return { level, message, fields: { [field]: parts, ...(group.length > maxParts && { count: group.length }) } };
  });
