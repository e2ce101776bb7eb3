// Identifies the listening socket of a target, from the kernel tables of this machine and from fixtures.

import { mkdir, writeFile } from 'node:fs/promises';
import os, { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { listeners } from '../../src/memory/listener.ts';
import { temporaryFolder } from '../support/events.ts';
import { failBuiltin } from '../support/failing-builtin.ts';
import { freePort } from '../support/free-port.ts';
import { listenAt } from '../support/listen-at.ts';
import { describeUnless } from '../support/tools.ts';

const own = Object.values(networkInterfaces()).flat();
const outside = own.find((one) => one?.internal === false && one.family === 'IPv4')?.address;
const noIpv6 = own.some((one) => one?.address === '::1') ? undefined : 'no address ::1';

const isOneHoweverAsked = async (at: string, asked: readonly string[]): Promise<void> => {
  // A reserved port: with listeners of other tests on IPv4 or IPv6, `localhost` would be ambiguous.
  const { port } = await listenAt(at, await freePort());
  const find = listeners();
  const found = await Promise.all(asked.map((host) => find(`http://${host}:${port}/ext`)));
  expect(found[0]).toMatch(/^[0-9a-f-]{36} [1-9]\d*$/);
  expect(new Set(found).size).toBe(1);
  // It stays the same while it is open, also for another instance.
  expect(await listeners()(`http://${asked[0]}:${port}`)).toBe(found[0]);
};

describeUnless(noIpv6, 'a listening IPv6 socket', () => {
  test.each([
    { at: '::1', asked: ['[::1]', 'localhost'] },
    { at: '::', asked: ['127.0.0.1', '[::1]'] },
    { at: '::ffff:127.0.0.1', asked: ['127.0.0.1'] },
  ])('on $at is the same socket for $asked', ({ at, asked }) => isOneHoweverAsked(at, asked));
});

describe('a listening socket', () => {
  test.each([
    { at: '127.0.0.1', asked: ['127.0.0.1', 'localhost'] },
    { at: '0.0.0.0', asked: ['127.0.0.1', 'localhost', ...(outside === undefined ? [] : [outside])] },
  ])('on $at is the same socket for $asked', ({ at, asked }) => isOneHoweverAsked(at, asked));

  test('that replaces another one on the same port has another identity', async () => {
    // A reserved port.
    const first = await listenAt('127.0.0.1', await freePort());
    const url = `http://127.0.0.1:${first.port}`;
    const find = listeners();
    const before = await find(url);
    await first.close();
    // A child process that another thread starts holds the socket until it executes its program.
    await expect.poll(() => find(url)).toBeUndefined();
    await listenAt('127.0.0.1', first.port);
    expect(await find(url)).toMatch(/ /);
    expect(await find(url)).not.toBe(before);
  });

  test('is not found for other hosts, unresolved host names, other addresses and other ports', async () => {
    const { port } = await listenAt('127.0.0.1', await freePort());
    const find = listeners();
    for (const host of ['192.0.2.1', 'node.example', '127.0.0.2', '[2001:db8::1]'])
      expect(await find(`http://${host}:${port}`)).toBeUndefined();
    expect(await find(`http://127.0.0.1:${await freePort()}`)).toBeUndefined();
  });

  test('is found on a loopback address only if the addresses of the machine cannot be listed', async () => {
    failBuiltin(os, 'networkInterfaces', () => {
      throw new Error('uv_interface_addresses returned Unknown system error 97');
    });
    const { port } = await listenAt('127.0.0.1', await freePort());
    const find = listeners();
    expect(await find(`http://127.0.0.1:${port}`)).toMatch(/ /);
    expect(await find(`http://192.0.2.1:${port}`)).toBeUndefined();
  });

  test('is found among 60 others', async () => {
    const others = await Promise.all(Array.from({ length: 60 }, () => listenAt('127.0.0.1')));
    const find = listeners();
    const found = await Promise.all(others.map(({ port }) => find(`http://127.0.0.1:${port}`)));
    expect(new Set(found).size).toBe(60);
    expect(found).not.toContain(undefined);
  });
});

const boot = '6f1f4f3a-0f52-4a5e-9d2b-2d3c9b1c7a11';
const header = '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode';
const row = (local: string, state: string, inode: number): string =>
  `   0: ${local} 00000000:0000 ${state} 00000000:00000000 00:00000000 00000000  1000        0 ${inode} 1 0000000000086b42 100 0 0 10 0`.padEnd(
    149,
  );

/** Port 9650 of the loopback address, in the byte order of this machine. */
const loopback = '0100007F:25B2';
const any = '00000000:25B2';
const url = 'http://127.0.0.1:9650';

/** A fake /proc; undefined: the file does not exist. */
const machine = async (tcp: readonly string[] | undefined, tcp6?: readonly string[], bootId?: string): Promise<string> => {
  const proc = await temporaryFolder();
  await mkdir(join(proc, 'net'));
  await mkdir(join(proc, 'sys/kernel/random'), { recursive: true });
  const tables = { tcp, tcp6 };
  for (const [name, rows] of Object.entries(tables))
    if (rows !== undefined) await writeFile(join(proc, 'net', name), `${[header, ...rows].join('\n')}\n`);
  if (bootId !== '') await writeFile(join(proc, 'sys/kernel/random/boot_id'), `${bootId ?? boot}\n`);
  return proc;
};

describe('a machine', () => {
  test('without IPv6 has only one table', async () => {
    expect(await listeners(await machine([row(loopback, '0A', 7)]))(url)).toBe(`${boot} 7`);
  });

  test.each([
    { what: 'without inode numbers of sockets', tcp: [row(loopback, '0A', 0)] },
    { what: 'with two listeners on the port', tcp: [row(loopback, '0A', 7), row(any, '0A', 8)] },
    { what: 'with a connection and no listener', tcp: [row(loopback, '01', 7)] },
    { what: 'without such tables', tcp: undefined },
    { what: 'with malformed tables', tcp: ['\0'.repeat(5000), 'x'] },
    {
      what: 'with more listeners than are read',
      tcp: [...Array.from({ length: 600 }, () => row('0100007F:0001', '0A', 3)), row(loopback, '0A', 7)],
    },
    { what: 'without a boot ID', tcp: [row(loopback, '0A', 7)], bootId: '' },
    { what: 'with an invalid boot ID', tcp: [row(loopback, '0A', 7)], bootId: 'x' },
  ])('$what has no identifiable listener', async ({ tcp, bootId }) => {
    expect(await listeners(await machine(tcp, undefined, bootId))(url)).toBeUndefined();
  });

  test.each([
    { local: '00000000000000000000000001000000', asked: 'http://[::1]:9650', found: `${boot} 7` },
    { local: '00000000000000000000000000000000', asked: url, found: `${boot} 7` },
    { local: '0000000000000000FFFF00000100007F', asked: url, found: `${boot} 7` },
    { local: '00000000000000000000000001000000', asked: url, found: undefined },
  ])('with an IPv6 listener at $local finds $found for $asked', async ({ local, asked, found }) => {
    expect(await listeners(await machine([], [row(`${local}:25B2`, '0A', 7)]))(asked)).toBe(found);
  });

  test.each([
    { what: 'without IPv6 sockets', counts: 'TCP6: inuse 0\nUDP6: inuse 3\n', found: undefined },
    { what: 'with IPv6 sockets', counts: 'TCP6: inuse 10\nUDP6: inuse 0\n', found: `${boot} 7` },
    { what: 'without a count of IPv6 sockets', counts: 'UDP6: inuse 0\n', found: `${boot} 7` },
  ])('$what in sockstat6 finds $found', async ({ counts, found }) => {
    const proc = await machine([], [row('00000000000000000000000000000000:25B2', '0A', 7)]);
    await writeFile(join(proc, 'net/sockstat6'), counts);
    expect(await listeners(proc)(url)).toBe(found);
  });

  test('with the same socket in two rows has one listener', async () => {
    const twice = [row(loopback, '0A', 7), row(loopback, '0A', 7)];
    expect(await listeners(await machine(twice))(url)).toBe(`${boot} 7`);
  });

  test('that was rebooted has another listener with the same inode number', async () => {
    const again = '7a1f4f3a-0f52-4a5e-9d2b-2d3c9b1c7a22';
    expect(await listeners(await machine([row(loopback, '0A', 7)], [], again))(url)).toBe(`${again} 7`);
  });

  test('with many connections is read only up to the end of its listeners', async () => {
    const behind = Array.from({ length: 5000 }, (_, at) =>
      row(`0100007F:${(20_000 + at).toString(16).toUpperCase()}`, '01', 50 + at),
    );
    // A listener behind the connections, which is not read.
    const tcp = [row(loopback, '0A', 7), ...behind, row(any, '0A', 9)];
    expect(await listeners(await machine(tcp))(url)).toBe(`${boot} 7`);
  });
});
