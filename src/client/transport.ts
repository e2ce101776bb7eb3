// One request to the node and its answer: a question in, bytes or a Failure out. The only file that imports got.

import { Agent as HttpsAgent } from 'node:https';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { TLSSocket } from 'node:tls';
import { createGunzip } from 'node:zlib';
import { type Got, got, type Request } from 'got';
import { boundInformational, stopParsing } from '../informational.ts';
import { isNodeId } from '../protocol/node-id.ts';
import { shownUrl } from '../protocol/node-url.ts';
import { maxHandshakeBytes, receivedBy } from '../tls-floods.ts';
import { createBody } from './body.ts';
import type { Bounds } from './bounds.ts';
import type { Budget } from './budget.ts';
import type { Connection } from './connections.ts';
import { echoesOf } from './echoes.ts';
import { failureOf, isReset, sentence } from './faults.ts';
import type { ClientOptions } from './options.ts';
import type { Failure } from './outcome.ts';
import type { RequestTrace, Tracer } from './trace.ts';
import { dearest, maxBeside, type Wire, wires } from './wire.ts';

export interface Question {
  /** Begins with a slash; query included. */
  readonly path: string;
  /** JSON text: makes it a POST. */
  readonly body?: string;
  /** The connection ends with the answer. */
  readonly last?: boolean;
  /** Of the answer, decompressed; instead of the client's. */
  readonly maxBytes?: number | undefined;
  readonly bounds?: Bounds;
}

/** What the answer's head told; absent where there was none. */
export interface Head {
  readonly status: number;
  /** The Date header: the node's clock, rounded down to the second; seconds since the Unix epoch. */
  readonly date: number | undefined;
  /** Of the Node-Id header, where that is a NodeID. */
  readonly nodeId: string | undefined;
  /** Where a redirect points, as it may be shown; empty where that is no URL. */
  readonly location: string | undefined;
}

export interface Events {
  readonly head: (head: Head) => void;
  /** It waits for other answers, with the rest of its own in the socket; `isCrowded`: some of them are of other nodes. */
  readonly waits: (isCrowded: () => boolean) => void;
  /** It has waited, and goes on. */
  readonly resumed: () => void;
  /**
   * The whole body, decompressed; or why there is none. `isUnread`: the node ended a kept-alive connection while the question was
   * on its way, and has not read it. Called once, or not at all after `destroy`.
   */
  readonly end: (end: Buffer | Failure, isUnread: boolean) => void;
}

export interface Sent {
  readonly destroy: () => void;
  /** Milliseconds since a connection was made for it whose TLS handshake has not succeeded; undefined elsewhere. */
  readonly handshakeMs: () => number | undefined;
  /** The answer was read, or is not wanted: its bytes count no more. */
  readonly release: () => void;
  /** Where requests are traced: that of this one, so far. */
  readonly trace: (() => RequestTrace) | undefined;
}

const dearHandshake: Failure = {
  kind: 'tls',
  reason: `the handshake of the server is larger than ${maxHandshakeBytes} bytes`,
  isAbuse: true,
};

export type Send = (connection: Connection, question: Question, events: Events) => Sent;

/** Bytes beside a body before it is decompressed: a chunk of a few bytes costs as much as one of kilobytes. */
const maxBesideChunks = 32 * 1024;

/** What stands before each path. */
export const prefixOf = ({ baseUrl }: Pick<ClientOptions, 'baseUrl'>): string => {
  const { origin, pathname } = new URL(baseUrl);
  return (origin + pathname).replace(/\/+$/, '');
};

