// One request of a connection at a time: what a client sends ahead (pipelining) waits unread, in its own kernel. node:http itself makes
// a request of everything that a packet holds, thousands of them, before the first is answered.

import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import { Server as SecureServer } from 'node:https';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import type { InTurn } from './turns.ts';

/** Read of a connection at once, where no request ends before: line ends that are none of HTTP hide the end of a head. */
const pieceBytes = 4096;

/** Milliseconds that the other side has to read the last answer, where it would be lost with what was not read of what it sent. */
const defaultLingerMs = 500;

/** Milliseconds that an answer may still take to begin where the other side has ended its own: it may wait, or have gone. */
const patienceMs = 2000;

/**
 * To be called before anything else listens to the server, whose requests then have a `Connection` as their socket. Gives what is put
 * around each listener to requests.
 */
export const oneRequestAtATime = (
  server: Server,
  inTurn: InTurn,
  lingerMs = defaultLingerMs,
): ((answer: RequestListener) => RequestListener) => {
  const event = server instanceof SecureServer ? 'secureConnection' : 'connection';
  // As node:http documents it: any duplex stream may be given to the listener of its own.
  const [serve] = server.listeners(event);
  if (serve === undefined) throw new Error('the server takes no connections');
  server.removeAllListeners(event);
  server.on(event, (socket: Socket) => {
    // Who goes before its turn is nobody's fault.
    socket.on('error', () => socket.destroy());
    const begin = (): void => {
      if (!socket.destroyed) Reflect.apply(serve, server, [new Connection(socket, inTurn, lingerMs)]);
    };
    socket.once('close', inTurn(socket.remoteAddress ?? '', begin, 'new'));
  });
  return (answer) => (request, response) => {
    const connection: Duplex = request.socket;
    if (connection instanceof Connection) connection.begin(request, response, () => answer(request, response));
  };
};

/** What node:http serves is a socket to it: of those, the members that are used here. */
export const isServed = (stream: Duplex): stream is Socket => stream instanceof Connection;

/** For `clientError`: ends the connection with this answer, or without, where another has begun. */
export const endRefused = (stream: Duplex, answer: string): void => {
  if (stream instanceof Connection) stream.refuse(answer);
  else stream.destroy();
};

/** The socket as node:http sees it: what it is given ends with the head of one request until that one is answered. */
class Connection extends Duplex {
  readonly #socket: Socket;
  readonly #inTurn: InTurn;
  readonly #lingerMs: number;
  /** Gives up the place of a request that waits for its turn. */
  #leave: (() => void) | undefined;
  #isNew = true;
  /** Received, and not yet given to node:http. */
  #waiting: Buffer = Buffer.alloc(0);
  #hasEnded = false;
  #patience: NodeJS.Timeout | undefined;
  #isWanted = false;
  /** In their order: the first is being answered. */
  readonly #begun: { readonly request: IncomingMessage; readonly response: ServerResponse; readonly answer: () => void }[] = [];

  constructor(socket: Socket, inTurn: InTurn, lingerMs: number) {
    // Nothing is asked for before what was given has been understood.
    super({ readableHighWaterMark: 1 });
    this.#socket = socket;
    this.#inTurn = inTurn;
    this.#lingerMs = lingerMs;
    // The other side may have gone before its turn, and an end is told once.
    this.#hasEnded = socket.readableEnded;
    socket.on('data', (chunk: Buffer) => {
      this.#waiting = this.#waiting.length === 0 ? chunk : Buffer.concat([this.#waiting, chunk]);
      this.#give();
      // A connection with nothing waiting is read on: so its end is heard of.
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

  /** Answers it when the one before has left: the end of a body may bring the head of the next request with it. */
  begin(request: IncomingMessage, response: ServerResponse, answer: () => void): void {
    this.#begun.push({ request, response, answer });
    if (this.#begun.length === 1) this.#answer();
  }

  #answer(): void {
    const [first] = this.#begun;
    // Behind the last answer of a connection Node.js gives no socket to another, which then would never be closed.
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

  /** When what was written has left; and where not all was read, a little later. */
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
    else this.end(answer);
  }

  resetAndDestroy(): this {
    this.#socket.resetAndDestroy();
    return this.destroy();
  }

  override _read(): void {
    this.#isWanted = true;
    // Asked for while the piece before is still on its way to the parser.
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
    // Who never ends its side would have half a connection for good. Closed at once with bytes unread, the kernel resets it.
    const over = setTimeout(() => this.destroy(), this.#lingerMs);
    this.once('close', () => clearTimeout(over));
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#leave?.();
    clearTimeout(this.#patience);
    this.#waiting = Buffer.alloc(0);
    this.#socket.destroy();
    done(error);
  }

  /** To understand a request and to answer it is what costs: that waits for a turn. */
  #begin(): void {
    if (this.#leave !== undefined) return;
    const begin = (): void => {
      this.#leave = undefined;
      this.#isNew = false;
      if (this.#isWanted) this.#hand();
    };
    this.#leave = this.#inTurn(this.#socket.remoteAddress ?? '', begin, this.#isNew ? 'new' : 'known');
  }

  #hand(): void {
    const length = headEnd(this.#waiting);
    const piece = this.#waiting.subarray(0, length);
    this.#waiting = this.#waiting.subarray(length);
    this.#isWanted = false;
    this.push(piece);
  }

  /** The next piece, where one is wanted and no request is being answered: its body belongs to it. */
  #give(): void {
    if (!this.#isWanted || this.destroyed || this.writableEnded) return;
    const [first, next] = this.#begun;
    if (this.#waiting.length > 0) {
      if (first === undefined) this.#begin();
      else if (next === undefined && !first.request.complete) this.#hand();
    } else if (this.#hasEnded) {
      // Told of the end, node:http closes the connection: an answer that has not begun would be lost.
      if (first?.request.complete === true && !first.response.headersSent)
        this.#patience ??= setTimeout(() => this.push(null), patienceMs);
      else this.push(null);
    } else if (this.#socket.isPaused()) {
      this.#socket.resume();
    }
  }
}

/** Past the first empty line, or as much as may be read at once. */
const headEnd = (bytes: Buffer): number => {
  const most = Math.min(bytes.length, pieceBytes);
  const end = bytes.subarray(0, most).indexOf('\r\n\r\n');
  return end === -1 ? most : end + 4;
};
