// Limits the bytes that a connection receives for one response. Only this limit counts empty lines before the head, spaces in it, zeros in a chunk
// size and empty blocks of a compressed body. A node could send gigabytes of them before the timeout.

import type { Socket } from 'node:net';

/**
 * Bytes allowed in addition to those for the body. The head and the chunk sizes of a correct response are kilobytes, and decompression is
 * up to 400 KiB behind (Node.js 22).
 */
export const maxOverhead = 1024 * 1024;

/** Bytes allowed on the wire per byte of the body. A node sends chunks of kilobytes; a chunk of one byte takes six bytes. */
export const maxWireBytesPerByte = 3;

export interface Wire {
  /** Bytes received since the request got its connection. */
  readonly bytes: () => number;
  /** Raises the limit to that for a decompressed body of this size. */
  readonly grow: (bodyBytes: number) => void;
  /** The body is complete: `exceeded` is not called any more. Further bytes on the connection still count. */
  readonly complete: () => void;
}

/** For the connections of one client. Above the limit, calls `exceeded` once and closes the connection. */
export const wires = () => {
  const checks = new WeakMap<Socket, () => void>();
  return (socket: Socket, exceeded: () => void): Wire => {
    const before = socket.bytesRead;
    const bytes = (): number => socket.bytesRead - before;
    let maxBytes = maxOverhead;
    let onExceeded: (() => void) | undefined = exceeded;
    const check = (): void => {
      if (bytes() <= maxBytes) return;
      onExceeded?.();
      socket.destroy();
    };
    const previous = checks.get(socket);
    if (previous !== undefined) socket.off('data', previous);
    // Added after the listener of the HTTP parser, which must not get bytes from a destroyed socket.
    socket.on('data', check);
    checks.set(socket, check);
    return {
      bytes,
      grow: (bodyBytes) => {
        maxBytes = maxOverhead + maxWireBytesPerByte * bodyBytes;
      },
      complete: () => {
        // A kept-alive connection must not keep the response in memory.
        onExceeded = undefined;
      },
    };
  };
};
