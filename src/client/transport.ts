// One exchange with the node: a question in, bytes or a Failure out. The only file that imports got.

import { setMaxListeners } from 'node:events';
import { Agent as HttpsAgent } from 'node:https';
import { type Got, got, type Request } from 'got';
import { type Connection, connectionsOf } from './connections.ts';
import { failureOf, isReset } from './faults.ts';
import type { ClientOptions } from './options.ts';
import type { Failure } from './outcome.ts';

export interface Question {
  /** Begins with a slash; query included. */
  readonly path: string;
  /** JSON text: makes it a POST. */
  readonly body?: string;
}

/** What the answer's head told; absent where there was none. */
export interface Head {
  readonly status: number;
  readonly date?: string;
  readonly nodeId?: string;
}

export interface Exchange {
  readonly head?: Head;
  /** The whole body, decompressed; or why there is none. */
  readonly end: Buffer | Failure;
}

export interface Transport {
  /**
   * Never rejects. Ends with the deadline at the latest, and at once when the signal is aborted: `network`, reason `aborted`.
   * A status that is no answer (`isAnswer` false) ends as `http-status` whatever becomes of its body.
   */
  readonly ask: (question: Question, isAnswer: (status: number) => boolean, signal: AbortSignal) => Promise<Exchange>;
  readonly close: () => void;
}

export const transportOf = (options: ClientOptions): Transport => {
  const connections = connectionsOf(options);
  const base = new URL(options.baseUrl);
  const prefix = `${base.origin}${base.pathname.replace(/\/+$/, '')}`;
  const instances = instancesOf(options);

  const ask: Transport['ask'] = (question, isAnswer, signal) =>
    new Promise((resolve) => {
      const startedAt = performance.now();
      let request: Request | undefined;
      let head: Head | undefined;
      let ended = false;

      const end = (outcome: Buffer | Failure): void => {
        if (ended) return;
        ended = true;
        clearTimeout(deadline);
        signal.removeEventListener('abort', abort);
        const noAnswer = head !== undefined && !isAnswer(head.status) && !Buffer.isBuffer(outcome);
        resolve({
          ...(head !== undefined && { head }),
          end: noAnswer && head !== undefined ? { kind: 'http-status', status: head.status } : outcome,
        });
      };
      const stop = (failure: Failure): void => {
        end(failure);
        request?.destroy();
      };
      const abort = (): void => stop({ kind: 'network', reason: 'aborted' });
      // One more turn of the event loop: where we were late ourselves, the answer may lie in the socket unread.
      const late = (): void => void setImmediate(() => stop({ kind: 'timeout', afterMs: options.timeoutMs }));
      const deadline = setTimeout(late, options.timeoutMs);

      const attempt = (mayRetry: boolean): void => {
        const connection = connections.current();
        if ('kind' in connection) {
          end(connection);
          return;
        }
        const send = instances(connection);
        const chunks: Buffer[] = [];
        let size = 0;
        let bytesBefore: (() => number) | undefined;

        const current =
          question.body === undefined ? send.get(prefix + question.path) : send.post(prefix + question.path, question.body);
        request = current;
        current.on('socket', (socket) => {
          const before = socket.bytesRead;
          bytesBefore = () => socket.bytesRead - before;
        });
        current.on('error', (error) => {
          // The node ended a kept-alive connection while our question was on its way: nobody has read it.
          const stale = current.reusedSocket === true && bytesBefore?.() === 0 && isReset(error);
          if (ended || !stale || !mayRetry) {
            stop(failureOf(error, performance.now() - startedAt));
            return;
          }
          // What else is kept alive is as old, and the retry must not meet it.
          connections.closeIdle();
          attempt(false);
        });
        // 101: got takes every upgrade over, and would leave us without a response and with an open socket.
        current.on('upgrade', (response, socket) => {
          socket.destroy();
          stop({ kind: 'http-status', status: response.statusCode ?? 101 });
        });
        current.on('response', (response) => {
          const { date, 'node-id': nodeId } = response.headers;
          head = {
            status: response.statusCode,
            ...(date !== undefined && { date }),
            ...(typeof nodeId === 'string' && { nodeId }),
          };
        });
        current.on('data', (chunk: Buffer) => {
          size += chunk.length;
          if (size > options.maxBodyBytes) stop({ kind: 'too-large', limitBytes: options.maxBodyBytes });
          else chunks.push(chunk);
        });
        current.on('end', () => {
          const [only] = chunks;
          end(chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks, size));
        });
      };

      // Every question under way listens to the one signal of the process: Node.js 20 would take more than ten for a leak.
      setMaxListeners(0, signal);
      signal.addEventListener('abort', abort, { once: true });
      if (signal.aborted) abort();
      else attempt(true);
    });

  return { ask, close: connections.close };
};

interface Instance {
  readonly get: (url: string) => Request;
  readonly post: (url: string, body: string) => Request;
}

/** got's options are normalised once for each connection: most of what a request costs is in them. */
const instancesOf = (options: ClientOptions): ((connection: Connection) => Instance) => {
  let known: Connection | undefined;
  let instance: Instance | undefined;
  return (connection) => {
    if (instance === undefined || known !== connection) {
      instance = instanceOf(options, connection);
      known = connection;
    }
    return instance;
  };
};

const instanceOf = (options: ClientOptions, { agent, authorization }: Connection): Instance => {
  const get: Got = got.extend({
    isStream: true,
    agent: agent instanceof HttpsAgent ? { https: agent } : { http: agent },
    // Each of these would break a promise of Transport: one deadline, one retry of our own, no redirect, status as a value.
    retry: { limit: 0 },
    followRedirect: false,
    throwHttpErrors: false,
    headers: {
      ...options.headers,
      accept: 'application/json',
      // A node never compresses, a proxy may.
      'accept-encoding': 'gzip',
      'user-agent': options.userAgent,
      ...(authorization !== undefined && { authorization }),
    },
  });
  const post = get.extend({ method: 'POST', headers: { 'content-type': 'application/json' } });
  return { get: (url) => get.stream(url), post: (url, body) => post.stream(url, { body }) };
};
