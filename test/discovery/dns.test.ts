// DNS discovery, against a real name server.

import { Resolver } from 'node:dns/promises';
import { expect, test } from 'vitest';
import { watchNames } from '../../src/discovery/dns/dns.ts';
import type { DiscoveredTarget } from '../../src/discovery/found.ts';
import { serveDns, type Zone } from '../support/dns-server.ts';
import { following } from './updates.ts';
import { patience } from './world.ts';

const world = async (
  zone: Zone,
  given: { readonly names: readonly string[]; readonly type: 'SRV' | 'A' | 'AAAA' },
  { resolvConf = '', timeoutMs = 60_000, refreshInterval = 0.05, inherited = [] as readonly DiscoveredTarget[] } = {},
) => {
  const { address, asked } = await serveDns(zone);
  const system = {
    resolver: () => {
      const resolver = new Resolver({ timeout: timeoutMs, tries: 1 });
      resolver.setServers([address]);
      return resolver;
    },
    resolvConf: () => Promise.resolve(resolvConf),
  };
  const config = { names: [...given.names], type: given.type, port: 9650, refreshInterval };
  return { ...following((context) => watchNames(config, { ...context, inherited }, system)), asked };
};

test('follows the A records of a headless Service', async () => {
  const zone: Zone = new Map([['A node.example', ['10.0.0.1', '10.0.0.2']]]);
  const { finds, labels, updates } = await world(zone, { names: ['node.example'], type: 'A' });
  await finds('10.0.0.1:9650', '10.0.0.2:9650');
  expect(labels('10.0.0.1:9650')).toEqual({ __address__: '10.0.0.1:9650', __meta_dns_name: 'node.example' });
  // Name servers rotate the records.
  zone.set('A node.example', ['10.0.0.2', '10.0.0.1']);
  const before = updates.length;
  await expect.poll(() => updates.length).toBeGreaterThan(before + 3);
  expect(new Set(updates.map(({ found }) => found)).size).toBe(1);
  zone.set('A node.example', ['10.0.0.2', '10.0.0.3']);
  await finds('10.0.0.2:9650', '10.0.0.3:9650');
  zone.delete('A node.example');
  await finds();
});

test('resolves AAAA records', async () => {
  const zone: Zone = new Map([['AAAA node.example', ['fd00:0:0:0:0:0:0:1']]]);
  await (await world(zone, { names: ['node.example'], type: 'AAAA' })).finds('[fd00::1]:9650');
});

test('takes the ports from SRV records', async () => {
  const zone: Zone = new Map([['SRV _http._tcp.node.example', ['a.node.example:9650', 'b.node.example:9651']]]);
  const { finds, labels } = await world(zone, { names: ['_http._tcp.node.example'], type: 'SRV' });
  await finds('a.node.example:9650', 'b.node.example:9651');
  expect(labels('b.node.example:9651')).toEqual({
    __address__: 'b.node.example:9651',
    __meta_dns_name: '_http._tcp.node.example',
    __meta_dns_srv_record_target: 'b.node.example.',
    __meta_dns_srv_record_port: '9651',
  });
});

test('finds no targets for an SRV record whose target is the root', async () => {
  const zone: Zone = new Map([['SRV _http._tcp.node.example', [':9700']]]);
  const { finds, updates } = await world(zone, { names: ['_http._tcp.node.example'], type: 'SRV' });
  await finds();
  expect(updates[0]?.kind).toBe('ok');
});

test('retries a failing name server soon, however long the refresh interval', async () => {
  const zone: Zone = new Map([['A node.example', 2]]);
  const { finds, fails } = await world(zone, { names: ['node.example'], type: 'A' }, { refreshInterval: 3600 });
  await fails(/^node\.example: ESERVFAIL$/);
  zone.set('A node.example', ['10.0.0.1']);
  await finds('10.0.0.1:9650');
});

test('keeps the addresses of a name while its name server fails', async () => {
  const zone: Zone = new Map([
    ['A one.example', ['10.0.0.1']],
    ['A two.example', ['10.0.0.2']],
  ]);
  const given = { names: ['one.example', 'two.example'], type: 'A' } as const;
  const { finds, fails, recovers, updates } = await world(zone, given, { timeoutMs: 100 });
  await finds('10.0.0.1:9650', '10.0.0.2:9650');
  zone.set('A one.example', 2).set('A two.example', ['10.0.0.4']);
  await fails(/^one\.example: ESERVFAIL$/);
  await finds('10.0.0.1:9650', '10.0.0.4:9650');
  zone.set('A one.example', 'silent');
  await fails(/^one\.example: ETIMEOUT$/);
  const failures = updates.flatMap((one) => (one.kind === 'failed' ? one.faults : []));
  expect(failures[0]).toEqual({ reason: 'one.example: ESERVFAIL', isRepeated: false });
  expect(failures).toContainEqual({ reason: 'one.example: ETIMEOUT', isRepeated: true });
  zone.set('A one.example', ['10.0.0.5']);
  await recovers();
  await finds('10.0.0.4:9650', '10.0.0.5:9650');
});

