// How a walk asks: at the speed that it may, again where another try may help, and a bounded number of times. A node that is in
// trouble is left alone by all questions together.

import type { Answer, Client } from '../client/client.ts';
import type { Failure } from '../client/outcome.ts';
import { pause } from '../pause.ts';
import type { Container } from '../protocol/container.ts';
import type { IndexName } from '../protocol/paths.ts';
import { isRefusal } from '../protocol/refusals.ts';

export interface AskingOptions {
  readonly client: Client;
  readonly index: IndexName;
  /** Aborted: questions under way end, and none is asked any more. */
  readonly signal: AbortSignal;
  /** How often one question is asked before its failure stands. */
  readonly tries: number;
  /** Seconds to wait after so many failures in a row, from 1. */
  readonly backoff: (failures: number) => number;
  /** Most questions a second; absent: no limit. */
  readonly rate?: number | undefined;
  /** Told of every failure after which the question is asked again. */
  readonly onRetry?: ((failure: Failure, waitSeconds: number) => void) | undefined;
}

export type AskOutcome<T> = { readonly kind: 'ok'; readonly value: T } | { readonly kind: 'failed'; readonly failure: Failure };

export type IndexQuestion<T> = (client: Client, index: IndexName, signal: AbortSignal) => Promise<Answer<T>>;

export interface Asking extends Pick<AskingOptions, 'index' | 'signal' | 'tries'> {
  /** `isFinal`: failures that the caller deals with itself, and that are not asked about again. */
  readonly ask: <T>(question: IndexQuestion<T>, isFinal?: (failure: Failure) => boolean) => Promise<AskOutcome<T>>;
}

export const containerAt =
  (number: bigint): IndexQuestion<Container> =>
  (client, index, signal) =>
    client.indexRpc(index, 'index.getContainerByIndex', { index: number }, signal);

export const doubling = (failures: number): number => Math.min(30, 0.25 * 2 ** (failures - 1));

export const askingOf = (options: AskingOptions): Asking => {
  const { client, index, signal, tries, backoff, onRetry } = options;
  const limiter = limiterOf(options.rate, signal);
  // An index that was there is there again when the node has restarted and created its chain.
  let hasAnswered = false;
  return {
    index,
    signal,
    tries,
    ask: async (question, isFinal) => {
      for (let failures = 1; ; failures += 1) {
        await limiter.slot();
        const { outcome } = await question(client, index, signal);
        if (outcome.kind === 'ok') {
          hasAnswered = true;
          return outcome;
        }
        const isLast = signal.aborted || failures >= tries || isFinal?.(outcome) === true || !mayPass(outcome, hasAnswered);
        if (isLast) return { kind: 'failed', failure: outcome };
        const seconds = backoff(failures);
        onRetry?.(outcome, seconds);
        limiter.backOff(seconds);
      }
    },
  };
};

const limiterOf = (rate: number | undefined, signal: AbortSignal) => {
  const gapMs = rate === undefined ? 0 : 1000 / rate;
  let free = 0;
  let backOffUntil = 0;
  return {
    /** Resolves for one each 1/rate seconds, in the order of asking, and for none while all back off. */
    slot: async (): Promise<void> => {
      const now = performance.now();
      const mine = Math.max(now, free);
      free = mine + gapMs;
      if (mine > now) await pause((mine - now) / 1000, signal);
      // Others may have met a failure meanwhile, and again while we waited.
      while (backOffUntil > performance.now() && !signal.aborted) await pause((backOffUntil - performance.now()) / 1000, signal);
    },
    backOff: (seconds: number): void => {
      backOffUntil = Math.max(backOffUntil, performance.now() + seconds * 1000);
    },
  };
};

/** Whether the same question may be answered another time. */
const mayPass = (failure: Failure, hasAnswered: boolean): boolean => {
  switch (failure.kind) {
    case 'refused':
    case 'reset':
    case 'dns':
    case 'timeout':
    case 'network':
    case 'not-json':
      return true;
    case 'http-status':
      return failure.status >= 500 || failure.status === 408 || failure.status === 429 || (failure.status === 404 && hasAnswered);
    case 'tls':
    case 'host-forbidden':
    case 'too-large':
    case 'malformed':
    case 'internal-error':
      return false;
    case 'rpc-error':
      return !isRefusal(failure);
    default:
      return failure satisfies never;
  }
};
