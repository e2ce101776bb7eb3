// The bodies of requests: a bound for each, and one for all that are held at a time, so that two hundred clients cost what a few do.

import type { IncomingMessage } from 'node:http';
import { type BodyLimits, bodyLimits } from './limits.ts';

/** Held until it is released. */
export interface Body {
  readonly text: () => string;
  readonly release: () => void;
}

const nothing = Buffer.alloc(0);
export const noBody: Body = { text: () => '', release: () => undefined };

/**
 * Reads all of a body. One that is larger than most waits, unread, until there is a buffer for it. Who sends more than the bound, or
 * does not end in time, is cut off.
 */
export const createBodies = (limits: BodyLimits = bodyLimits) => {
  const lend = createBuffers(limits);
  return async (request: IncomingMessage): Promise<Body> => {
    let bytes: Buffer = nothing;
    let length = 0;
    let lent: Lent | undefined;
    let late: NodeJS.Timeout | undefined;
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
        // Copied: a body in single bytes would be a thousand times its size as views of what was received.
        if (needed > bytes.length)
          bytes = Buffer.concat([bytes], Math.min(limits.smallBytes, Math.max(needed, 2 * bytes.length)));
        chunk.copy(bytes, length);
        length = needed;
      }
    } catch {
      // What a caller does not finish is as if it ended there.
    }
    clearTimeout(late);
    return { text: () => bytes.toString('utf8', 0, length), release: () => lent?.release() };
  };
};

interface Lent {
  readonly buffer: Buffer;
  /** Once. */
  readonly release: () => void;
}

interface Waiting {
  readonly address: string;
  readonly begin: () => void;
}

/** Used again and again: Node.js gives memory outside its heap back late. */
const createBuffers = ({ bytes, largeAtOnce }: BodyLimits) => {
  const spare: Buffer[] = [];
  const lentTo: string[] = [];
  const waiting = new Set<Waiting>();
  const hasRoom = (): boolean => lentTo.length < largeAtOnce;

  const lend = (address: string): Lent => {
    const buffer = spare.pop() ?? Buffer.allocUnsafeSlow(bytes);
    lentTo.push(address);
    const release = (): void => {
      spare.push(buffer);
      lentTo.splice(lentTo.indexOf(address), 1);
      nextOf(waiting, lentTo)?.begin();
    };
    return { buffer, release };
  };

  /** Undefined: it has gone meanwhile. */
  return ({ socket }: IncomingMessage): Promise<Lent | undefined> =>
    new Promise((resolve) => {
      const { remoteAddress: address = '' } = socket;
      if (socket.destroyed) return resolve(undefined);
      if (hasRoom()) return resolve(lend(address));
      const leave = (): void => {
        waiting.delete(one);
        socket.off('close', gone);
      };
      const gone = (): void => {
        leave();
        resolve(undefined);
      };
      const one: Waiting = {
        address,
        begin: () => {
          leave();
          resolve(lend(address));
        },
      };
      waiting.add(one);
      socket.once('close', gone);
    });
};

/** Whose address has fewest buffers; of these who came first. */
const nextOf = (waiting: ReadonlySet<Waiting>, lentTo: readonly string[]): Waiting | undefined => {
  const has = ({ address }: Waiting): number => lentTo.filter((other) => other === address).length;
  let next: Waiting | undefined;
  for (const one of waiting) if (next === undefined || has(one) < has(next)) next = one;
  return next;
};
