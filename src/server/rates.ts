// How many requests may come in a second: of an address, and of all.

import type { Reply } from './reply.ts';
import { createLimiter } from './web/rate-limit.ts';

export interface RateOptions {
  /** Of an address. */
  readonly perSecond: number;
  /** At once, after it was silent. */
  readonly burst: number;
}

/** Addresses that are remembered: the newest. */
const maxKept = 1000;
/** All of them together may ask for so many times what one may. */
const share = 4;

/** Says whether one more request of the address may come now. `now`: seconds, steady clock. */
export const createRates = ({ perSecond, burst }: RateOptions, now: () => number): ((address: string) => boolean) => {
  const limiters = new Map<string, () => boolean>();
  const ofAll = createLimiter({ interval: 1 / (share * perSecond), burst: share * burst }, now);
  return (address) => {
    const own = limiters.get(address) ?? createLimiter({ interval: 1 / perSecond, burst }, now);
    limiters.delete(address);
    limiters.set(address, own);
    const [oldest] = limiters.keys();
    if (limiters.size > maxKept && oldest !== undefined) limiters.delete(oldest);
    return own() && ofAll();
  };
};

export const tooMany: Reply = {
  status: 429,
  headers: { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store', 'Retry-After': '1' },
  body: 'too many requests: try again later\n',
};
