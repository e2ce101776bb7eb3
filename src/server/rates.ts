// How many requests may come in a second: of an address, and of all.

import { plainText, type Reply } from './reply.ts';
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
/** Who asks for no more than this part of what an address may has the share of one beside that: a dozen that ask all the time keep nobody out. */
const seldom = 1 / 20;

interface Limiters {
  readonly own: () => boolean;
  readonly isSeldom: () => boolean;
}

/** Says whether one more request of the address may come now. `now`: seconds, steady clock. */
export const createRates = ({ perSecond, burst }: RateOptions, now: () => number): ((address: string) => boolean) => {
  const limiter = (times: number): (() => boolean) =>
    createLimiter({ interval: 1 / (times * perSecond), burst: Math.ceil(times * burst) }, now);
  const limiters = new Map<string, Limiters>();
  const [ofAll, ofSeldom] = [limiter(share), limiter(1)];
  return (address) => {
    const { own, isSeldom } = limiters.get(address) ?? { own: limiter(1), isSeldom: limiter(seldom) };
    limiters.delete(address);
    limiters.set(address, { own, isSeldom });
    const [oldest] = limiters.keys();
    if (limiters.size > maxKept && oldest !== undefined) limiters.delete(oldest);
    return own() && ((isSeldom() && ofSeldom()) || ofAll());
  };
};

export const tooManyRequests: Reply = plainText(429, 'too many requests: try again later\n', { 'Retry-After': '1' });
