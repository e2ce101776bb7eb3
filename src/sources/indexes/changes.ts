// Log entries about indexes, other than about their heads.

import type { IndexName } from '../../protocol/paths.ts';
import type { LogEntry } from '../../snapshot/log-entry.ts';
import type { Verification } from './verification.ts';

/**
 * Maximum error lines per index and poll. If there are more errors, for example because all containers of a range are wrong, one line
 * counts the rest.
 */
const maxLines = 5;

type Verifications = ReadonlyMap<IndexName, Verification>;

/** Resets of several indexes, as when a node is replaced, are logged in one line. */
export const changesOf = (before: Verifications, after: Verifications): readonly LogEntry[] => [
  ...Object.entries(resets).flatMap(([reset, line]) => {
    const indexes = [...after].flatMap(([index, verification]) => movedIn(reset, index, before.get(index), verification));
    return indexes.length === 0 ? [] : [{ ...line, fields: { indexes: Object.fromEntries(indexes) } }];
  }),
  ...[...after].flatMap(([index, verification]) =>
    [...agreementChange(before.get(index), verification), ...errorLines(verification)].map((entry) => ({
      ...entry,
      fields: { index, ...entry.fields },
    })),
  ),
];

const resets: Readonly<Record<NonNullable<Verification['reset']>, Pick<LogEntry, 'level' | 'message'>>> = {
  'other-node': { level: 'info', message: 'NodeID changed: index verification restarts at the head' },
  back: { level: 'warn', message: 'index is shorter than before: verification restarts at the head' },
  far: { level: 'info', message: 'index is far ahead: containers in between are not verified' },
};

const movedIn = (
  kind: string,
  index: IndexName,
  before: Verification | undefined,
  { reset, following }: Verification,
): readonly (readonly [IndexName, object])[] => {
  // Logged once: a bootstrapping node is far ahead in every poll.
  if (reset !== kind || reset === before?.reset) return [];
  const fields = {
    ...(before?.following.tail !== undefined && { before: before.following.tail.number.toString() }),
    ...(following.tail !== undefined && { after: following.tail.number.toString() }),
  };
  return [[index, fields]];
};

const agreementChange = (before: Verification | undefined, after: Verification): readonly LogEntry[] => {
  const [was, is] = [before?.chain.compared, after.chain.compared];
  if (is === undefined || is.agrees === (was?.agrees ?? true)) return [];
  const fields = { height: is.block.height.toString(), ...(is.drift !== undefined && { drift: is.drift.toString() }) };
  return is.agrees
    ? [{ level: 'info', message: 'index agrees with its chain again', fields }]
    : [{ level: 'warn', message: 'index disagrees with its chain: last accepted block not found', fields }];
};

const errorLines = ({ errors }: Verification): readonly LogEntry[] => {
  const lines = errors.slice(0, maxLines).map(
    ({ kind, number, detail }): LogEntry => ({
      level: 'warn',
      message: 'index integrity error',
      fields: { kind, number: number.toString(), detail },
    }),
  );
  const rest = errors.length - lines.length;
  const last = errors.at(-1);
  if (rest === 0 || last === undefined) return lines;
  const fields = { count: rest, upTo: last.number.toString() };
  return [...lines, { level: 'warn', message: 'more index integrity errors', fields }];
};
