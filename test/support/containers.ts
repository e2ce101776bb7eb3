// Numbered containers, and an index of them that answers correctly or lies.

import type { Answer } from '../../src/client/client.ts';
import type { Outcome } from '../../src/client/outcome.ts';
import type { Container } from '../../src/protocol/container.ts';
import { idOf } from '../../src/protocol/id.ts';
import type { IndexName } from '../../src/protocol/paths.ts';
import { formatInstant } from '../../src/protocol/time.ts';
import { type Checked, checked } from '../../src/sources/indexes/integrity-error.ts';
import type { IndexAnswers, IndexQuestions } from '../../src/sources/indexes/questions.ts';
import { encodeHex } from './hex.ts';

const epoch = 1_800_000_000n;

/** Each container is accepted a second after the previous one. `of` distinguishes networks. */
export const containerAt = (number: number | bigint, of = 'block'): Container => {
  const bytes = new TextEncoder().encode(`${of} ${number}`);
  return {
    id: idOf(bytes),
    bytes: encodeHex(bytes),
    timestamp: formatInstant((epoch + BigInt(number)) * 1_000_000_000n),
    encoding: 'hex',
    index: BigInt(number),
  };
};

export const containersTo = (last: number, of = 'block'): readonly Container[] =>
  Array.from({ length: last + 1 }, (_, number) => containerAt(number, of));

export const answerOf = <T>(outcome: Outcome<T>, at: number, nodeId?: string): Answer<T> => ({
  outcome,
  sentAt: at,
  endedAt: at,
  ...(nodeId !== undefined && { nodeId }),
});

const refused = (message: string): Outcome<never> => ({ kind: 'rpc-error', code: -32_000, message });

/** The outcomes of the six index methods, as in the embedded node. A lie replaces one of them. */
export interface IndexMethods {
  readonly last: () => Outcome<Container>;
  readonly byIndex: (number: bigint) => Outcome<Container>;
  readonly range: (start: bigint, count: number) => Outcome<readonly Container[]>;
  readonly numberOf: (id: string) => Outcome<{ readonly index: bigint }>;
  readonly isAccepted: (id: string) => Outcome<{ readonly isAccepted: boolean }>;
}

/** The containers in order; a missing number is a container that the index has lost. */
export const indexOf = (containers: readonly Container[]): IndexMethods => {
  const byIndex = (number: bigint): Container | undefined => containers.find(({ index }) => index === number);
  const byId = (id: string): Container | undefined => containers.find((one) => one.id === id);
  const last = containers.at(-1);
  return {
    last: () => (last === undefined ? refused('no containers have been accepted') : { kind: 'ok', value: last }),
    byIndex: (number) => {
      const found = byIndex(number);
      return found === undefined ? refused(`no container at index ${number}`) : { kind: 'ok', value: found };
    },
    range: (start, count) => ({
      kind: 'ok',
      value: containers.filter(({ index }) => index >= start && index < start + BigInt(count)),
    }),
    numberOf: (id) => {
      const found = byId(id);
      return found === undefined ? refused('not found') : { kind: 'ok', value: { index: found.index } };
    },
    isAccepted: (id) => ({ kind: 'ok', value: { isAccepted: byId(id) !== undefined } }),
  };
};

const checkedIn = (index: IndexName, { outcome, ...rest }: Answer<readonly Container[]>): Answer<readonly Checked[]> => ({
  ...rest,
  outcome: outcome.kind === 'ok' ? { kind: 'ok', value: outcome.value.map((one) => checked(index, one)) } : outcome,
});

export const answersTo = (
  { range, numbersOf, accepted }: IndexQuestions,
  methods: IndexMethods,
  at: number,
  nodeId?: string,
  index: IndexName = 'P/block',
): IndexAnswers => {
  const one = (number: bigint): Outcome<readonly Container[]> => {
    const outcome = methods.byIndex(number);
    return outcome.kind === 'ok' ? { kind: 'ok', value: [outcome.value] } : outcome;
  };
  const containers =
    range === undefined
      ? undefined
      : answerOf(range.count === 1 ? one(range.start) : methods.range(range.start, range.count), at, nodeId);
  return {
    ...(containers !== undefined && { range: checkedIn(index, containers) }),
    numbersOf: new Map(numbersOf.map((id) => [id, answerOf(methods.numberOf(id), at, nodeId)])),
    accepted: new Map(accepted.map((id) => [id, answerOf(methods.isAccepted(id), at, nodeId)])),
  };
};
