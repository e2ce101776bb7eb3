// Rate limits of requests, per client address and in total.

import { plainText, type Reply } from './reply.ts';
import { createLimiter } from './web/rate-limit.ts';

export interface RateOptions {
  /** Requests per second and address. */
  readonly perSecond: number;
  /** Maximum number of requests at once, after a pause. */
  readonly burst: number;
}

/** Maximum number of addresses that are remembered. The least recently used one is forgotten first. */
const maxKept = 1000;
/** The limit for all addresses together, as a multiple of the limit of one. */
const share = 4;
/**
 * Addresses that use no more than this fraction of their limit share a separate limit, so that a dozen busy clients cannot exhaust the
 * limit for everybody.
 */
const quietFraction = 1 / 20;

interface Limiters {
  readonly own: () => boolean;
  readonly isQuiet: () => boolean;
}

/** Returns whether one more request of the address is within the limits. `now`: seconds, steady clock. */
export const createRates = ({ perSecond, burst }: RateOptions, now: () => number): ((address: string) => boolean) => {
  const limiter = (times: number): (() => boolean) =>
    createLimiter({ interval: 1 / (times * perSecond), burst: Math.ceil(times * burst) }, now);
  const limiters = new Map<string, Limiters>();
  const [ofAll, ofQuiet] = [limiter(share), limiter(1)];
  return (address) => {
    const { own, isQuiet } = limiters.get(address) ?? { own: limiter(1), isQuiet: limiter(quietFraction) };
    limiters.delete(address);
    limiters.set(address, { own, isQuiet });
    const [oldest] = limiters.keys();
    if (limiters.size > maxKept && oldest !== undefined) limiters.delete(oldest);
    return own() && ((isQuiet() && ofQuiet()) || ofAll());
  };
};

export const tooManyRequests: Reply = plainText(429, 'too many requests: try again later\n', { 'Retry-After': '1' });
