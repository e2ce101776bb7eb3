// A token bucket over all requests of a server.

import type { WebFile } from './schema.ts';

/** Returns whether one more request is within the limit. `now`: seconds, steady clock. */
export const createLimiter = (limit: WebFile['rate_limit'], now: () => number): (() => boolean) => {
  const { interval, burst } = limit ?? { interval: 0, burst: 0 };
  if (interval === 0) return () => true;
  let tokens = burst;
  let at = now();
  return () => {
    tokens = Math.min(burst, tokens + (now() - at) / interval);
    at = now();
    if (tokens < 1) return false;
    tokens -= 1;
    return true;
  };
};
