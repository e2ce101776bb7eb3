// What is worth a line in the log of an index beyond its head.

import type { Change } from './changes.ts';
import type { IndexWatch } from './index-watch.ts';

/** Most faults of one round that have a line each: a stretch in which everything is wrong is told in a few. */
const mostLines = 5;

export const watchChanges = (before: IndexWatch | undefined, after: IndexWatch): readonly Change[] => [
  ...anewChange(before, after),
  ...agreementChange(before, after),
  ...faultChanges(after),
];

const anewChange = (before: IndexWatch | undefined, { anew, following }: IndexWatch): readonly Change[] => {
  // A node that bootstraps runs ahead in every round.
  if (anew === undefined || anew === before?.anew) return [];
  const fields = {
    ...(before?.following.tail !== undefined && { before: before.following.tail.number.toString() }),
    ...(following.tail !== undefined && { number: following.tail.number.toString() }),
  };
  switch (anew) {
    case 'other-node':
      return [{ level: 'info', message: 'another node answers: its index is followed from its head on', fields }];
    case 'back':
      return [{ level: 'warn', message: 'the index ends before where it ended: it is followed from its head on', fields }];
    case 'far':
      return [{ level: 'info', message: 'the index is far ahead: what lies between is not looked at', fields }];
    default:
      return anew satisfies never;
  }
};

const agreementChange = (before: IndexWatch | undefined, after: IndexWatch): readonly Change[] => {
  const [was, is] = [before?.chain.compared, after.chain.compared];
  if (is === undefined || is.agrees === (was?.agrees ?? true)) return [];
  const fields = { height: is.end.height.toString(), ...(is.drift !== undefined && { drift: is.drift.toString() }) };
  return is.agrees
    ? [{ level: 'info', message: "the index has the chain's last block again", fields }]
    : [{ level: 'warn', message: "the index has not the chain's last block", fields }];
};

const faultChanges = ({ faults }: IndexWatch): readonly Change[] => {
  const lines = faults.slice(0, mostLines).map(
    ({ kind, number, detail }): Change => ({
      level: 'warn',
      message: 'a fault in the index',
      fields: { kind, number: number.toString(), detail },
    }),
  );
  const rest = faults.length - lines.length;
  const last = faults.at(-1);
  if (rest === 0 || last === undefined) return lines;
  const fields = { count: rest, upTo: last.number.toString() };
  return [...lines, { level: 'warn', message: 'more faults in the index', fields }];
};
