// Serves one request per connection at a time. If a client pipelines further requests, they stay unread in the kernel, and in the end in
// the client's own kernel. node:http itself would parse all requests in a packet, possibly thousands, before the first has a response.

import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import { Server as SecureServer } from 'node:https';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import type { FairQueue } from './turns.ts';

/** Maximum number of bytes given to node:http at once if no end of a head is found in them. Line ends other than CRLF hide it. */
const pieceBytes = 4096;

/**
 * Milliseconds that the client has to read the last response. If the connection were closed at once with bytes unread, the kernel would
 * reset it.
 */
const defaultLingerMs = 500;

/** Milliseconds in which the response must begin after the client has ended its side: the client may still wait for it, or may be gone. */
const halfClosedMs = 2000;

/**
 * Call it before anything else listens to the server: afterwards the socket of each request is a `Connection`. Returns a wrapper that each
 * request listener needs.
 */
export const oneRequestAtATime = (
  server: Server,
  queue: FairQueue,
  lingerMs = defaultLingerMs,
): ((answer: RequestListener) => RequestListener) => {
  const event = server instanceof SecureServer ? 'secureConnection' : 'connection';
  // node:http documents that its own listener accepts any duplex stream.
  const [serve] = server.listeners(event);
  if (serve === undefined) throw new Error('the server takes no connections');
  server.removeAllListeners(event);
  server.on(event, (socket: Socket) => {
    // A client may disconnect while it waits in the queue.
    socket.on('error', () => socket.destroy());
    const begin = (): void => {
      if (!socket.destroyed) Reflect.apply(serve, server, [new Connection(socket, queue, lingerMs)]);
    };
    socket.once('close', queue(socket.remoteAddress ?? '', begin, 'new'));
  });
  return (answer) => (request, response) => {
    const connection: Duplex = request.socket;
    if (connection instanceof Connection) connection.begin(request, response, () => answer(request, response));
  };
};

/** node:http uses a `Connection` as a socket: it has the members that are needed. */
export const isServed = (stream: Duplex): stream is Socket => stream instanceof Connection;

/** For `clientError`: ends the connection with this response, or with that of the complete request before, if there is one. */
export const endRefused = (stream: Duplex, answer: string): void => {
  if (stream instanceof Connection) stream.refuse(answer);
  else stream.destroy();
};

/** The socket as node:http sees it: after the head of a request it gets no further request until the response has ended. */
class Connection extends Duplex {
  readonly #socket: Socket;
  readonly #queue: FairQueue;
  readonly #lingerMs: number;
  /** Removes a request that waits in the queue. */
  #leave: (() => void) | undefined;
  #isNew = true;
  /** Bytes that were received, but not yet given to node:http. */
  #waiting: Buffer = Buffer.alloc(0);
  #hasEnded = false;
  #halfClosedTimer: NodeJS.Timeout | undefined;
  #isWanted = false;
  /** In order of arrival: the first one is being served. */
  readonly #begun: { readonly request: IncomingMessage; readonly response: ServerResponse; readonly answer: () => void }[] = [];

