// What is worth a line in the log of an index beyond its head.

import type { LogEntry } from '../../snapshot/log-entry.ts';
import type { IndexWatch } from './watch.ts';

/** Most faults of one poll that have a line each: a stretch in which everything is wrong is told in a few. */
const maxLines = 5;

export const watchChanges = (before: IndexWatch | undefined, after: IndexWatch): readonly LogEntry[] => [
  ...resetChange(before, after),
  ...agreementChange(before, after),
  ...faultChanges(after),
];

const resetChange = (before: IndexWatch | undefined, { reset, following }: IndexWatch): readonly LogEntry[] => {
  // A node that bootstraps runs ahead in every poll.
  if (reset === undefined || reset === before?.reset) return [];
  const fields = {
    ...(before?.following.tail !== undefined && { before: before.following.tail.number.toString() }),
    ...(following.tail !== undefined && { number: following.tail.number.toString() }),
  };
  switch (reset) {
    case 'other-node':
      return [{ level: 'info', message: 'NodeID changed: index verification restarts at the head', fields }];
    case 'back':
      return [{ level: 'warn', message: 'index is shorter than before: verification restarts at the head', fields }];
    case 'far':
      return [{ level: 'info', message: 'index is far ahead: containers in between are not verified', fields }];
    default:
      return reset satisfies never;
  }
};

const agreementChange = (before: IndexWatch | undefined, after: IndexWatch): readonly LogEntry[] => {
  const [was, is] = [before?.chain.compared, after.chain.compared];
  if (is === undefined || is.agrees === (was?.agrees ?? true)) return [];
  const fields = { height: is.end.height.toString(), ...(is.drift !== undefined && { drift: is.drift.toString() }) };
  return is.agrees
    ? [{ level: 'info', message: 'index agrees with its chain again', fields }]
    : [{ level: 'warn', message: 'index disagrees with its chain: last accepted block not found', fields }];
};

const faultChanges = ({ faults }: IndexWatch): readonly LogEntry[] => {
  const lines = faults.slice(0, maxLines).map(
    ({ kind, number, detail }): LogEntry => ({
      level: 'warn',
      message: 'index integrity error',
      fields: { kind, number: number.toString(), detail },
    }),
  );
  const rest = faults.length - lines.length;
  const last = faults.at(-1);
  if (rest === 0 || last === undefined) return lines;
  const fields = { count: rest, upTo: last.number.toString() };
  return [...lines, { level: 'warn', message: 'more index integrity errors', fields }];
};
