// Names and their addresses: which look-ups a DNS zone without answers delays.

import { Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { createBudget } from '../../src/client/budget.ts';
import { createLookups } from '../../src/client/lookup.ts';
import type { LookupResult } from '../../src/client/lookup-slots.ts';
import { nameServersAnswer } from '../../src/client/name-servers.ts';
import { targetMaker } from '../../src/commands/targets.ts';
import { targetFrom } from '../../src/config/target.ts';
import { takesConnections } from '../../src/discovery/connection-check.ts';
import { runHttp } from '../../src/discovery/http/http.ts';
import { following } from '../discovery/updates.ts';
import { configOf } from '../discovery/world.ts';
import { serveDns, type Zone } from '../support/dns-server.ts';
import { serveHttp } from '../support/serve.ts';

const at = (address: string) => [{ address, family: 4 }];
const again = Object.assign(new Error('getaddrinfo EAI_AGAIN'), { code: 'EAI_AGAIN' });
const noSuchName = Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' });

/** A host whose look-ups end and whose clock moves only when the test says so. `isAnswered`: whether name servers answer for a name. */
const host = (isAnswered: (name: string) => boolean = () => true) => {
  let nowMs = 0;
  const timers = new Set<{ readonly at: number; readonly then: () => void }>();
  const underWay = new Map<string, (answer: LookupResult) => void>();
  const begun: string[] = [];
  const lookups = createLookups({
    now: () => nowMs,
    after: (ms, then) => {
      const timer = { at: nowMs + ms, then };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    lookUp: (name, done) => {
      begun.push(name);
      underWay.set(name, done);
    },
    isAnswered: async (name) => isAnswered(name),
  });
  /** Waits until settled promises have run. */
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  return {
    begun,
    underWay: () => [...underWay.keys()],
    timers: () => timers.size,
    settled,
    /** The answer so far. */
    ask: (name: string): { answer?: readonly string[] | string } => {
      const told: { answer?: readonly string[] | string } = {};
      lookups.resolve(name).then(
        (addresses) => {
          told.answer = addresses;
        },
        (error: NodeJS.ErrnoException) => {
          told.answer = error.code ?? '';
        },
      );
      return told;
    },
    answer: async (name: string, answer: LookupResult) => {
      const done = underWay.get(name);
      underWay.delete(name);
      done?.(answer);
      await settled();
    },
    pass: async (ms: number) => {
      nowMs += ms;
      for (const timer of [...timers]) {
        if (timer.at > nowMs) continue;
        timers.delete(timer);
        timer.then();
      }
      await settled();
    },
  };
};

test('concurrent requests for a name share one look-up', async () => {
  const { ask, answer, begun, timers } = host();
  const told = [ask('a'), ask('a'), ask('a')];
  await answer('a', at('10.0.0.1'));
  expect(told.map((one) => one.answer)).toEqual([['10.0.0.1'], ['10.0.0.1'], ['10.0.0.1']]);
  expect({ begun, timers: timers() }).toEqual({ begun: ['a'], timers: 0 });
});

test('a new answer replaces the known addresses, so a pod with another address is found at once', async () => {
  const { ask, answer, pass } = host();
  ask('a');
  await answer('a', at('10.0.0.1'));
  const told = ask('a');
  await pass(999);
  expect(told.answer).toBeUndefined();
  await answer('a', at('10.0.0.2'));
  expect(told.answer).toEqual(['10.0.0.2']);
});

test('a look-up that takes over a second returns the last addresses, and later requests get them at once', async () => {
  const { ask, answer, pass, settled } = host();
  ask('a');
  await answer('a', at('10.0.0.1'));
  const told = ask('a');
  await pass(1000);
  expect(told.answer).toEqual(['10.0.0.1']);
  const later = ask('a');
  await settled();
  expect(later.answer).toEqual(['10.0.0.1']);
  await answer('a', at('10.0.0.2'));
  ask('a');
  const fresh = ask('a');
  await pass(1000);
  expect(fresh.answer).toEqual(['10.0.0.2']);
});

test('a name that no longer exists does not return its last addresses', async () => {
  const { ask, answer } = host();
  ask('a');
  await answer('a', at('10.0.0.1'));
  const gone = ask('a');
  await answer('a', noSuchName);
  const unanswered = ask('a');
  await answer('a', again);
  expect([gone.answer, unanswered.answer]).toEqual(['ENOTFOUND', 'EAI_AGAIN']);
});

test('unanswered names use one of the two look-up slots of libuv, however many there are', async () => {
  const { ask, answer, underWay, settled } = host((name) => !name.startsWith('dead'));
  for (let nth = 0; nth < 100; nth += 1) ask(`dead-${nth}`);
  const good = Array.from({ length: 100 }, (_, nth) => ask(`good-${nth}`));
  await settled();
  for (let nth = 0; nth < 100; nth += 1) {
    await settled();
    expect(underWay()).toEqual(['dead-0', expect.stringMatching(/^good/)]);
    await answer(underWay()[1] ?? '', at('10.0.0.1'));
  }
  expect(good.filter((one) => one.answer === undefined)).toEqual([]);
  expect(underWay()).toEqual(['dead-0']);
});

test('unanswered names are looked up one after the other, those without a failure first', async () => {
  const { ask, answer, pass, underWay } = host(() => false);
  ask('dead');
  await pass(5000);
  await answer('dead', again);
  await pass(1000);
  ask('first');
  ask('dead');
  // For example a name in /etc/hosts while no name server answers.
  const told = ask('hosts');
  expect(underWay()).toEqual(['first']);
  await answer('first', again);
  await answer('hosts', at('10.0.0.1'));
  expect({ told: told.answer, next: underWay() }).toEqual({ told: ['10.0.0.1'], next: ['dead'] });
});

test('a zone that answers us but delays the host does so only once per name', async () => {
  const { ask, answer, pass, underWay, settled } = host();
  ask('slow');
  ask('liar');
  await settled();
  expect(underWay()).toEqual(['slow', 'liar']);
  await pass(5000);
  await answer('liar', at('10.0.0.1'));
  ask('liar');
  const good = ask('good');
  await settled();
  expect(underWay()).toEqual(['slow', 'good']);
  await answer('good', at('10.0.0.2'));
  expect({ good: good.answer, under: underWay() }).toEqual({ good: ['10.0.0.2'], under: ['slow'] });
});

test('a name that failed slowly fails at once for 1 s, 2 s and so on up to 30 s; one that failed quickly is retried', async () => {
  const { ask, answer, pass, begun, settled } = host();
  for (const seconds of [1, 2, 4, 8, 16, 30, 30]) {
    ask('dead');
    await pass(5000);
    await answer('dead', again);
    const count = begun.length;
    await pass(seconds * 1000 - 1);
    const told = ask('dead');
    await settled();
    expect({ told: told.answer, count: begun.length }).toEqual({ told: 'EAI_AGAIN', count });
    await pass(1);
  }
  ask('dead');
  await answer('dead', again);
  ask('dead');
  await answer('dead', at('10.0.0.1'));
  const count = begun.length;
  ask('dead');
  expect(begun.length).toBe(count + 1);
});

test('a request waits at most ten seconds, and a name without waiting requests is not looked up', async () => {
  const { ask, answer, pass, underWay, begun } = host(() => false);
  const [held, waits] = [ask('dead'), ask('behind')];
  await pass(9999);
  expect([held.answer, waits.answer]).toEqual([undefined, undefined]);
  await pass(1);
  expect([held.answer, waits.answer]).toEqual(['EAI_AGAIN', 'EAI_AGAIN']);
  await answer('dead', again);
  expect({ begun, underWay: underWay() }).toEqual({ begun: ['dead'], underWay: [] });
  ask('behind');
  expect(underWay()).toEqual(['behind']);
});

test('the last 4096 names are remembered, and at most 4096 can wait', async () => {
  const { ask, answer, pass, settled } = host(() => false);
  for (let nth = 0; nth < 4097; nth += 1) {
    ask(`name-${nth}`);
    await answer(`name-${nth}`, at('10.0.0.1'));
  }
  const [forgotten, kept] = [ask('name-0'), ask('name-4096')];
  await pass(1000);
  expect([forgotten.answer, kept.answer]).toEqual([undefined, ['10.0.0.1']]);
  for (let nth = 0; nth < 4096; nth += 1) ask(`other-${nth}`);
  const refused = ask('one-more');
  await settled();
  expect(refused.answer).toBe('EAI_AGAIN');
});

test('a socket gets the addresses or the error', async () => {
  const { port } = await serveHttp((_, response) => response.end());
  const { lookup } = createLookups({
    now: () => 0,
    after: () => () => undefined,
    lookUp: (name, done) => done(name === 'node.example' ? at('127.0.0.1') : noSuchName),
    isAnswered: async () => true,
  });
  for (const autoSelectFamily of [true, false]) {
    const socket = connect({ host: 'node.example', port, lookup, autoSelectFamily });
    await once(socket, 'connect');
    expect(socket.remoteAddress).toBe('127.0.0.1');
    socket.destroy();
    const [error] = await once(connect({ host: 'no.example', port, lookup, autoSelectFamily }), 'error');
    expect(error).toMatchObject({ code: 'ENOTFOUND' });
  }
});

test('targets, HTTP discovery and the check of found targets use the look-ups', async () => {
  const { port } = await serveHttp((request, response) => {
    const isList = request.url === '/sd';
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(isList ? '[{"targets":["a:1"]}]' : '{"checks":{},"healthy":true}');
  });
  const asked: string[] = [];
  const { lookup } = createLookups({
    now: () => 0,
    after: () => () => undefined,
    lookUp: (name, done) => {
      asked.push(name);
      done(at('127.0.0.1'));
    },
    isAnswered: async () => true,
  });
  const make = targetMaker('test', () => 0, { budget: createBudget(), lookup, onClosed: () => undefined });
  const patient = { timeout: '1m', healthCheckFrequency: '1m' };
  const made = make([targetFrom({ url: `http://target.example:${port}`, ...patient })]);
  if (made.kind === 'invalid') throw new Error(JSON.stringify(made.errors));
  const { outcome } = (await made.value[0]?.client.health([])) ?? {};
  made.value[0]?.client.close();
  expect(outcome).toMatchObject({ kind: 'ok' });
  const url = `http://list.example:${port}/sd`;
  const [config] = (await configOf({ discovery: { http: [{ url, timeout: patient.timeout }] } })).discovery.http;
  if (config === undefined) throw new Error('no source');
  await following((context) => runHttp(config, { ...context, lookup })).finds('a:1');
  const { signal } = new AbortController();
  expect(await takesConnections(`http://found.example:${port}`, signal, lookup)).toBe(true);
  expect(asked).toEqual(['target.example', 'list.example', 'found.example']);
});

test.each([
  ['has addresses', { 'A node.ns.svc.test': ['10.0.0.1'] }, true],
  ['does not exist', {}, true],
  ['cannot be looked up', { 'A node.ns.svc.test': 2 }, true],
  ['gets no answer', { 'A node': 'silent', 'AAAA node': 'silent' }, false],
  ['has a search domain without an answer', { 'A node.svc.test': 'silent' }, false],
  ['is answered before such a search domain', { 'A node.ns.svc.test': ['10.0.0.1'], 'A node.svc.test': 'silent' }, true],
] as const)('name servers answer for a name that %s: %o %s', async (_, zone, isAnswered) => {
  const { address } = await serveDns(new Map<string, NonNullable<ReturnType<Zone['get']>>>(Object.entries(zone)));
  const resolver = new Resolver({ timeout: isAnswered ? 60_000 : 500, tries: 1 });
  resolver.setServers([address]);
  const conf = async () => 'search ns.svc.test svc.test\noptions ndots:5\n';
  expect(await nameServersAnswer('node', resolver, conf)).toBe(isAnswered);
});

test('a name with thousands of addresses keeps 64, and is looked up again after half a minute', async () => {
  const { ask, answer, begun, pass, settled } = host();
  const many = Array.from({ length: 4000 }, (_, nth) => ({ address: `10.0.${nth >> 8}.${nth & 255}`, family: 4 }));
  const first = ask('node');
  await answer('node', many);
  expect(first.answer).toHaveLength(64);
  await pass(29_999);
  const second = ask('node');
  await settled();
  expect({ length: second.answer?.length, begun }).toEqual({ length: 64, begun: ['node'] });
  await pass(1);
  ask('node');
  expect(begun).toEqual(['node', 'node']);
});
