// One request to the node and its answer: a question in, bytes or a Failure out. The only file that imports got.

import { Agent as HttpsAgent } from 'node:https';
import { type Got, got, type Request } from 'got';
import { publicUrl } from '../protocol/node-url.ts';
import type { Connection } from './connections.ts';
import { failureOf, isReset, sentence } from './faults.ts';
import type { ClientOptions } from './options.ts';
import type { Failure } from './outcome.ts';
import type { RequestTrace, Tracer } from './trace.ts';

export interface Question {
  /** Begins with a slash; query included. */
  readonly path: string;
  /** JSON text: makes it a POST. */
  readonly body?: string;
  /** The connection ends with the answer. */
  readonly last?: boolean;
}

/** What the answer's head told; absent where there was none. */
export interface Head {
  readonly status: number;
  /** The Date header: the node's clock, rounded down to the second; seconds since the Unix epoch. */
  readonly date: number | undefined;
  /** At most 128 characters. */
  readonly nodeId: string | undefined;
  /** Where a redirect points, as it may be shown; empty where that is no URL. */
  readonly location: string | undefined;
}

export interface Events {
  readonly head: (head: Head) => void;
  /**
   * The whole body, decompressed; or why there is none. `isUnread`: the node ended a kept-alive connection while the question was
   * on its way, and has not read it. Called once, or not at all after `destroy`.
   */
  readonly end: (end: Buffer | Failure, isUnread: boolean) => void;
}

export interface Sent {
  readonly destroy: () => void;
  /** Where requests are traced: that of this one, so far. */
  readonly trace: (() => RequestTrace) | undefined;
}

export type Send = (connection: Connection, question: Question, events: Events) => Sent;

const nodeIdLength = 128;

/** What stands before each path. */
export const prefixOf = ({ baseUrl }: Pick<ClientOptions, 'baseUrl'>): string =>
  (publicUrl(baseUrl) ?? baseUrl).replace(/\/+$/, '');

/** `tracer`: absent where nobody reads the traces. */
export const senderOf = (options: ClientOptions, tracer?: Tracer): Send => {
  const instances = new WeakMap<Connection, ReturnType<typeof instanceOf>>();
  const prefix = prefixOf(options);
  const other = prefix.startsWith('https:') ? 'http' : 'https';
  let hasAnswered = false;

  return (connection, question, events) => {
    const send = instances.get(connection) ?? instanceOf(options, connection);
    instances.set(connection, send);
    const sentAt = performance.now();
    const chunks: Buffer[] = [];
    let size = 0;
    let bytesRead: (() => number) | undefined;
    let ended = false;

    const { path, body, last = false } = question;
    const request = body === undefined ? send.get(prefix + path, last) : send.post(prefix + path, body);
    const trace = tracer?.(request);
    const end = (outcome: Buffer | Failure, isUnread = false): void => {
      if (ended) return;
      ended = true;
      if (!Buffer.isBuffer(outcome)) request.destroy();
      events.end(outcome, isUnread);
    };
    request.on('socket', (socket) => {
      const before = socket.bytesRead;
      bytesRead = () => socket.bytesRead - before;
    });
    request.on('error', (error) => {
      const isUnread = request.reusedSocket === true && bytesRead?.() === 0 && isReset(error);
      const failure = failureOf(error, performance.now() - sentAt);
      // What never answered may speak another language; what did was interrupted.
      end(failure.kind === 'reset' && !hasAnswered ? { ...failure, maySpeak: other } : failure, isUnread);
    });
    // 101: got takes every upgrade over, and would leave us without a response and with an open socket.
    request.on('upgrade', (response, socket) => {
      socket.destroy();
      end({ kind: 'http-status', status: response.statusCode ?? 101 });
    });
    request.on('response', (response) => {
      const { date = '', 'node-id': nodeId, location } = response.headers;
      const { statusCode: status } = response;
      const seconds = Date.parse(date) / 1000;
      const isRedirect = location !== undefined && status >= 300 && status < 400;
      hasAnswered = true;
      events.head({
        status,
        date: Number.isFinite(seconds) ? seconds : undefined,
        nodeId: typeof nodeId === 'string' ? nodeId.slice(0, nodeIdLength) : undefined,
        location: isRedirect ? sentence(publicUrl(location, prefix + path) ?? '') : undefined,
      });
    });
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > options.maxBodyBytes) end({ kind: 'too-large', limitBytes: options.maxBodyBytes });
      else chunks.push(chunk);
    });
    request.on('end', () => {
      const [only] = chunks;
      end(chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks, size));
    });
    return {
      destroy: () => {
        ended = true;
        request.destroy();
      },
      trace,
    };
  };
};

/** got's options are normalised once for each connection: most of what a request costs is in them. */
const instanceOf = (options: ClientOptions, { agent, authorization }: Connection) => {
  const get: Got = got.extend({
    isStream: true,
    agent: agent instanceof HttpsAgent ? { https: agent } : { http: agent },
    // Each of these would break a promise of Asker: one deadline, one retry of our own, no redirect, status as a value.
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
  const lastGet = get.extend({ headers: { connection: 'close' } });
  return {
    get: (url: string, last: boolean): Request => (last ? lastGet : get).stream(url),
    post: (url: string, body: string): Request => post.stream(url, { body }),
  };
};
