// What is held for those who read slowly is bounded, in bytes and in time: bytes that several are sent count once.

import type { ServerResponse } from 'node:http';
import type { Reply } from './reply.ts';

export interface LargeOptions {
  /** Pages of more than a mebibyte that are sent at a time. */
  readonly maxLarge: number;
  /** Bytes of different answers that are held at a time; more only for one that is larger by itself. */
  readonly maxHeldBytes: number;
  /** From its first byte to its last. */
  readonly largeMs: number;
}

/** Handed to the kernel at once, and held for nobody. */
export const pieceBytes = 64 * 1024;

const largeBytes = 1024 * 1024;

/** False where too much is being sent. `body`: what is held as long as it is sent; undefined where that is joined meanwhile. */
export const boundLarge = ({ maxLarge, maxHeldBytes, largeMs }: LargeOptions) => {
  let sending = 0;
  let heldBytes = 0;
  /** How many each is sent to. */
  const held = new Map<Uint8Array, number>();
  const holds = (body: Uint8Array): boolean => held.has(body) || held.size === 0 || heldBytes + body.length <= maxHeldBytes;

  return (response: ServerResponse, length: number, body: Uint8Array | undefined): boolean => {
    if (length <= pieceBytes) return true;
    const isLarge = length > largeBytes;
    if ((isLarge && sending >= maxLarge) || (body !== undefined && !holds(body))) return false;
    if (isLarge) sending += 1;
    if (body !== undefined) {
      const others = held.get(body) ?? 0;
      if (others === 0) heldBytes += length;
      held.set(body, others + 1);
    }
    const late = setTimeout(() => response.destroy(), largeMs);
    response.once('close', () => {
      clearTimeout(late);
      if (isLarge) sending -= 1;
      if (body === undefined) return;
      const others = (held.get(body) ?? 1) - 1;
      held.set(body, others);
      if (others > 0) return;
      held.delete(body);
      heldBytes -= length;
    });
    return true;
  };
};

export const busy: Reply = {
  status: 503,
  headers: { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store', 'Retry-After': '1' },
  body: 'too many large pages are being sent: try again later\n',
};
