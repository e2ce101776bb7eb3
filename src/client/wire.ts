// The bytes of an answer as the connection brings them. Empty lines before it, spaces in its head, zeros in the size of a chunk and empty
// parts of a compressed body make nothing that is counted elsewhere, and a node can send gigabytes of them within a deadline.

import type { Socket } from 'node:net';

/**
 * Beside three bytes for each of the body. On its way through decompression an honest body is up to 400 KiB behind (Node.js 22), head
 * and chunks are kilobytes.
 */
export const maxBeside = 1024 * 1024;

/** Bytes on the wire for each of the body: the chunks of a node are kilobytes, and chunks of one byte are six. */
export const dearest = 3;

export interface Wire {
  /** Since the request was given its connection. */
  readonly bytes: () => number;
  /** The body has so many by now, decompressed. */
  readonly grow: (bodyBytes: number) => void;
  /** The body is whole, and nobody is told any more; what follows it on the connection still counts. */
  readonly leave: () => void;
}

/** For the connections of one client. What passes the bound is told once, and ends the connection. */
export const wires = () => {
  const checks = new WeakMap<Socket, () => void>();
  return (socket: Socket, exceeded: () => void): Wire => {
    const before = socket.bytesRead;
    const bytes = (): number => socket.bytesRead - before;
    let most = maxBeside;
    let tell: (() => void) | undefined = exceeded;
    const check = (): void => {
      if (bytes() <= most) return;
      tell?.();
      socket.destroy();
    };
    const last = checks.get(socket);
    if (last !== undefined) socket.off('data', last);
    // After the parser of this request has begun to listen: it must not be given bytes of a connection that was ended.
    socket.on('data', check);
    checks.set(socket, check);
    return {
      bytes,
      grow: (bodyBytes) => {
        most = maxBeside + dearest * bodyBytes;
      },
      leave: () => {
        // The connection may be kept for long, the answer not.
        tell = undefined;
      },
    };
  };
};
