// From a question to its end: its turn, its deadline, one retry, and whoever calls it off meanwhile.

import { setMaxListeners } from 'node:events';
import { remove } from '../lists.ts';
import { type Budget, createBudget } from './budget.ts';
import { type Connection, connectionsOf, defaultConnections } from './connections.ts';
import { maxCrowdedMs, startDeadline } from './deadline.ts';
import type { ClientOptions } from './options.ts';
import type { Failure } from './outcome.ts';
import { createRest, type Rest } from './rest.ts';
import { slotsOf } from './slots.ts';
import type { RequestTrace, Tracer } from './trace.ts';
import { type Head, type Question, type Sent, senderOf } from './transport.ts';

export interface Exchange {
  readonly head: Head | undefined;
  /** The whole body, decompressed; or why there is none. */
  readonly end: Buffer | Failure;
  /** Where requests are traced, and it was sent. */
  readonly trace: RequestTrace | undefined;
  /** To be called once the body was read: until then others may wait. */
  readonly release: () => void;
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
   * Never rejects. Ends with its deadline at the latest, which does not run while the request waits for its turn of the event loop or the
   * answer for those of other nodes, and at once when the signal is aborted (`network`, reason `aborted`) or the asker is ended. A status that is no answer (`isAnswer` false) ends as `http-status` whatever becomes of its body.
   */
  readonly ask: (question: Question, isAnswer: (status: number) => boolean, options?: AskOptions) => Promise<Exchange>;
  /** Whether a kept-alive connection is open that carries no request. */
  readonly keepsIdle: () => boolean;
  readonly endWith: (failure: Failure) => void;
}

/** For so many times as long as it took nothing is asked after a TLS handshake that failed: a node may make it dear, and each question makes one. */
const restAfterHandshake = 100;

const isAbuse = (outcome: Buffer | Failure): outcome is Failure =>
  !Buffer.isBuffer(outcome) && 'isAbuse' in outcome && outcome.isAbuse === true;

/** Certificates are verified as they come: a node that cuts the connection after them costs as much as one whose are wrong. */
const endsHandshake = (outcome: Buffer | Failure): outcome is Failure =>
  !Buffer.isBuffer(outcome) && (outcome.kind === 'tls' || outcome.kind === 'reset');

export interface AskerHooks {
  /** As in ClientHooks. */
  readonly onClosed?: (() => void) | undefined;
  readonly budget?: Budget | undefined;
  readonly tracer?: Tracer | undefined;
  readonly rest?: Rest | undefined;
}

export const askerOf = (
  options: ClientOptions,
  { onClosed, tracer, budget = createBudget(0), rest = createRest() }: AskerHooks = {},
): Asker => {
  const connections = connectionsOf(options, onClosed, (failure) => {
    rest.begin(failure);
    for (const stop of [...underWay]) stop(failure);
  });
  const send = senderOf(options, budget, tracer);
  const slots = slotsOf(options.maxConnections ?? defaultConnections);
  // Lists, as in slots.ts.
  /** Each ends a question that has not ended. */
  const underWay: ((failure: Failure) => void)[] = [];
  /** How many questions ended in another way than by their deadline. */
  let progress = 0;
  /** Questions whose answers wait for others. */
  const crowded: object[] = [];

  const ask: Asker['ask'] = (question, isAnswer, { signal, timeoutMs = options.timeoutMs, onSent } = {}) =>
    new Promise((resolve) => {
      let sent: Sent | undefined;
      let usedOn: Connection | undefined;
      let head: Head | undefined;

      const end = (outcome: Buffer | Failure): void => {
        if (!remove(underWay, stop)) return;
        deadline.end();
        remove(crowded, stop);
        signal?.removeEventListener('abort', abort);
        if (Buffer.isBuffer(outcome) || outcome.kind !== 'timeout') progress += 1;
        if (sent !== undefined && isAbuse(outcome)) rest.begin(outcome);
        const handshakeMs = sent?.handshakeMs();
        if (handshakeMs !== undefined && endsHandshake(outcome)) rest.begin(outcome, restAfterHandshake * handshakeMs, usedOn);
        const isCut = head !== undefined && !isAnswer(head.status) && !Buffer.isBuffer(outcome);
        const status = head?.status ?? 0;
        // Until it was read no other takes its place: answers come sooner than they are understood where hundreds come at once.
        const release = (): void => {
          sent?.release();
          slots.leave(start);
        };
        resolve({ head, trace: sent?.trace?.(), release, end: isCut ? { kind: 'http-status', status } : outcome });
      };
      const stop = (failure: Failure): void => {
        // The deadline may pass in the turn in which the answer ends: what is being read is left alone.
        if (!underWay.includes(stop)) return;
        sent?.destroy();
        end(failure);
      };
      const abort = (): void => stop({ kind: 'network', reason: 'aborted' });
      const deadline = startDeadline(timeoutMs, { progress: () => progress, isCrowded: () => crowded.length > 0 }, (isCrowded) =>
        stop({ kind: 'timeout', ...(isCrowded ? { afterMs: maxCrowdedMs, cause: 'crowded' } : { afterMs: timeoutMs }) }),
      );

      const attempt = (mayRetry: boolean): void => {
        const connection = connections.current();
        if ('kind' in connection) {
          end(connection);
          return;
        }
        const resting = rest.reason(connection);
        if (resting !== undefined) {
          end(resting);
          return;
        }
        usedOn = connection;
        sent = send(connection, question, {
          head: (found) => {
            head = found;
          },
          waits: (isCrowded) => {
            if (!crowded.includes(stop)) crowded.push(stop);
            deadline.waits(isCrowded);
          },
          resumed: () => {
            remove(crowded, stop);
            deadline.resumed();
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
        let isDue = false;
        budget.send(() => {
          isDue = true;
          // Whoever asked may have ended it meanwhile.
          if (!underWay.includes(stop)) return;
          onSent?.();
          deadline.sent();
          attempt(true);
        });
        if (!isDue) deadline.rests();
      };

      underWay.push(stop);
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
      for (const stop of [...underWay]) stop(failure);
    },
  };
};
