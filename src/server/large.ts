// What is held for those who read slowly is bounded, in bytes and in time: bytes that several are sent count once.

import type { ServerResponse } from 'node:http';
import { plainText, type Reply } from './reply.ts';

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

/** `body`: what is held as long as it is sent; undefined where that is joined meanwhile. */
interface Sent {
  readonly length: number;
  readonly body: Uint8Array | undefined;
}

/** What is being sent: to all, or to one address. */
const createHeld = ({ maxLarge, maxHeldBytes }: Pick<LargeOptions, 'maxLarge' | 'maxHeldBytes'>) => {
  let sending = 0;
  let heldBytes = 0;
  /** How many times each is sent. */
  const held = new Map<Uint8Array, number>();
  const holds = (body: Uint8Array): boolean => held.has(body) || held.size === 0 || heldBytes + body.length <= maxHeldBytes;
  return {
    hasRoom: ({ length, body }: Sent): boolean =>
      (length <= largeBytes || sending < maxLarge) && (body === undefined || holds(body)),
    add: ({ length, body }: Sent): void => {
      if (length > largeBytes) sending += 1;
      if (body === undefined) return;
      const others = held.get(body) ?? 0;
      if (others === 0) heldBytes += length;
      held.set(body, others + 1);
    },
    remove: ({ length, body }: Sent): void => {
      if (length > largeBytes) sending -= 1;
      if (body === undefined) return;
      const others = (held.get(body) ?? 1) - 1;
      held.set(body, others);
      if (others > 0) return;
      held.delete(body);
      heldBytes -= length;
    },
    isEmpty: (): boolean => sending === 0 && held.size === 0,
  };
};

/** False where too much is being sent, of which half may be to one address: the other half is left for all others. */
export const boundLarge = (options: LargeOptions) => {
  const all = createHeld(options);
  const half = { maxLarge: Math.ceil(options.maxLarge / 2), maxHeldBytes: options.maxHeldBytes / 2 };
  const byAddress = new Map<string, typeof all>();

  return (response: ServerResponse, address: string, sent: Sent): boolean => {
    if (sent.length <= pieceBytes) return true;
    const own = byAddress.get(address) ?? createHeld(half);
    if (!all.hasRoom(sent) || !own.hasRoom(sent)) return false;
    byAddress.set(address, own);
    for (const one of [all, own]) one.add(sent);
    const late = setTimeout(() => response.destroy(), options.largeMs);
    response.once('close', () => {
      clearTimeout(late);
      for (const one of [all, own]) one.remove(sent);
      if (own.isEmpty() && byAddress.get(address) === own) byAddress.delete(address);
    });
    return true;
  };
};

export const busy: Reply = plainText(503, 'too many large pages are being sent: try again later\n', { 'Retry-After': '1' });
