// Request bodies: a limit for each, and one for all that are held at a time, so that two hundred clients cost what a few do.

import type { IncomingMessage } from 'node:http';
import { type BodyLimits, bodyLimits } from './limits.ts';
import { createRoom } from './room.ts';

/** Held until released. */
export interface Body {
  readonly text: () => string;
  /** Others wait while it is held. */
  readonly isLarge: boolean;
  readonly release: () => void;
}

/** Event of a request whose body is about to be read. */
export const bodyWanted = Symbol('body wanted');

const nothing = Buffer.alloc(0);
export const noBody: Body = { text: () => '', isLarge: false, release: () => undefined };

/**
 * Reads a whole body. A large one waits, unread, until a buffer is free. A client that exceeds the size limit or the timeout is
 * disconnected.
 */
export const createBodies = (limits: BodyLimits = bodyLimits) => {
  const lend = createBuffers(limits);
  return async (request: IncomingMessage): Promise<Body> => {
    let bytes: Buffer = nothing;
    let length = 0;
    let lent: Lent | undefined;
    let late: NodeJS.Timeout | undefined;
    request.emit(bodyWanted);
    try {
      for await (const chunk of request) {
        const needed = length + chunk.length;
        if (needed > limits.bytes) {
          request.destroy();
          break;
        }
        if (needed > limits.smallBytes && lent === undefined) {
          lent = await lend(request);
          if (lent === undefined) break;
          late = setTimeout(() => request.destroy(), limits.seconds * 1000);
          bytes.copy(lent.buffer, 0, 0, length);
          bytes = lent.buffer;
        }
        // Copied: as views of the received chunks, a body in single bytes would take a thousand times its size.
        if (needed > bytes.length)
          bytes = Buffer.concat([bytes], Math.min(limits.smallBytes, Math.max(needed, 2 * bytes.length)));
        chunk.copy(bytes, length);
        length = needed;
      }
    } catch {
      // An unfinished body is treated as if it ended there.
    }
    clearTimeout(late);
    return { text: () => bytes.toString('utf8', 0, length), isLarge: lent !== undefined, release: () => lent?.release() };
  };
};

interface Lent {
  readonly buffer: Buffer;
  /** Called once. */
  readonly release: () => void;
}

/** Reused: Node.js is slow to free memory outside its heap. */
const createBuffers = ({ bytes, largeAtOnce }: BodyLimits) => {
  const spare: Buffer[] = [];
  const room = createRoom(largeAtOnce);
  /** Undefined if the client disconnects meanwhile. */
  return async ({ socket }: IncomingMessage): Promise<Lent | undefined> => {
    const leave = await room.wait(socket, 1);
    if (leave === undefined) return undefined;
    const buffer = spare.pop() ?? Buffer.allocUnsafeSlow(bytes);
    const release = (): void => {
      spare.push(buffer);
      leave();
    };
    return { buffer, release };
  };
};
