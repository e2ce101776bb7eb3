// Which names the host looks up now. libuv runs getaddrinfo for two at a time, and nobody can end it: a name whose zone does not answer
// keeps its place for 10 s and more. So of the two one at most is a name for which the name servers have not answered just before. What
// is asked for while another is under way is checked so over sockets of our own; where nobody answers, it waits for that one place.

import type { LookupAddress } from 'node:dns';
import { slotsOf } from './slots.ts';

/** What a name has come to. */
export type LookupResult = readonly LookupAddress[] | Error;

export interface LookupHost {
  /** Milliseconds. */
  readonly now: () => number;
  readonly lookUp: (host: string, done: (answer: LookupResult) => void) => void;
  /** Whether name servers answer for it; never rejects. */
  readonly isAnswered: (host: string) => Promise<boolean>;
}

/** What is remembered of a name. */
export interface Conduct {
  /** Slow failures since it was last answered. */
  strikes: number;
  /** It was slow although the name servers had answered for it: their word counts no more until it is quick. */
  isBarred: boolean;
}

interface Waiting {
  readonly conduct: Conduct;
  readonly done: (answer: LookupResult) => void;
}

const atOnce = { lookups: 2, checks: 32 } as const;

/** After so long a look-up is slow. */
export const slowMs = 1000;

export const createLookupPlaces = ({ now, lookUp, isAnswered }: LookupHost) => {
  /** Those for which the name servers have answered, and the others. */
  const trusted = new Map<string, Waiting>();
  const others = new Map<string, Waiting>();
  /** Whether each is trusted. */
  const running = new Map<string, boolean>();
  const checks = slotsOf(atOnce.checks);

  const next = () => {
    const [first] = trusted;
    if ([...running.values()].includes(false)) return first;
    for (const other of others) if (other[1].conduct.strikes === 0) return other;
    const [failed] = others;
    return failed ?? first;
  };
  const fill = (): void => {
    while (running.size < atOnce.lookups) {
      const found = next();
      if (found === undefined) return;
      const [host, { conduct, done }] = found;
      const [begunAt, isTrusted] = [now(), trusted.delete(host)];
      others.delete(host);
      running.set(host, isTrusted);
      lookUp(host, (answer) => {
        const isSlow = now() - begunAt >= slowMs;
        running.delete(host);
        conduct.strikes = isSlow && answer instanceof Error ? conduct.strikes + 1 : 0;
        conduct.isBarred = isSlow && (isTrusted || conduct.isBarred);
        done(answer);
        fill();
      });
    }
  };
  const check = (host: string, waiting: Waiting): void => {
    const isWaiting = (): boolean => others.get(host) === waiting;
    const start = (): void => {
      void (isWaiting() ? isAnswered(host) : Promise.resolve(false)).then((isGood) => {
        if (isGood && isWaiting()) {
          others.delete(host);
          trusted.set(host, waiting);
        }
        checks.leave(start);
        fill();
      });
    };
    checks.enter(start);
  };

  return {
    /** A name that is neither waiting nor running. */
    enter: (host: string, conduct: Conduct, done: (answer: LookupResult) => void): void => {
      const waiting = { conduct, done };
      others.set(host, waiting);
      fill();
      if (others.has(host) && !conduct.isBarred) check(host, waiting);
    },
    /** False where it is running: then it is heard of. */
    leave: (host: string): boolean => others.delete(host) || trusted.delete(host),
  };
};
