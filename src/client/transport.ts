// Sends one request to the node, and receives the response: its bytes, or a Failure. The only file that imports got.

import { Agent as HttpsAgent } from 'node:https';
import { isIP, type Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { TLSSocket } from 'node:tls';
import { createGunzip } from 'node:zlib';
import { type Got, got, type Request } from 'got';
import { boundInformational, stopParsing } from '../informational.ts';
import { isNodeId } from '../protocol/node-id.ts';
import { shownUrl } from '../protocol/node-url.ts';
import { printable } from '../text.ts';
import { maxHandshakeBytes, receivedBy } from '../tls-floods.ts';
import { createBody } from './body.ts';
import type { Bounds } from './bounds.ts';
import type { Budget } from './budget.ts';
import type { Connection } from './connections.ts';
import { echoesOf } from './echoes.ts';
import { failureOf, isReset } from './faults.ts';
import { type ClientOptions, prefixOf } from './options.ts';
import type { Failure } from './outcome.ts';
import { type FollowedPhase, followPhase } from './phase.ts';
import type { RequestTrace, Tracer } from './trace.ts';
import { maxOverhead, maxWireBytesPerByte, type Wire, wires } from './wire.ts';

export interface Question {
  /** Begins with a slash; query included. */
  readonly path: string;
  /** JSON text: makes it a POST, or what `method` says. */
  readonly body?: string;
  readonly method?: 'PUT' | 'DELETE';
  /** Closes the connection after the response. */
  readonly last?: boolean;
  /** The limit of the decompressed body; overrides the one of the client. */
  readonly maxBytes?: number | undefined;
  readonly bounds?: Bounds;
}

/** From the head of the response. */
export interface Head {
  readonly status: number;
  /** The Date header: the node's clock, rounded down to the second; seconds since the Unix epoch. */
  readonly date: number | undefined;
  /** The Node-Id header, if it is a NodeID. */
  readonly nodeId: string | undefined;
  /** Where a redirect points, without secrets; empty if that is no URL. */
  readonly location: string | undefined;
  readonly contentType?: string | undefined;
}

export interface Events {
  readonly head: (head: Head) => void;
  /** The response waits for others, with its rest unread in the socket. `isCrowded`: whether some of them are of other nodes. */
  readonly waits: (isCrowded: () => boolean) => void;
  /** The wait is over. */
  readonly resumed: () => void;
  /**
   * The whole decompressed body, or why there is none. `isUnread`: the node closed a kept-alive connection while the request was on its way,
   * and has not read it, so it can be retried. Called once, or not at all after `destroy`.
   */
  readonly end: (end: Buffer | Failure, isUnread: boolean) => void;
}

export interface Sent extends FollowedPhase {
  readonly destroy: () => void;
  /** The body was parsed, or is not needed: it no longer counts against the memory limit. */
  readonly release: () => void;
  /** The trace of this request, which ended with this outcome; undefined if requests are not traced. */
  readonly trace: ((end: Buffer | Failure) => RequestTrace) | undefined;
}

const oversizedHandshake: Failure = {
  kind: 'tls',
  reason: `the handshake of the server is larger than ${maxHandshakeBytes} bytes`,
  isAbuse: true,
};

export type Send = (connection: Connection, question: Question, events: Events) => Sent;

/** Limits the bytes around small chunks, because a chunk of a few bytes costs as much CPU as one of kilobytes. */
const maxChunkOverhead = 32 * 1024;

/** `tracer`: absent if nobody reads the traces. */
export const senderOf = (options: ClientOptions, budget: Budget, tracer?: Tracer): Send => {
  const instances = new WeakMap<Connection, ReturnType<typeof instanceOf>>();
  const wireOf = wires();
  const prefix = prefixOf(options);
  const { host, hostname } = new URL(prefix);
  const isNamed = isIP(hostname.replace(/^\[|\]$/g, '')) === 0;
  const other = prefix.startsWith('https:') ? 'http' : 'https';
  let hasAnswered = false;

  return (connection, question, events) => {
    const send = instances.get(connection) ?? instanceOf(options, connection);
    instances.set(connection, send);
    const sentAt = performance.now();
    const elapsedMs = (): number => Math.round(performance.now() - sentAt);
    let wire: Wire | undefined;
    let connected: Socket | undefined;
    let ended = false;
    const { echoes } = send;
    const { path, last = false } = question;
    const request = question.body === undefined ? send.get(prefix + path, last) : send.post(prefix + path, question);
    /** The body, decompressed if a proxy has compressed it. */
    let source: Readable = request;
    /** Bytes of the body before decompression. */
    let compressedSize = 0;
    const followed = followPhase(request, isNamed);
    const trace = tracer?.(request, echoes.inText);
    const share = budget.share(host, () => end({ kind: 'timeout', afterMs: elapsedMs(), cause: 'slow' }));
    const body = createBody(question.maxBytes ?? options.maxBodyBytes, question.bounds, share.buffer);
    const end = (outcome: Buffer | Failure, isUnread = false): void => {
      if (ended) return;
      ended = true;
      if (Buffer.isBuffer(outcome)) wire?.complete();
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
        socket.once('secureConnect', () => {
          // OpenSSL is still reading: the socket must not be destroyed before the next iteration of the event loop.
          if (receivedBy(socket) > maxHandshakeBytes) setImmediate(end, oversizedHandshake);
        });
      }
      wire = wireOf(socket, () => end({ kind: 'too-large', bound: 'beside', limit: maxOverhead, isAbuse: true }));
    });
    const failed = (error: Error): void => {
      const isUnread = request.reusedSocket === true && wire?.bytes() === 0 && isReset(error);
      const failure = failureOf(error, elapsedMs(), echoes.inText);
      // If the port never responded, it may need the other scheme; if it did, the connection was interrupted.
      if (failure.kind === 'timeout') end({ ...failure, cause: followed.phase() });
      else end(failure.kind === 'reset' && !hasAnswered ? { ...failure, maySpeak: other } : failure, isUnread);
    };
    request.on('error', failed);
    // 101: got takes over every upgrade, which would leave no response and an open socket.
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
        contentType: response.headers['content-type'],
        location: isRedirect ? printable(shownUrl(echoes.inText(location), prefix + path)) : undefined,
      });
      if (/^(?:x-)?gzip$/i.test(response.headers['content-encoding'] ?? ''))
        source = request.pipe(createGunzip()).on('error', failed);
      source.on('data', take).on('end', () => end(echoes.inBody(body.bytes())));
    });
    boundInformational(request, abused);
    request.on('data', (chunk: Buffer) => {
      compressedSize += chunk.length;
      // Chunks that were read together may be emitted one by one (Node.js 26).
      const received = compressedSize + request.readableLength + (request.response?.readableLength ?? 0);
      if ((wire?.bytes() ?? 0) > maxChunkOverhead + maxWireBytesPerByte * received) abused('a response in chunks of a few bytes');
    });
    const take = (chunk: Buffer): void => {
      if (ended) return;
      const failure = body.take(chunk);
      wire?.grow(body.size());
      if (failure !== undefined) end(failure);
      else if (!share.holds(body.size())) {
        const resume = pause();
        let isWaiting = false;
        share.take(body.size(), () => {
          if (isWaiting) events.resumed();
          resume();
        });
        isWaiting = source.isPaused();
        if (isWaiting) events.waits(share.isCrowded);
      } else if (body.isLarge()) budget.receive(pause());
    };
    const pause = (): (() => void) => {
      source.pause();
      // Otherwise, each stream on the way would buffer 64 KiB more. A socket whose response is complete may already carry another request.
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
      ...followed,
      release: share.release,
      trace,
    };
  };
};

/** Without got's cache options, which are not used: for them, V8 of Node 20 would make a hidden class of 23 KB for each request. */
const lean = got.extend({ mutableDefaults: true });
lean.defaults.options.cacheOptions = {};

/** Normalises got's options once per connection, because that is most of the cost of a request. */
const instanceOf = (options: ClientOptions, { agent, authorization }: Connection) => {
  const get: Got = lean.extend({
    isStream: true,
    agent: agent instanceof HttpsAgent ? { https: agent } : { http: agent },
    // These features of got would break the contract of Asker: one timeout, one retry of its own, no redirects, statuses as values, and bytes
    // that are counted before decompression.
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
  const post = get.extend({ headers: { 'content-type': 'application/json' } });
  return {
    echoes: echoesOf(options, authorization),
    get: (url: string, last: boolean): Request => get.stream(url, last ? { headers: { connection: 'close' } } : {}),
    post: (url: string, { body, method }: Question): Request => post.stream(url, { body, method: method ?? 'POST' }),
  };
};
