// A DNS server on a local UDP port that answers from a table, which tests may change.

import { createSocket } from 'node:dgram';
import { Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { onTestFinished } from 'vitest';
import type { Resolve } from '../../src/probe/resolve.ts';

type RecordType = 'SRV' | 'A' | 'AAAA';

/**
 * `host:port` for an SRV record, otherwise an address. A number is an error code such as 2 for SERVFAIL; `silent` means no
 * response.
 */
export type Zone = Map<string, readonly string[] | number | 'silent'>;

const types: ReadonlyMap<number, RecordType> = new Map([
  [1, 'A'],
  [28, 'AAAA'],
  [33, 'SRV'],
]);

const nameBytes = (name: string): Buffer =>
  Buffer.concat([
    ...name
      .split('.')
      .filter(Boolean)
      .map((part) => Buffer.from([part.length, ...Buffer.from(part)])),
    Buffer.from([0]),
  ]);

const dataOf = (type: RecordType, value: string): Buffer => {
  if (type === 'A') return Buffer.from(value.split('.').map(Number));
  if (type === 'AAAA')
    return Buffer.from(value.split(':').flatMap((part) => [Number.parseInt(part, 16) >> 8, Number.parseInt(part, 16) & 255]));
  const [host = '', port] = value.split(':');
  const head = Buffer.alloc(6);
  head.writeUInt16BE(Number(port), 4);
  return Buffer.concat([head, nameBytes(host)]);
};

/** Keys of the zone are such as `A node.example`. `asked` lists the queried keys. */
export const serveDns = async (zone: Pick<Zone, 'get'>) => {
  const asked: string[] = [];
  const socket = createSocket('udp4');
  socket.on('message', (message, from) => {
    let at = 12;
    const parts: string[] = [];
    for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
      parts.push(message.toString('latin1', at + 1, at + 1 + length));
      at += 1 + length;
    }
    const question = message.subarray(12, at + 5);
    const code = message.readUInt16BE(at + 1);
    const type = types.get(code);
    const key = `${type} ${parts.join('.')}`;
    asked.push(key);
    const found = zone.get(key) ?? 3;
    if (found === 'silent' || type === undefined) return;
    const values = typeof found === 'number' ? [] : found;
    const head = Buffer.alloc(12);
    message.copy(head, 0, 0, 2);
    head.writeUInt16BE(0x8180 | (typeof found === 'number' ? found : 0), 2);
    head.writeUInt16BE(1, 4);
    head.writeUInt16BE(values.length, 6);
    const records = values.map((value) => {
      const data = dataOf(type, value);
      const fixed = Buffer.from([0xc0, 12, 0, code, 0, 1, 0, 0, 0, 0, data.length >> 8, data.length & 255]);
      return Buffer.concat([fixed, data]);
    });
    socket.send(Buffer.concat([head, question, ...records]), from.port, from.address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  onTestFinished(() => void socket.close());
  return { address: `127.0.0.1:${socket.address().port}`, asked };
};

export interface DnsServer {
  /** Resolves with this server only. */
  readonly resolve: Resolve;
  /** The queried names in order. */
  readonly asked: () => readonly string[];
}

/**
 * `answer` returns the IPv4 addresses of a name, given how often it was queried before; undefined means no response. Stops after
 * the test.
 */
export const serveAddresses = async (
  answer: (name: string, nth: number) => readonly string[] | undefined,
): Promise<DnsServer> => {
  const names: string[] = [];
  const { address } = await serveDns({
    get: (key) => {
      const name = key.replace(/^A /, '');
      const nth = names.filter((one) => one === name).length;
      names.push(name);
      return answer(name, nth) ?? 'silent';
    },
  });
  const resolver = new Resolver({ timeout: 60_000, tries: 1 });
  resolver.setServers([address]);
  onTestFinished(() => resolver.cancel());
  return { resolve: (host) => resolver.resolve4(host), asked: () => names };
};
