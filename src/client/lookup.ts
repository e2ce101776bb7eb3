// Resolves names with the resolver of the host (including /etc/hosts and search domains) for the whole process: at most one lookup per name at
// a time, and the last good result if a lookup fails or is slow.

import { ADDRCONFIG, type LookupAddress, lookup as systemLookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { doublingWait } from '../pause.ts';
import { codeOf } from '../text.ts';
import { createLookupSlots, type LookupHistory, type LookupHost, type LookupResult, slowMs } from './lookup-slots.ts';
import { nameServersAnswer } from './name-servers.ts';

export interface LookupClock {
  /** Calls back after this many milliseconds. Returns a function that cancels it. */
  readonly after: (ms: number, then: () => void) => () => void;
}

const system: LookupHost & LookupClock = {
  now: () => performance.now(),
  after: (ms, then) => {
    const timer = setTimeout(then, ms).unref();
    return () => clearTimeout(timer);
  },
  lookUp: (host, done) => systemLookup(host, { all: true, hints: ADDRCONFIG }, (error, addresses) => done(error ?? addresses)),
  isAnswered: nameServersAnswer,
};

/** Names that are remembered. Above this number, the oldest is dropped. */
const maxNames = 4096;

/** Addresses per name. A DNS server may return four thousand; all would be kept, and tried one after the other if none responds. */
const maxAddresses = 64;

/** Minimum time between lookups of a name with more addresses than that: reading four thousand takes 20 ms of CPU and more. */
const manyAddressesTtlMs = 30_000;

/** Timeout of a lookup if there is no earlier result. */
const timeoutMs = 10_000;

/** After a slow failure, a name is not looked up again for this time, which doubles with each further slow failure. */
const backoffMs = { first: 1000, max: 30_000 } as const;

interface PendingLookup {
  readonly waiting: Set<(answer: LookupResult) => void>;
  /** Set when the lookup is slow: the result that the waiting callers got, and that new ones get. */
  late?: LookupResult;
  readonly timers: (() => void)[];
}

interface Name extends LookupHistory {
  /** The last good result. */
  kept?: readonly LookupAddress[] | undefined;
  pending?: PendingLookup | undefined;
  /** For very many addresses: when they may be looked up again. */
  validUntil?: number;
  /** A slow failure, and when the name may be looked up again. */
  failed?: { readonly error: Error; readonly until: number } | undefined;
}

export interface Lookups {
  /** For the option `lookup` of a socket. */
  readonly lookup: LookupFunction;
  /** Rejects as the resolver does. */
  readonly resolve: (host: string) => Promise<readonly string[]>;
}

const failure = (text: string): Error => Object.assign(new Error(text), { code: 'EAI_AGAIN' });

/** One for all clients of the process. */
export const createLookups = ({ after, ...host }: LookupHost & LookupClock = system): Lookups => {
  const names = new Map<string, Name>();
  const slots = createLookupSlots(host);

  const end = (name: Name, answer: LookupResult): void => {
    const { pending } = name;
    name.pending = undefined;
    for (const cancel of pending?.timers ?? []) cancel();
    for (const deliver of pending?.waiting ?? []) deliver(answer);
  };
  const observe = (name: Name, answer: LookupResult): void => {
    name.failed = undefined;
    if (!(answer instanceof Error)) name.kept = answer;
    else {
      // ENOTFOUND is a definite response: the name no longer exists.
      if (codeOf(answer) === 'ENOTFOUND') name.kept = undefined;
      if (name.strikes > 0) name.failed = { error: answer, until: host.now() + doublingWait(name.strikes, backoffMs) };
    }
    end(name, answer instanceof Error ? (name.kept ?? answer) : answer);
  };
  const begin = (hostname: string, name: Name, then: (answer: LookupResult) => void): void => {
    const pending: PendingLookup = { waiting: new Set([then]), timers: [] };
    name.pending = pending;
    const late = (answer: LookupResult): void => {
      pending.late = answer;
      for (const deliver of pending.waiting) deliver(answer);
      pending.waiting.clear();
    };
    pending.timers.push(
      after(slowMs, () => name.kept && late(name.kept)),
      after(timeoutMs, () => {
        late(name.kept ?? failure(`${hostname} did not resolve in time`));
        // No caller waits for it any more: a new caller starts a new lookup, at the end of the queue.
        if (slots.leave(hostname)) name.pending = undefined;
      }),
    );
    slots.enter(hostname, name, (answer) => {
      // The map keeps the order of insertion.
      names.delete(hostname);
      names.set(hostname, name);
      if (answer instanceof Error) observe(name, answer);
      else {
        if (answer.length > maxAddresses) name.validUntil = host.now() + manyAddressesTtlMs;
        observe(name, answer.slice(0, maxAddresses));
      }
    });
  };
  const entryOf = (hostname: string): Name | undefined => {
    const found = names.get(hostname);
    if (found !== undefined) return found;
    for (const [oldest, { pending }] of names) {
      if (names.size < maxNames) break;
      if (pending === undefined) names.delete(oldest);
    }
    if (names.size >= maxNames) return undefined;
    const name: Name = { strikes: 0, isBarred: false };
    names.set(hostname, name);
    return name;
  };
  const ask = (hostname: string, then: (answer: LookupResult) => void): void => {
    const name = entryOf(hostname);
    if (name === undefined) {
      then(failure(`${hostname} is not looked up: too many DNS queries are pending`));
      return;
    }
    const { pending, failed, kept, validUntil = 0 } = name;
    if (kept !== undefined && host.now() < validUntil) {
      then(kept);
      return;
    }
    if (failed !== undefined && host.now() < failed.until) then(kept ?? failed.error);
    else if (pending === undefined) begin(hostname, name, then);
    else if (pending.late === undefined) pending.waiting.add(then);
    else then(pending.late);
  };

  return {
    lookup: (hostname, options, callback) => ask(hostname, (answer) => giveAddresses(answer, options, callback)),
    resolve: (hostname) =>
      new Promise((resolve, reject) => {
        ask(hostname, (answer) => {
          if (answer instanceof Error) reject(answer);
          else resolve(answer.map(({ address }) => address));
        });
      }),
  };
};

/** Calls back in a later iteration of the event loop: the error listeners of a new socket may not be attached yet. */
export const giveAddresses = (
  answer: LookupResult,
  { all }: Parameters<LookupFunction>[1],
  callback: Parameters<LookupFunction>[2],
): void => {
  setImmediate(() => {
    if (answer instanceof Error) callback(answer, '', 0);
    else if (all === true) callback(null, [...answer]);
    else callback(null, answer[0]?.address ?? '', answer[0]?.family ?? 0);
  });
};