test('fails for a name that never existed, but not for one that vanishes, as of a headless Service without pods', async () => {
  const zone: Zone = new Map([['A one.example', ['10.0.0.1']]]);
  const { finds, fails, recovers } = await world(zone, { names: ['one.example', 'misspelt.example'], type: 'A' });
  await fails(/^misspelt\.example: there is no such name \(NXDOMAIN\)$/);
  await finds('10.0.0.1:9650');
  // The name exists, but has no A records.
  zone.set('A misspelt.example', []);
  await recovers();
  zone.delete('A misspelt.example');
  zone.delete('A one.example');
  await finds();
  await recovers();
});

test.each([
  { name: 'node', asked: ['node.ns.svc.cluster.local', 'node.svc.cluster.local', 'node'] },
  { name: 'a.b.c.d.e.f', asked: ['a.b.c.d.e.f', 'a.b.c.d.e.f.ns.svc.cluster.local', 'a.b.c.d.e.f.svc.cluster.local'] },
  { name: 'node.example.', asked: ['node.example'] },
])('looks up $name with the search domains and ndots of the pod', async ({ name, asked: wanted }) => {
  const conf = 'nameserver 10.96.0.10\nsearch ns.svc.cluster.local svc.cluster.local.\noptions ndots:5 edns0\n';
  const { asked, fails } = await world(new Map(), { names: [name], type: 'A' }, { resolvConf: conf });
  await fails(/NXDOMAIN/);
  expect(asked.slice(0, wanted.length)).toEqual(wanted.map((one) => `A ${one}`));
});

test("a failing search domain does not hide a name found without it, and keeps that name's addresses", async () => {
  const resolvConf = 'search corp.local\noptions ndots:5\n';
  const zone: Zone = new Map<string, string[] | 2>([
    ['A node.example.corp.local', 2],
    ['A node.example', ['10.0.0.1']],
  ]);
  const { finds, fails, updates } = await world(zone, { names: ['node.example'], type: 'A' }, { resolvConf });
  await finds('10.0.0.1:9650');
  expect(updates.every(({ kind }) => kind === 'ok')).toBe(true);
  zone.delete('A node.example');
  await fails(/^node\.example: ESERVFAIL$/);
  await finds('10.0.0.1:9650');
});

test("a failing search domain does not let another name's records replace the previous ones", async () => {
  const resolvConf = 'search ns.svc.cluster.local\noptions ndots:5\n';
  const zone: Zone = new Map<string, string[] | 2>([
    ['A node.ns.svc.cluster.local', ['10.0.0.1']],
    ['A node', ['192.0.2.1']],
  ]);
  const { finds, fails } = await world(zone, { names: ['node'], type: 'A' }, { resolvConf });
  await finds('10.0.0.1:9650');
  zone.set('A node.ns.svc.cluster.local', 2);
  await fails(/^node: ESERVFAIL$/);
  await finds('10.0.0.1:9650');
});

test('a failing name keeps the addresses inherited from a source with other settings, and a removed name does not', async () => {
  const zone: Zone = new Map<string, string[] | 2>([
    ['A one.example', 2],
    ['A two.example', ['10.0.0.2']],
  ]);
  const inherited = ['one', 'three'].map((name, at) => ({
    labels: new Map([
      ['__address__', `10.0.1.${at}:9650`],
      ['__meta_dns_name', `${name}.example`],
    ]),
  }));
  const { finds, fails } = await world(zone, { names: ['one.example', 'two.example'], type: 'A' }, { inherited });
  await fails(/^one\.example: ESERVFAIL$/);
  await finds('10.0.1.0:9650', '10.0.0.2:9650');
});

test('looks up ten names at a time, and no further one after the signal', async () => {
  const names = Array.from({ length: 11 }, (_, at) => `node-${at}.example`);
  const zone: Zone = new Map(names.map((name) => [`A ${name}`, 'silent']));
  const { asked, end, updates } = await world(zone, { names, type: 'A' });
  await expect.poll(() => asked.length, patience).toBeGreaterThanOrEqual(10);
  await end();
  expect({ asked: asked.toSorted(), updates }).toEqual({
    asked: names.slice(0, 10).map((name) => `A ${name}`),
    updates: [],
  });
});
