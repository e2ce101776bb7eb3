// The embedded node with the image's flags, as the chart starts it: 256 connections of any kind stay within the memory of its pod, and
// other clients get responses meanwhile.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { imageFlags } from '../support/image-flags.ts';
import { startNodeProcess } from '../support/node-process.ts';

/** The image's flags, and the heap size that it sets within the 256 MiB of `node.resources`. */
const flags = [...imageFlags, '--max-old-space-size=169'];

/** The other 56 MiB are for what a cgroup counts besides resident memory, mainly sockets. */
const mostMiB = 200;
const connections = 256;

const post = (length: number): string =>
  `POST /ext/info HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;
const call = (id: string, params: string): string => {
  const body = `{"jsonrpc":"2.0","id":${id},"method":"info.getNodeVersion","params":${params}}`;
  return post(Buffer.byteLength(body)) + body;
};
const question = (params: string): string => call('1', params);
const get = 'GET /ext/health/liveness HTTP/1.1\r\nHost: localhost\r\n';

interface Hostile {
  readonly socket: Socket;
  /** The response as far as it was read. */
  readonly text: () => string;
}

/** A client that does not read still receives the first bytes of a response. */
const isOver = ({ socket }: Hostile): boolean => socket.destroyed || socket.bytesRead > 0;

/** By then all of them have sent as much as they may, and the amount held for them no longer grows. */
const isHeld = (all: readonly Hostile[]): boolean => all.filter(isOver).length > 60;

/** Sends it from this address and keeps the connection open. */
const send = (port: number, localAddress: string, wire: Buffer, reads = true): Hostile => {
  let text = '';
  const socket = connect({ port, host: '127.0.0.1', localAddress });
  socket.on('error', () => undefined);
  const read = (chunk: Buffer): void => {
    if (text.length < 4096) text += chunk.toString('latin1');
  };
  if (reads) socket.on('data', read);
  socket.write(wire);
  return { socket, text: () => text };
};

const answered = async (port: number, wire: string): Promise<string> => {
  const { socket, text } = send(port, '127.0.0.2', Buffer.from(wire));
  await expect.poll(() => socket.destroyed || text() !== '').toBe(true);
  socket.destroy();
  return text().slice(0, 12);
};

const node = async () => {
  const folder = mkdtempSync(join(tmpdir(), 'snowgauge-node-memory-'));
  const process = startNodeProcess(folder, [], flags);
  onTestFinished(async () => {
    await process.end('SIGKILL');
    rmSync(folder, { recursive: true });
  });
  const port = await process.port;
  return {
    port,
    residentMiB: () => Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${process.pid}/status`, 'utf8'))?.[1]) / 1024,
  };
};

/** Go escapes each of its characters to six. */
const longId = Buffer.from(call(`"${'<'.repeat(1_000_000)}"`, '{}'));
const half = Buffer.from(post(2 ** 20) + ' '.repeat(1_000_000));

test.each<[what: string, wire: Buffer, until: (hostile: readonly Hostile[]) => boolean, reads?: boolean]>([
  ['a body of 1 MiB that does not end', half, (hostile) => hostile.filter(isOver).length > 16],
  [
    'a body in single bytes',
    Buffer.from(`${post(0).replace('Content-Length: 0', 'Transfer-Encoding: chunked')}${'1\r\n \r\n'.repeat(160_000)}`),
    (hostile) => hostile.filter(isOver).length > 16,
  ],
  ['a head of 1 MB', Buffer.from(`${get}X: ${'a'.repeat(1_000_000)}`), (hostile) => hostile.every(isOver)],
  ['a head of many headers', Buffer.from(get + 'a:b\r\n'.repeat(200_000)), (hostile) => hostile.every(isOver)],
  [
    'tiny headers, within the limit for a head',
    Buffer.from(`${get}${'aa:bb\r\n'.repeat(9000)}\r\n`),
    (hostile) => hostile.every(isOver),
  ],
  ['1 MiB of values', Buffer.from(question(`{"a":[${'{},'.repeat(340_000)}1]}`)), isHeld],
  ['1 MiB of names', Buffer.from(question(`{${Array.from({ length: 80_000 }, (_, place) => `"${place}":1`).join()}}`)), isHeld],
  ['an id of 1 MB whose response of 6 MB is not read', longId, isHeld, false],
])('256 connections, each with %s, stay within 200 MiB and do not block other clients', async (_, wire, until, reads) => {
  const { port, residentMiB } = await node();
  const hostile = Array.from({ length: connections }, () => send(port, '127.0.0.3', wire, reads));
  onTestFinished(() => {
    for (const { socket } of hostile) socket.destroy();
  });
  do {
    expect(await answered(port, `${get}\r\n`)).toBe('HTTP/1.1 200');
    expect(await answered(port, question('{}'))).toBe('HTTP/1.1 200');
  } while (!until(hostile));
  // A large request waits only while those of the others are read.
  expect(await answered(port, question(`{${' '.repeat(100_000)}}`))).toBe('HTTP/1.1 200');
  expect(residentMiB()).toBeLessThanOrEqual(mostMiB);
});
