// Limits the memory for slow clients: how many bytes are buffered for them, and for how long. Bytes shared by several responses count once.

import type { ServerResponse } from 'node:http';
import { plainText, type Reply } from './reply.ts';

export interface LargeOptions {
  /** Responses of more than a mebibyte that are sent at a time. */
  readonly maxLarge: number;
  /** Bytes of different responses that are buffered at a time. A single response may be larger. */
  readonly maxBufferedBytes: number;
  /** Time limit from the first byte of a response to its last. */
  readonly largeMs: number;
}

/** A response up to this size goes to the kernel at once, and is not counted. */
export const pieceBytes = 64 * 1024;

const largeBytes = 1024 * 1024;

/** `body`: buffered until it is sent. Undefined for a page that is joined while it is sent. */
interface Sent {
  readonly length: number;
  readonly body: Uint8Array | undefined;
}

/** Counts what is being sent, to all clients or to one address. */
const createTally = ({ maxLarge, maxBufferedBytes }: Pick<LargeOptions, 'maxLarge' | 'maxBufferedBytes'>) => {
  let sending = 0;
  let bufferedBytes = 0;
  /** Body -> number of responses that send it. */
  const buffered = new Map<Uint8Array, number>();
  const fits = (body: Uint8Array): boolean =>
    buffered.has(body) || buffered.size === 0 || bufferedBytes + body.length <= maxBufferedBytes;
  return {
    hasRoom: ({ length, body }: Sent): boolean =>
      (length <= largeBytes || sending < maxLarge) && (body === undefined || fits(body)),
    add: ({ length, body }: Sent): void => {
      if (length > largeBytes) sending += 1;
      if (body === undefined) return;
      const others = buffered.get(body) ?? 0;
      if (others === 0) bufferedBytes += length;
      buffered.set(body, others + 1);
    },
    remove: ({ length, body }: Sent): void => {
      if (length > largeBytes) sending -= 1;
      if (body === undefined) return;
      const others = (buffered.get(body) ?? 1) - 1;
      buffered.set(body, others);
      if (others > 0) return;
      buffered.delete(body);
      bufferedBytes -= length;
    },
    isEmpty: (): boolean => sending === 0 && buffered.size === 0,
  };
};

/** Returns false if too much is being sent. One address may use half of each limit, so that the other half is left for all others. */
export const boundLarge = (options: LargeOptions) => {
  const all = createTally(options);
  const half = { maxLarge: Math.ceil(options.maxLarge / 2), maxBufferedBytes: options.maxBufferedBytes / 2 };
  const byAddress = new Map<string, typeof all>();

  return (response: ServerResponse, address: string, sent: Sent): boolean => {
    if (sent.length <= pieceBytes) return true;
    const own = byAddress.get(address) ?? createTally(half);
    if (!all.hasRoom(sent) || !own.hasRoom(sent)) return false;
    byAddress.set(address, own);
    for (const one of [all, own]) one.add(sent);
    const timeout = setTimeout(() => response.destroy(), options.largeMs);
    response.once('close', () => {
      clearTimeout(timeout);
      for (const one of [all, own]) one.remove(sent);
      if (own.isEmpty() && byAddress.get(address) === own) byAddress.delete(address);
    });
    return true;
  };
};

export const busy: Reply = plainText(503, 'too many large pages are being sent: try again later\n', { 'Retry-After': '1' });
