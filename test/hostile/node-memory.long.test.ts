// The embedded node with the image's flags, as the chart starts it: 256 connections of any kind stay within the memory of its pod, and
// others are answered meanwhile.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { imageFlags } from '../support/image-flags.ts';
import { startNodeProcess } from '../support/node-process.ts';

/** Those of the image, and the heap that it gives itself in the 256 MiB of `node.resources`. */
const flags = [...imageFlags, '--max-old-space-size=169'];

/** What a cgroup counts beside what is resident, sockets first of all, has room in the other 56. */
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
  /** What was answered, and read. */
  readonly text: () => string;
}

/** Who does not read has the first bytes of an answer all the same. */
const isOver = ({ socket }: Hostile): boolean => socket.destroyed || socket.bytesRead > 0;

/** By then all of them have sent what they may, and what is held of them goes from one to the next as before. */
const isHeld = (all: readonly Hostile[]): boolean => all.filter(isOver).length > 60;

/** Sends it from this address, and never ends the connection. */
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

/** Go escapes each sign of it to six. */
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
    'headers in single letters, within the bound for a head',
    Buffer.from(`${get}${'aa:bb\r\n'.repeat(9000)}\r\n`),
    (hostile) => hostile.every(isOver),
  ],
  ['1 MiB of values', Buffer.from(question(`{"a":[${'{},'.repeat(340_000)}1]}`)), isHeld],
  ['1 MiB of names', Buffer.from(question(`{${Array.from({ length: 80_000 }, (_, place) => `"${place}":1`).join()}}`)), isHeld],
  ['an id of 1 MB, whose answer of 6 MB is not read', longId, isHeld, false],
])('256 connections, each with %s', async (_, wire, until, reads) => {
  const { port, residentMiB } = await node();
  const hostile = Array.from({ length: connections }, () => send(port, '127.0.0.3', wire, reads));
  onTestFinished(() => {
    for (const { socket } of hostile) socket.destroy();
  });
  do {
    expect(await answered(port, `${get}\r\n`)).toBe('HTTP/1.1 200');
    expect(await answered(port, question('{}'))).toBe('HTTP/1.1 200');
  } while (!until(hostile));
  // One that is large waits for those of the others that are read, and no longer.
  expect(await answered(port, question(`{${' '.repeat(100_000)}}`))).toBe('HTTP/1.1 200');
  expect(residentMiB()).toBeLessThanOrEqual(mostMiB);
});
