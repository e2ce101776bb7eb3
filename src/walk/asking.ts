// Sends the requests of a walk: limits their rate, retries those that may succeed, and limits the number of tries. All requests back off
// together if the node is in trouble.

import type { Answer, Client } from '../client/client.ts';
import type { Failure } from '../client/outcome.ts';
import { pause } from '../pause.ts';
import type { Container } from '../protocol/container.ts';
import type { IndexName } from '../protocol/paths.ts';
import { isRefusal } from '../protocol/refusals.ts';

export interface AskingOptions {
  readonly client: Client;
  readonly index: IndexName;
  /** When aborted, running requests end, and no new ones start. */
  readonly signal: AbortSignal;
  /** Maximum number of tries per request. */
  readonly tries: number;
  /** Seconds to wait after this many failures in a row, from 1. */
  readonly backoff: (failures: number) => number;
  /** Maximum requests per second. Default: no limit. */
  readonly rate?: number | undefined;
  /** Called with every failure that is retried. */
  readonly onRetry?: ((failure: Failure, waitSeconds: number) => void) | undefined;
}

export type AskOutcome<T> = { readonly kind: 'ok'; readonly value: T } | { readonly kind: 'failed'; readonly failure: Failure };

export type IndexQuestion<T> = (client: Client, index: IndexName, signal: AbortSignal) => Promise<Answer<T>>;

export interface Asking extends Pick<AskingOptions, 'index' | 'signal' | 'tries'> {
  /** Delays all requests after a failure. `failures`: in a row, from 1. */
  readonly backOff: (failure: Failure, failures: number) => void;
  /** `isFinal`: failures that the caller handles itself, and that are not retried. */
  readonly ask: <T>(question: IndexQuestion<T>, isFinal?: (failure: Failure) => boolean) => Promise<AskOutcome<T>>;
}

export const containerAt =
  (number: bigint): IndexQuestion<Container> =>
  (client, index, signal) =>
    client.indexRpc(index, 'index.getContainerByIndex', { index: number }, signal);

export const askingOf = (options: AskingOptions): Asking => {
  const { client, index, signal, tries, backoff, onRetry } = options;
  const limiter = limiterOf(options.rate, signal);
  // An index that has responded before will exist again when the node has restarted and created its chain.
  let hasAnswered = false;
  const backOff = (failure: Failure, failures: number): void => {
    const seconds = backoff(failures);
    onRetry?.(failure, seconds);
    limiter.backOff(seconds);
  };
  return {
    index,
    signal,
    tries,
    backOff,
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
        backOff(outcome, failures);
      }
    },
  };
};

const limiterOf = (rate: number | undefined, signal: AbortSignal) => {
  const gapMs = rate === undefined ? 0 : 1000 / rate;
  let free = 0;
  let backOffUntil = 0;
  return {
    /** Resolves once per 1/rate seconds, in the order of the calls, but for no request during a back-off. */
    slot: async (): Promise<void> => {
      // Another request may fail meanwhile. After the back-off each request takes a new slot: otherwise all would be sent at once.
      do {
        while (backOffUntil > performance.now() && !signal.aborted)
          await pause((backOffUntil - performance.now()) / 1000, signal);
        const now = performance.now();
        const mine = Math.max(now, free);
        free = mine + gapMs;
        if (mine > now) await pause((mine - now) / 1000, signal);
      } while (backOffUntil > performance.now() && !signal.aborted);
    },
    backOff: (seconds: number): void => {
      backOffUntil = Math.max(backOffUntil, performance.now() + seconds * 1000);
    },
  };
};

/** Whether a retry may succeed. */
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
