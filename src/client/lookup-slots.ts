// Decides which names getaddrinfo looks up now. libuv runs two calls at a time, and they cannot be cancelled: if the name servers for a name do
// not respond, it blocks a slot for 10 s and more. So only one of the two slots is for names whose name servers may not respond. For a name that
// has to wait, DNS queries over separate sockets check whether they respond. If they do not, the name waits for that one slot.

import type { LookupAddress } from 'node:dns';
import { slotsOf } from './slots.ts';

/** The result of a lookup. */
export type LookupResult = readonly LookupAddress[] | Error;

export interface LookupHost {
  /** Milliseconds. */
  readonly now: () => number;
  readonly lookUp: (host: string, done: (answer: LookupResult) => void) => void;
  /** Whether the name servers respond for this name; never rejects. */
  readonly isAnswered: (host: string) => Promise<boolean>;
}

/** How earlier lookups of a name went. */
export interface LookupHistory {
  /** Consecutive slow failures. */
  strikes: number;
  /** A lookup was slow although the name servers responded: they are not checked again until a lookup is fast. */
  isBarred: boolean;
}

interface Waiting {
  readonly history: LookupHistory;
  readonly done: (answer: LookupResult) => void;
}

const atOnce = { lookups: 2, checks: 32 } as const;

/** A lookup that takes longer is slow. */
export const slowMs = 1000;

export const createLookupSlots = ({ now, lookUp, isAnswered }: LookupHost) => {
  /** Waiting names for which the name servers responded, and the others. */
  const trusted = new Map<string, Waiting>();
  const others = new Map<string, Waiting>();
  /** The running lookups, and whether each was trusted. */
  const running = new Map<string, boolean>();
  const checks = slotsOf(atOnce.checks);

  const next = () => {
    const [first] = trusted;
    if ([...running.values()].includes(false)) return first;
    for (const other of others) if (other[1].history.strikes === 0) return other;
    const [failed] = others;
    return failed ?? first;
  };
  const fill = (): void => {
    while (running.size < atOnce.lookups) {
      const found = next();
      if (found === undefined) return;
      const [host, { history, done }] = found;
      const [begunAt, isTrusted] = [now(), trusted.delete(host)];
      others.delete(host);
      running.set(host, isTrusted);
      lookUp(host, (answer) => {
        const isSlow = now() - begunAt >= slowMs;
        running.delete(host);
        history.strikes = isSlow && answer instanceof Error ? history.strikes + 1 : 0;
        history.isBarred = isSlow && (isTrusted || history.isBarred);
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
    /** The name must be neither waiting nor running. */
    enter: (host: string, history: LookupHistory, done: (answer: LookupResult) => void): void => {
      const waiting = { history, done };
      others.set(host, waiting);
      fill();
      if (others.has(host) && !history.isBarred) check(host, waiting);
    },
    /** False if the lookup is running: then `done` will be called. */
    leave: (host: string): boolean => others.delete(host) || trusted.delete(host),
  };
};