  constructor(socket: Socket, queue: FairQueue, lingerMs: number) {
    // With this limit, node:http does not read ahead of what it has parsed.
    super({ readableHighWaterMark: 1 });
    this.#socket = socket;
    this.#queue = queue;
    this.#lingerMs = lingerMs;
    // The client may have ended its side while it waited in the queue, and `end` is emitted only once.
    this.#hasEnded = socket.readableEnded;
    socket.on('data', (chunk: Buffer) => {
      this.#waiting = this.#waiting.length === 0 ? chunk : Buffer.concat([this.#waiting, chunk]);
      this.#give();
      // While nothing waits, the socket is read, so that its end is noticed.
      if (this.#waiting.length > 0) socket.pause();
    });
    socket.on('end', () => {
      this.#hasEnded = true;
      this.#give();
    });
    socket.on('timeout', () => this.emit('timeout'));
    socket.on('error', () => this.destroy());
    socket.on('close', () => this.destroy());
  }

  get remoteAddress(): string | undefined {
    return this.#socket.remoteAddress;
  }

  get remotePort(): number | undefined {
    return this.#socket.remotePort;
  }

  /**
   * Serves the request after the previous response has ended. The chunk that ends a body may already contain the head of the next request.
   */
  begin(request: IncomingMessage, response: ServerResponse, answer: () => void): void {
    this.#begun.push({ request, response, answer });
    if (this.#begun.length === 1) this.#answer();
  }

  #answer(): void {
    const [first] = this.#begun;
    // After the last response of a connection, Node.js assigns no socket to further ones: they would never be closed.
    if (first === undefined || first.response.socket === null) return;
    first.response.once('close', () => {
      this.#begun.shift();
      this.#answer();
      this.#give();
    });
    first.answer();
  }

  setTimeout(ms: number, then?: () => void): this {
    this.#socket.setTimeout(ms);
    if (then !== undefined) this.once('timeout', then);
    return this;
  }

  /** Destroys the connection after everything is written; after a delay if not everything was read. */
  destroySoon(): void {
    const [first] = this.#begun;
    const isRead = first?.request.complete === true && this.#waiting.length === 0;
    if (isRead && this.writableFinished) {
      this.destroy();
      return;
    }
    if (isRead) this.once('finish', () => this.destroy());
    this.end();
  }

  refuse(answer: string): void {
    const [first] = this.#begun;
    if (this.writableEnded) return;
    if (first?.response.headersSent === true) this.destroy();
    // The error is in what follows this request, which still gets its response: the last of the connection.
    else if (first?.request.complete === true) first.response.shouldKeepAlive = false;
    else this.end(answer);
  }

  resetAndDestroy(): this {
    this.#socket.resetAndDestroy();
    return this.destroy();
  }

  override _read(): void {
    this.#isWanted = true;
    // node:http requests more while it still parses the previous chunk.
    queueMicrotask(() => this.#give());
  }

  override _write(chunk: Buffer, encoding: BufferEncoding, taken: (error?: Error | null) => void): void {
    this.#socket.write(chunk, encoding, taken);
  }

  override _writev(
    chunks: readonly { readonly chunk: Buffer; readonly encoding: BufferEncoding }[],
    taken: (error?: Error | null) => void,
  ): void {
    this.#socket.cork();
    chunks.forEach(({ chunk, encoding }, position) => {
      this.#socket.write(chunk, encoding, position === chunks.length - 1 ? taken : undefined);
    });
    this.#socket.uncork();
  }

  override _final(taken: (error?: Error | null) => void): void {
    this.#socket.end(() => taken());
    // A client that never ends its side must not keep a half-open connection. If it were closed at once with bytes unread, the kernel would
    // reset it.
    const over = setTimeout(() => this.destroy(), this.#lingerMs);
    this.once('close', () => clearTimeout(over));
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#leave?.();
    clearTimeout(this.#halfClosedTimer);
    this.#waiting = Buffer.alloc(0);
    this.#socket.destroy();
    done(error);
  }

  /** Parsing a request and making its response are the expensive part, so they wait in the queue. */
  #begin(): void {
    if (this.#leave !== undefined) return;
    const begin = (): void => {
      this.#leave = undefined;
      this.#isNew = false;
      if (this.#isWanted) this.#hand();
    };
    this.#leave = this.#queue(this.#socket.remoteAddress ?? '', begin, this.#isNew ? 'new' : 'known');
  }

  #hand(): void {
    const length = headEnd(this.#waiting);
    const piece = this.#waiting.subarray(0, length);
    this.#waiting = this.#waiting.subarray(length);
    this.#isWanted = false;
    this.push(piece);
  }

  /** Gives node:http more bytes if it wants them: the body of the request that is being served, or the next request if there is none. */
  #give(): void {
    if (!this.#isWanted || this.destroyed || this.writableEnded) return;
    const [first, next] = this.#begun;
    if (this.#waiting.length > 0) {
      if (first === undefined) this.#begin();
      else if (next === undefined && !first.request.complete) this.#hand();
    } else if (this.#hasEnded) {
      // At the end of the stream, node:http closes the connection: a response that has not begun would be lost.
      if (first?.request.complete === true && !first.response.headersSent)
        this.#halfClosedTimer ??= setTimeout(() => this.push(null), halfClosedMs);
      else this.push(null);
    } else if (this.#socket.isPaused()) {
      this.#socket.resume();
    }
  }
}

/** The position after the first empty line, or the maximum that may be given at once. */
const headEnd = (bytes: Buffer): number => {
  const maxEnd = Math.min(bytes.length, pieceBytes);
  const end = bytes.subarray(0, maxEnd).indexOf('\r\n\r\n');
  return end === -1 ? maxEnd : end + 4;
};
