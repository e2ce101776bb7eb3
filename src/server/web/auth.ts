// Basic authentication. What was found of a password is kept under a keyed digest, so that no scrape waits for bcrypt twice and no
// password is held; whoever guesses is slowed down, and holds up nobody else.

import { createHmac, randomBytes } from 'node:crypto';
import type { Verify } from './bcrypt.ts';
import { createInTurns, type Places } from './in-turns.ts';

/** User -> bcrypt hash. */
export type Users = ReadonlyMap<string, string>;

export type Authentication = 'ok' | 'unauthorized' | 'too-many';

export interface Credentials {
  /** The Authorization header. */
  readonly header: string | undefined;
  readonly address: string;
}

/** The answer at once where it is known. */
export type Authenticate = (users: Users, asking: Credentials) => Authentication | Promise<Authentication>;

/** Of each: passwords that are known to be right, known to be wrong, and addresses that failed. */
const maxKept = 1000;
/** Comparisons. Who is full of them shuts out themselves; a first try waits for 64 at most. */
const places: Places = { each: 2, addresses: 64 };
/** Of an address, in so many seconds. */
const maxFailures = 10;
const failuresLast = 60;

/** `now`: seconds, steady clock. */
export const createAuthenticate = (verify: Verify, now: () => number): Authenticate => {
  const key = randomBytes(32);
  const known = { right: new Map<string, true>(), wrong: new Map<string, true>() };
  const waiting = new Map<string, Promise<Authentication>>();
  const inTurns = createInTurns(places);
  const failures = new Map<string, { readonly since: number; readonly count: number }>();

  const failuresOf = (address: string) => {
    const found = failures.get(address);
    return found !== undefined && now() - found.since < failuresLast ? found : { since: now(), count: 0 };
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
    // Counted before it is known: many at once are no way around the limit.
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
    const hash = found ?? nobodys(users);
    // Found by its digest: how long that takes says nothing of the password.
    const digest = createHmac('sha256', key)
      .update(JSON.stringify([user, hash, password]))
      .digest('base64');
    if (known.right.has(digest)) return 'ok';
    if (known.wrong.has(digest)) return 'unauthorized';
    return waiting.get(digest) ?? compare(password, hash, found !== undefined, digest, address) ?? 'too-many';
  };
};

/** The newest stay. */
const keep = <V>(map: Map<string, V>, key: string, value: V): void => {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > maxKept && oldest !== undefined) map.delete(oldest);
};

/** For a name that nobody has: it must take as long as one that somebody has. No password has this hash. */
const nobodys = (users: Users): string => {
  const costs = Array.from(users.values(), (hash) => /^\$2[aby]?\$(\d\d)\$/.exec(hash)?.[1] ?? '10').sort();
  return `$2b$${costs.at(-1)}$${'.'.repeat(53)}`;
};
