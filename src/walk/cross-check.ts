// Cross-checks an index, one container at a time: whether its other methods agree with the result of a range.

import type { Failure } from '../client/outcome.ts';
import type { Container } from '../protocol/container.ts';
import { isAbsence } from '../protocol/refusals.ts';
import { printable } from '../text.ts';
import { type Asking, type AskOutcome, containerAt, type IndexQuestion } from './asking.ts';
import type { Finding, Suspect } from './findings.ts';

export interface CrossCheckOptions {
  readonly concurrency: number;
  /** Requests getIndex for the ID of every n-th container: 1 for all, 0 for none. */
  readonly idEvery: number;
  /** Requests every n-th container by its number: 1 for all, 0 for none. */
  readonly numberEvery: number;
}

export type CrossChecked =
  | { readonly kind: 'ok'; readonly findings: readonly Finding[]; readonly asked: number }
  | { readonly kind: 'failed'; readonly failure: Failure };

type Question = () => Promise<Finding | Failure | undefined>;

export const crossCheck = (
  asking: Asking,
  containers: readonly Container[],
  { concurrency, idEvery, numberEvery }: CrossCheckOptions,
): Promise<CrossChecked> => {
  // Always includes the first and the last of a stretch: an incomplete write leaves its fault at an end.
  const sample = (every: number, check: typeof checkId): readonly Question[] =>
    containers
      .filter(({ index }, at) => every > 0 && (at === 0 || at === containers.length - 1 || index % BigInt(every) === 0n))
      .map((container) => () => check(asking, container));
  return askAll([...sample(idEvery, checkId), ...sample(numberEvery, checkNumber)], concurrency);
};

const checkId = async (asking: Asking, { id, index: number }: Container): Promise<Finding | Failure | undefined> => {
  const answer = await orRefusal(asking, (client, index, signal) => client.indexRpc(index, 'index.getIndex', { id }, signal));
  if (answer.kind === 'failed') return answer.failure;
  if (answer.kind === 'refused') return { kind: 'id', number, detail: `the index does not find its id (${answer.message})` };
  const found = answer.value.index;
  return found === number ? undefined : { kind: 'id', number, detail: `the index returns ${found} for its id` };
};

const checkNumber = async (asking: Asking, { id, bytes, index: number }: Container): Promise<Finding | Failure | undefined> => {
  const answer = await byNumber(asking, number);
  if (answer.kind === 'failed') return answer.failure;
  if (answer.kind === 'refused') return { kind: 'id', number, detail: `the index does not find its number (${answer.message})` };
  const { value } = answer;
  if (value.index === number && value.id === id && value.bytes === bytes) return undefined;
  return { kind: 'id', number, detail: 'requested by number, the index returns another container' };
};

/** Reads the earlier container again, because only a hash of each ID is remembered. */
export const confirmDuplicates = (asking: Asking, suspects: readonly Suspect[], concurrency: number): Promise<CrossChecked> => {
  const confirm = async ({ id, earlier, number }: Suspect): Promise<Finding | Failure | undefined> => {
    const answer = await byNumber(asking, earlier);
    if (answer.kind === 'failed') return answer.failure;
    if (answer.kind === 'refused' || answer.value.id !== id) return undefined;
    return { kind: 'duplicate', number, detail: `${printable(id)} is also at ${earlier}` };
  };
  return askAll(
    suspects.map((suspect) => () => confirm(suspect)),
    concurrency,
  );
};

type Answered<T> = AskOutcome<T> | { readonly kind: 'refused'; readonly message: string };

/** That the index does not have such a container is a result here. Other errors, such as those of its database, are failures. */
const orRefusal = async <T>(asking: Asking, question: IndexQuestion<T>): Promise<Answered<T>> => {
  const asked = await asking.ask(question);
  if (asked.kind === 'ok' || asked.failure.kind !== 'rpc-error' || !isAbsence(asked.failure)) return asked;
  return { kind: 'refused', message: asked.failure.message };
};

const byNumber = (asking: Asking, number: bigint): Promise<Answered<Container>> => orRefusal(asking, containerAt(number));

/** Runs at most `concurrency` at once, because a request's timeout includes its wait for a connection. Stops at the first failure. */
const askAll = async (questions: readonly Question[], concurrency: number): Promise<CrossChecked> => {
  const findings: Finding[] = [];
  let failure: Failure | undefined;
  let next = 0;
  const askOn = async (): Promise<void> => {
    for (let question = questions[next++]; question !== undefined && failure === undefined; question = questions[next++]) {
      const found = await question();
      if (found === undefined) continue;
      if ('detail' in found) findings.push(found);
      else failure ??= found;
    }
  };
  await Promise.all(Array.from({ length: concurrency }, askOn));
  return failure === undefined ? { kind: 'ok', findings, asked: questions.length } : { kind: 'failed', failure };
};
