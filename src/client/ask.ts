// From a question to its end: its turn, its deadline, one retry, and whoever calls it off meanwhile.

import { setMaxListeners } from 'node:events';
import { connectionsOf, defaultConnections } from './connections.ts';
import { startDeadline } from './deadline.ts';
import type { ClientOptions } from './options.ts';
import type { Failure } from './outcome.ts';
import { slotsOf } from './slots.ts';
import type { RequestTrace, Tracer } from './trace.ts';
import { type Head, type Question, type Sent, senderOf } from './transport.ts';

export interface Exchange {
  readonly head: Head | undefined;
  /** The whole body, decompressed; or why there is none. */
  readonly end: Buffer | Failure;
  /** Where requests are traced, and it was sent. */
  readonly trace: RequestTrace | undefined;
}

/** What one question asks for beside the client's options. */
export interface AskOptions {
  readonly signal?: AbortSignal | undefined;
  /** Instead of the client's. */
  readonly timeoutMs?: number | undefined;
  /** It does not wait any more. Not called where it ends before. */
  readonly onSent?: () => void;
}

export interface Asker {
  /**
   * Never rejects. Ends with its deadline at the latest, and at once when the signal is aborted (`network`, reason `aborted`) or
   * the asker is ended. A status that is no answer (`isAnswer` false) ends as `http-status` whatever becomes of its body.
   */
  readonly ask: (question: Question, isAnswer: (status: number) => boolean, options?: AskOptions) => Promise<Exchange>;
  /** Whether a kept-alive connection is open that carries no request. */
  readonly keepsIdle: () => boolean;
  readonly endWith: (failure: Failure) => void;
}

/** `onClosed`: as in ClientHooks. */
export const askerOf = (options: ClientOptions, onClosed?: () => void, tracer?: Tracer): Asker => {
  const connections = connectionsOf(options, onClosed);
  const send = senderOf(options, tracer);
  const slots = slotsOf(options.maxConnections ?? defaultConnections);
  /** Each ends a question that has not ended. */
  const underWay = new Set<(failure: Failure) => void>();
  /** How many questions ended in another way than by their deadline. */
  let progress = 0;

  const ask: Asker['ask'] = (question, isAnswer, { signal, timeoutMs = options.timeoutMs, onSent } = {}) =>
    new Promise((resolve) => {
      let sent: Sent | undefined;
      let head: Head | undefined;

      const end = (outcome: Buffer | Failure): void => {
        if (!underWay.delete(stop)) return;
        deadline.end();
        signal?.removeEventListener('abort', abort);
        if (Buffer.isBuffer(outcome) || outcome.kind !== 'timeout') progress += 1;
        const isCut = head !== undefined && !isAnswer(head.status) && !Buffer.isBuffer(outcome);
        const status = head?.status ?? 0;
        resolve({ head, trace: sent?.trace?.(), end: isCut ? { kind: 'http-status', status } : outcome });
        slots.leave(start);
      };
      const stop = (failure: Failure): void => {
        sent?.destroy();
        end(failure);
      };
      const abort = (): void => stop({ kind: 'network', reason: 'aborted' });
      const deadline = startDeadline(
        timeoutMs,
        () => progress,
        () => stop({ kind: 'timeout', afterMs: timeoutMs }),
      );

      const attempt = (mayRetry: boolean): void => {
        const connection = connections.current();
        if ('kind' in connection) {
          end(connection);
          return;
        }
        sent = send(connection, question, {
          head: (found) => {
            head = found;
          },
          end: (outcome, isUnread) => {
            if (!isUnread || !mayRetry) {
              end(outcome);
              return;
            }
            // What else is kept alive is as old, and the retry must not meet it.
            connections.closeIdle();
            attempt(false);
          },
        });
      };
      const start = (): void => {
        onSent?.();
        deadline.sent();
        attempt(true);
      };

      underWay.add(stop);
      if (signal !== undefined) {
        // A walk asks many questions under one signal: Node.js would take more than ten listeners for a leak.
        setMaxListeners(0, signal);
        signal.addEventListener('abort', abort, { once: true });
      }
      if (signal?.aborted === true) abort();
      else slots.enter(start);
    });

  return {
    ask,
    keepsIdle: connections.keepsIdle,
    endWith: (failure) => {
      connections.close(failure);
      for (const stop of underWay) stop(failure);
    },
  };
};
