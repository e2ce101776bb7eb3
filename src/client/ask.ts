// One request from start to end: it waits for a connection, has a timeout, is retried once if a kept-alive connection was closed, and can be
// aborted at any time.

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
  /** Undefined if requests are not traced, or if the request was never sent. */
  readonly trace: RequestTrace | undefined;
  /** Call it after parsing the body: until then, the request counts against the limits, and others may wait. */
  readonly release: () => void;
}

/** Options of one request, beside those of the client. */
export interface AskOptions {
  readonly signal?: AbortSignal | undefined;
  /** Overrides the timeout of the client. */
  readonly timeoutMs?: number | undefined;
  /** Called when the request is sent, after its wait for a connection. Not called if it ends before. */
  readonly onSent?: () => void;
}

export interface Asker {
  /**
   * Never rejects. Resolves when the timeout expires at the latest. The timeout does not run while the request waits for an iteration of the
   * event loop, or its response waits for those of other nodes. Resolves at once if the signal is aborted (`network`, reason `aborted`) or
   * `endWith` is called. A response whose status `isAnswer` rejects is `http-status`, even if its body fails.
   */
  readonly ask: (question: Question, isAnswer: (status: number) => boolean, options?: AskOptions) => Promise<Exchange>;
  /** Whether an idle kept-alive connection is open. */
  readonly keepsIdle: () => boolean;
  readonly endWith: (failure: Failure) => void;
}

/**
 * After a failed TLS handshake, no requests are sent for this many times its duration. Each request needs a new handshake, and a node can make
 * them expensive.
 */
const restAfterHandshake = 100;

const isAbuse = (outcome: Buffer | Failure): outcome is Failure =>
  !Buffer.isBuffer(outcome) && 'isAbuse' in outcome && outcome.isAbuse === true;

/** Includes resets: certificates are verified on arrival, so a node that closes the connection after sending them costs as much. */
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
  { onClosed = () => undefined, tracer, budget = createBudget(0), rest = createRest() }: AskerHooks = {},
): Asker => {
  const connections = connectionsOf(options, onClosed, (failure) => {
    rest.begin(failure);
    for (const stop of [...underWay]) stop(failure);
  });
  const send = senderOf(options, budget, tracer);
  const slots = slotsOf(options.maxConnections ?? defaultConnections);
  // Lists instead of sets, for the reason in slots.ts.
  /** One function per pending request, which ends it with a failure. */
  const underWay: ((failure: Failure) => void)[] = [];
  /** The number of requests that ended without a timeout. */
  let progress = 0;
  /** Requests whose responses wait for other responses. */
  const crowded: object[] = [];

  const ask: Asker['ask'] = (question, isAnswer, { signal, timeoutMs = options.timeoutMs, onSent } = {}) =>
    new Promise((resolve) => {
      let sent: Sent | undefined;
      let usedOn: Connection | undefined;
      let head: Head | undefined;
      const askedAt = performance.now();
      let sentAt = askedAt;

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
        // The slot stays taken until the body is parsed: if hundreds of responses arrive at once, they arrive faster than they are parsed.
        const release = (): void => {
          sent?.release();
          slots.leave(start);
        };
        resolve({ head, trace: sent?.trace?.(outcome), release, end: isCut ? { kind: 'http-status', status } : outcome });
      };
      const stop = (failure: Failure): void => {
        // The timeout may expire in the iteration of the event loop in which the response ended: a response that is being parsed is kept.
        if (!underWay.includes(stop)) return;
        sent?.destroy();
        const isUnexplained = failure.kind === 'timeout' && failure.cause === undefined;
        end(isUnexplained ? { ...failure, cause: causeNow() } : failure);
      };
      /** A request that waited for longer than it was in flight failed because of the requests before it. */
      const causeNow = () => (sent !== undefined && performance.now() - sentAt >= sentAt - askedAt ? sent.phase() : 'queue');
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
            // The other connections are as old, and the node may have closed them too: the retry must not use one.
            connections.retire();
            attempt(false);
          },
        });
      };
      const start = (): void => {
        let isStarted = false;
        budget.send(() => {
          isStarted = true;
          // The request may have been aborted while it waited.
          if (!underWay.includes(stop)) return;
          onSent?.();
          deadline.sent();
          sentAt = performance.now();
          attempt(true);
        });
        if (!isStarted) deadline.deferred();
      };

      underWay.push(stop);
      if (signal !== undefined) {
        // A walk sends many requests with one signal: Node.js would warn of a leak above ten listeners.
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
