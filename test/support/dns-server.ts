// A DNS server of the test's own on a real socket: what a name resolves to may be another answer each time.

import { createSocket } from 'node:dgram';
import { Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { onTestFinished } from 'vitest';
import type { Resolve } from '../../src/probe/resolve.ts';

export interface DnsServer {
  /** Asks this server, and nobody else. */
  readonly resolve: Resolve;
  /** Names that were asked for, in order; each once for its A and its AAAA records. */
  readonly asked: () => readonly string[];
}

/** `answer`: IPv4 addresses by name, and how often it was asked for before; undefined: no answer at all. Ends with the test. */
export const serveDns = async (answer: (name: string, nth: number) => readonly string[] | undefined): Promise<DnsServer> => {
  const asked: string[] = [];
  const socket = createSocket('udp4', (query, { address, port }) => {
    const { name, end } = questionOf(query);
    const isA = query.readUInt16BE(end - 4) === 1;
    const before = asked.filter((one) => one === name).length;
    if (isA) asked.push(name);
    const addresses = isA ? answer(name, before) : [];
    if (addresses !== undefined) socket.send(replyTo(query, end, addresses), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  onTestFinished(() => void socket.close());
  const resolver = new Resolver({ timeout: 60_000, tries: 1 });
  resolver.setServers([`127.0.0.1:${socket.address().port}`]);
  onTestFinished(() => resolver.cancel());
  return { resolve: (host) => resolver.resolve4(host), asked: () => asked };
};

/** The header has 12 bytes; the question ends after its name, type and class. */
const questionOf = (query: Buffer): { readonly name: string; readonly end: number } => {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), end: at + 5 };
};

/** The name is said by a pointer to the question's; it lasts no second. */
const replyTo = (query: Buffer, end: number, addresses: readonly string[]): Buffer => {
  const head = Buffer.from(query.subarray(0, end));
  head.writeUInt16BE(0x8180, 2);
  head.writeUInt16BE(addresses.length, 6);
  head.writeUInt32BE(0, 8);
  const records = addresses.map((address) =>
    Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, ...address.split('.').map(Number)]),
  );
  return Buffer.concat([head, ...records]);
};