/** `tracer`: absent where nobody reads the traces. */
export const senderOf = (options: ClientOptions, budget: Budget, tracer?: Tracer): Send => {
  const instances = new WeakMap<Connection, ReturnType<typeof instanceOf>>();
  const wireOf = wires();
  const prefix = prefixOf(options);
  const { host } = new URL(prefix);
  const other = prefix.startsWith('https:') ? 'http' : 'https';
  let hasAnswered = false;

  return (connection, question, events) => {
    const send = instances.get(connection) ?? instanceOf(options, connection);
    instances.set(connection, send);
    const sentAt = performance.now();
    const elapsedMs = (): number => Math.round(performance.now() - sentAt);
    let wire: Wire | undefined;
    let connected: Socket | undefined;
    let handshakeAt: number | undefined;
    let ended = false;
    const { echoes } = send;
    const { path, last = false } = question;
    const request = question.body === undefined ? send.get(prefix + path, last) : send.post(prefix + path, question.body);
    /** Gives the body; what a proxy compressed, decompressed. */
    let source: Readable = request;
    /** Bytes of the body before that. */
    let packedSize = 0;
    const trace = tracer?.(request, echoes.inText);
    const share = budget.share(host, () => end({ kind: 'timeout', afterMs: elapsedMs(), cause: 'slow' }));
    const body = createBody(question.maxBytes ?? options.maxBodyBytes, question.bounds, share.buffer);
    const end = (outcome: Buffer | Failure, isUnread = false): void => {
      if (ended) return;
      ended = true;
      if (Buffer.isBuffer(outcome)) wire?.leave();
      else destroy();
      events.end(outcome, isUnread);
    };
    const destroy = (): void => {
      request.destroy();
      source.destroy();
      share.release();
    };
    const abused = (reason: string): void => {
      stopParsing(connected);
      end({ kind: 'network', reason, isAbuse: true });
    };
    request.on('socket', (socket) => {
      connected = socket;
      if (socket instanceof TLSSocket && socket.connecting) {
        socket.once('connect', () => {
          handshakeAt = performance.now();
        });
        socket.once('secureConnect', () => {
          handshakeAt = undefined;
          // OpenSSL still reads: until the next turn of the event loop its socket must not go.
          if (receivedBy(socket) > maxHandshakeBytes) setImmediate(end, dearHandshake);
        });
      }
      wire = wireOf(socket, () => end({ kind: 'too-large', bound: 'beside', limit: maxBeside, isAbuse: true }));
    });
    const failed = (error: Error): void => {
      const isUnread = request.reusedSocket === true && wire?.bytes() === 0 && isReset(error);
      const failure = failureOf(error, elapsedMs(), echoes.inText);
      // What never answered may speak another language; what did was interrupted.
      end(failure.kind === 'reset' && !hasAnswered ? { ...failure, maySpeak: other } : failure, isUnread);
    };
    request.on('error', failed);
    // 101: got takes every upgrade over, and would leave us without a response and with an open socket.
    request.on('upgrade', (response, socket) => {
      socket.destroy();
      end({ kind: 'http-status', status: response.statusCode ?? 101 });
    });
    request.on('response', (response) => {
      const { date = '', location } = response.headers;
      const nodeId = echoes.inText(`${response.headers['node-id'] ?? ''}`);
      const { statusCode: status } = response;
      const seconds = Date.parse(date) / 1000;
      const isRedirect = location !== undefined && status >= 300 && status < 400;
      hasAnswered = true;
      events.head({
        status,
        date: Number.isFinite(seconds) ? seconds : undefined,
        nodeId: isNodeId(nodeId) ? nodeId : undefined,
        location: isRedirect ? sentence(shownUrl(echoes.inText(location), prefix + path)) : undefined,
      });
      if (/^(?:x-)?gzip$/i.test(response.headers['content-encoding'] ?? ''))
        source = request.pipe(createGunzip()).on('error', failed);
      source.on('data', take).on('end', () => end(echoes.inBody(body.bytes())));
    });
    boundInformational(request, abused);
    request.on('data', (chunk: Buffer) => {
      packedSize += chunk.length;
      // What was read together may come one by one (Node.js 26).
      const received = packedSize + request.readableLength + (request.response?.readableLength ?? 0);
      if ((wire?.bytes() ?? 0) > maxBesideChunks + dearest * received) abused('a response in chunks of a few bytes');
    });
    const take = (chunk: Buffer): void => {
      if (ended) return;
      const passed = body.take(chunk);
      wire?.grow(body.size());
      if (passed !== undefined) end(passed);
      else if (!share.holds(body.size())) {
        const goOn = pause();
        let isWaiting = false;
        share.take(body.size(), () => {
          if (isWaiting) events.resumed();
          goOn();
        });
        isWaiting = source.isPaused();
        if (isWaiting) events.waits(share.isCrowded);
      } else if (body.isLarge()) budget.receive(pause());
    };
    const pause = (): (() => void) => {
      source.pause();
      // Each of the streams in between would take 64 KiB more. A socket whose answer has come is another question's.
      const socket = request.response?.complete === false ? request.socket : undefined;
      socket?.pause();
      return () => {
        socket?.resume();
        source.resume();
      };
    };
    return {
      destroy: () => {
        ended = true;
        destroy();
      },
      handshakeMs: () => (handshakeAt === undefined ? undefined : performance.now() - handshakeAt),
      release: share.release,
      trace,
    };
  };
};

/** Without options of a cache, which there is none of: V8 of Node 20 gives each request's options a shape of their own for them, 23 KB. */
const lean = got.extend({ mutableDefaults: true });
lean.defaults.options.cacheOptions = {};

/** got's options are normalised once for each connection: most of what a request costs is in them. */
const instanceOf = (options: ClientOptions, { agent, authorization }: Connection) => {
  const get: Got = lean.extend({
    isStream: true,
    agent: agent instanceof HttpsAgent ? { https: agent } : { http: agent },
    // Each of these would break a promise of Asker: one deadline, one retry of our own, no redirect, status as a value, bytes that are
    // counted before they are decompressed.
    retry: { limit: 0 },
    followRedirect: false,
    throwHttpErrors: false,
    decompress: false,
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
  return {
    echoes: echoesOf(options, authorization),
    get: (url: string, last: boolean): Request => get.stream(url, last ? { headers: { connection: 'close' } } : {}),
    post: (url: string, body: string): Request => post.stream(url, { body }),
  };
};
