// Basic authentication. Results are cached by a keyed digest of the password, so that a scrape waits for bcrypt only once, and passwords are
// not kept in memory. Clients that guess passwords are slowed down, without delaying others.

import { createHmac, randomBytes } from 'node:crypto';
import type { Verify } from './bcrypt.ts';
import { createInTurns, type QueueLimits } from './in-turns.ts';

/** User -> bcrypt hash. */
export type Users = ReadonlyMap<string, string>;

export type Authentication = 'ok' | 'unauthorized' | 'too-many';

export interface Credentials {
  /** The Authorization header. */
  readonly header: string | undefined;
  readonly address: string;
}

/** Synchronous if the result is cached. */
export type Authenticate = (users: Users, asking: Credentials) => Authentication | Promise<Authentication>;

/** Size of each cache: right passwords, wrong passwords, addresses with failures. */
const maxKept = 1000;
/** Queued comparisons. An address that exceeds its limit only blocks itself; a first attempt waits for at most 64 others. */
const queueLimits: QueueLimits = { each: 2, addresses: 64 };
/** Maximum number of failures per address and period, and the period in seconds. */
const maxFailures = 10;
const failurePeriod = 60;

/** `now`: seconds, steady clock. */
export const createAuthenticate = (verify: Verify, now: () => number): Authenticate => {
  const key = randomBytes(32);
  const known = { right: new Map<string, true>(), wrong: new Map<string, true>() };
  const waiting = new Map<string, Promise<Authentication>>();
  const inTurns = createInTurns(queueLimits);
  const failures = new Map<string, { readonly since: number; readonly count: number }>();

  const failuresOf = (address: string) => {
    const found = failures.get(address);
    return found !== undefined && now() - found.since < failurePeriod ? found : { since: now(), count: 0 };
  };
  const compare = (password: string, hash: string, isUser: boolean, digest: string, address: string) => {
    const before = failuresOf(address);
    if (before.count >= maxFailures) return undefined;
    const begun = inTurns(address, async (): Promise<Authentication> => {
      const isRight = (await verify(password, hash)) && isUser;
      keep(isRight ? known.right : known.wrong, digest, true);
      if (isRight) failures.delete(address);
      waiting.delete(digest);
      return isRight ? 'ok' : 'unauthorized';
    });
    if (begun === undefined) return undefined;
    // Counted as a failure until the result is known, so that parallel attempts cannot exceed the limit.
    keep(failures, address, { ...before, count: before.count + 1 });
    waiting.set(digest, begun);
    return begun;
  };

  return (users, { header, address }) => {
    if (users.size === 0) return 'ok';
    const [, encoded] = /^Basic +([A-Za-z0-9+/]+=*)$/i.exec(header ?? '') ?? [];
    if (encoded === undefined) return 'unauthorized';
    const [, user, password] = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded, 'base64').toString()) ?? [];
    if (user === undefined || password === undefined) return 'unauthorized';
    const found = users.get(user);
    const hash = found ?? dummyHash(users);
    // Looked up by digest, so that the duration reveals nothing about the password.
    const digest = createHmac('sha256', key)
      .update(JSON.stringify([user, hash, password]))
      .digest('base64');
    if (known.right.has(digest)) return 'ok';
    if (known.wrong.has(digest)) return 'unauthorized';
    return waiting.get(digest) ?? compare(password, hash, found !== undefined, digest, address) ?? 'too-many';
  };
};

/** Adds an entry, and evicts the oldest. */
const keep = <V>(map: Map<string, V>, key: string, value: V): void => {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > maxKept && oldest !== undefined) map.delete(oldest);
};

/** A hash for unknown users that no password matches, so that they take as long as known ones. */
const dummyHash = (users: Users): string => {
  const costs = Array.from(users.values(), (hash) => /^\$2[aby]\$(\d\d)\$/.exec(hash)?.[1] ?? '10').sort();
  return `$2b$${costs.at(-1)}$${'.'.repeat(53)}`;
};
