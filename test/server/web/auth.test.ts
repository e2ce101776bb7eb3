// Basic authentication: what is compared, how often, and the limits for wrong passwords. The test sets the clock.

import { compare, hashSync } from 'bcryptjs';
import { describe, expect, test } from 'vitest';
import { type Authentication, createAuthenticate } from '../../../src/server/web/auth.ts';
import { type Verify, verifyInThread } from '../../../src/server/web/bcrypt.ts';
import { createLimiter } from '../../../src/server/web/rate-limit.ts';
import { ask, hash, serveWeb } from '../../support/web-config.ts';

const costly = hashSync('other', 5);
const users = new Map([
  ['prometheus', hash],
  ['costly', costly],
]);

/** `compared`: the hashes in the order of their comparison. A thread is used only in its own test: each comparison starts one. */
const world = (verify: Verify = compare) => {
  let time = 0;
  const compared: string[] = [];
  const authenticate = createAuthenticate(
    (password, against) => {
      compared.push(against);
      return verify(password, against);
    },
    () => time,
  );
  const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`;
  return {
    compared,
    pass: (seconds: number): void => {
      time += seconds;
    },
    ask: async (text: string, address = '10.0.0.1'): Promise<Authentication> =>
      authenticate(users, { header: basic(text), address }),
    raw: async (header: string | undefined) => authenticate(users, { header, address: '10.0.0.1' }),
  };
};

describe('a password', () => {
  test('is compared once, right or wrong, also for many concurrent requests', async () => {
    const { ask, compared } = world(verifyInThread);
    const many = await Promise.all(Array.from({ length: 30 }, () => ask('prometheus:s3cret')));
    expect(new Set(many)).toEqual(new Set(['ok']));
    expect([await ask('prometheus:s3cret'), await ask('prometheus:no'), await ask('prometheus:no')]).toEqual([
      'ok',
      'unauthorized',
      'unauthorized',
    ]);
    expect(compared).toHaveLength(2);
  });

  test('of one user is rejected for another user, known or unknown', async () => {
    const { ask } = world();
    expect(await ask('prometheus:s3cret')).toBe('ok');
    expect([await ask('costly:s3cret'), await ask('nobody:s3cret'), await ask('prometheus:other')]).toEqual(
      Array(3).fill('unauthorized'),
    );
  });

  test('is rejected if the header is missing or malformed, or the password has an extra colon', async () => {
    const { raw } = world();
    const header = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`;
    for (const bad of [undefined, '', 'Basic', 'Bearer s3cret', header('prometheus'), header('prometheus:s3cret:'), 'Basic !'])
      expect(await raw(bad), bad).toBe('unauthorized');
  });

  test('of an unknown user is compared with a hash as expensive as the most expensive one', async () => {
    const { ask, compared } = world();
    await ask('nobody:s3cret');
    expect(compared.map((one) => one.slice(0, 7))).toEqual(['$2b$05$']);
  });
});

describe('a client that guesses passwords', () => {
  test('is blocked for a minute after ten wrong passwords; already verified passwords still work', async () => {
    const { ask, pass, compared } = world();
    expect(await ask('prometheus:s3cret')).toBe('ok');
    for (let guess = 0; guess < 10; guess += 1) expect(await ask(`prometheus:${guess}`)).toBe('unauthorized');
    expect(await ask('prometheus:more')).toBe('too-many');
    expect(compared).toHaveLength(11);
    expect([await ask('prometheus:s3cret'), await ask('prometheus:3'), await ask('prometheus:more', '10.0.0.2')]).toEqual([
      'ok',
      'unauthorized',
      'unauthorized',
    ]);
    pass(61);
    expect(await ask('costly:other')).toBe('ok');
  });

  test('gets no more comparisons by concurrent requests', async () => {
    const { ask, compared } = world();
    const guesses = Array.from({ length: 40 }, (_, guess) => `prometheus:${guess}`);
    const atOnce = await Promise.all(guesses.map((guess) => ask(guess)));
    expect(atOnce.filter((one) => one === 'unauthorized')).toHaveLength(2);
    while (guesses.length > 0) await Promise.all(guesses.splice(-2).map((guess) => ask(guess)));
    expect(compared).toHaveLength(10);
  });

  test('does not block others: each address gets two waiting slots, and addresses take turns', async () => {
    const { ask, compared } = world();
    const guessers = ['10.0.0.1', '10.0.0.2', '10.0.0.3'];
    const guesses = guessers.map((address) =>
      Promise.all(Array.from({ length: 7 }, (_, guess) => ask(`prometheus:${address} ${guess}`, address))),
    );
    const right = ask('costly:other', '10.0.0.4');
    expect(await right).toBe('ok');
    // One guess of each address, and the right password.
    expect(compared.slice(0, 4)).toEqual([hash, hash, hash, costly]);
    for (const found of await Promise.all(guesses)) {
      expect(found.filter((one) => one === 'unauthorized')).toHaveLength(2);
      expect(found.filter((one) => one === 'too-many')).toHaveLength(5);
    }
  });

  test('gets a slot again when a comparison has finished', async () => {
    const { ask } = world();
    for (let guess = 0; guess < 8; guess += 2) {
      const both = await Promise.all([ask(`prometheus:${guess}`), ask(`prometheus:${guess + 1}`)]);
      expect(both).toEqual(['unauthorized', 'unauthorized']);
    }
    expect(await ask('prometheus:s3cret')).toBe('ok');
  });

  test('cannot queue more than 64 comparisons from many addresses', async () => {
    const { ask } = world();
    const found = await Promise.all(Array.from({ length: 100 }, (_, guess) => ask(`prometheus:${guess}`, `10.0.0.${guess}`)));
    expect(found.filter((one) => one === 'too-many')).toHaveLength(36);
  });
});

test('a comparison does not block the event loop', async () => {
  const costliest = hashSync('s3cret', 12);
  let turns = 0;
  const others = setInterval(() => {
    turns += 1;
  }, 1);
  expect(await verifyInThread('wrong', costliest)).toBe(false);
  clearInterval(others);
  expect(turns).toBeGreaterThan(5);
});

test('a rate limiter allows its burst at once, and one more request per interval', () => {
  let time = 0;
  const may = createLimiter({ interval: 2, burst: 3 }, () => time);
  const taken = (): number => Array.from({ length: 5 }, may).filter(Boolean).length;
  expect(taken()).toBe(3);
  time = 2;
  expect(taken()).toBe(1);
  time = 100;
  expect(taken()).toBe(3);
});

test('without users, every request is served, with the configured headers', async () => {
  const headers = 'http_server_config: { headers: { X-Frame-Options: sameorigin, Content-Security-Policy: "default-src *" } }\n';
  const { url } = await serveWeb(headers);
  const page = await fetch(`${url}/`);
  expect(page.status).toBe(200);
  expect(page.headers.get('x-frame-options')).toBe('sameorigin');
  // The page has its own, stricter policy.
  expect(page.headers.get('content-security-policy')).not.toContain('*');
  expect((await fetch(`${url}/metrics`)).headers.get('content-security-policy')).toBe('default-src *');
});

test('a request above rate_limit gets 429', async () => {
  const { url } = await serveWeb('rate_limit: { interval: 1h, burst: 2 }\n');
  const statuses = [];
  for (let nth = 0; nth < 3; nth += 1) statuses.push((await fetch(`${url}/metrics`)).status);
  expect(statuses).toEqual([200, 200, 429]);
  await expect(ask(url.replace('http:', 'https:'))).rejects.toThrow();
});
