// A thread of its own: so many connections that each read one reply after the other, and beside them one that asks for /livez of the
// server and of another in turn. Says how long those answers took, in milliseconds.

import { createServer, get } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';

/** @type {{ port: number, readers: number, paths: readonly string[], seconds: number, role: 'read' | 'probe' }} */
const { port, readers, paths, seconds, role } = workerData;
const until = performance.now() + seconds * 1000;
/** @type {Map<string, number>} By status. */
const answers = new Map();
let asked = 0;

/** The next request when the last byte of the reply is here. */
const read = () => {
  const socket = connect(port, '127.0.0.1');
  let [left, head] = [0, Buffer.alloc(0)];
  const ask = () => {
    asked += 1;
    const path = paths[asked % paths.length]?.replace('N', `${asked}`);
    socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`);
  };
  const ended = () => {
    if (performance.now() < until) ask();
    else socket.destroy();
  };
  socket.on('connect', ask).on('error', () => undefined);
  socket.on('data', (chunk) => {
    if (left === 0) {
      head = Buffer.concat([head, chunk]);
      const end = head.indexOf('\r\n\r\n');
      if (end < 0) return;
      const text = head.toString('latin1', 0, end);
      const status = text.slice(9, 12);
      answers.set(status, (answers.get(status) ?? 0) + 1);
      left = Number(/content-length: (\d+)/i.exec(text)?.[1]) - (head.length - end - 4);
      head = Buffer.alloc(0);
    } else left -= chunk.length;
    if (left === 0) ended();
  });
  setTimeout(() => socket.destroy(), until - performance.now() + 5000);
  return new Promise((resolve) => socket.on('close', resolve));
};

/** @param {number} of @returns {Promise<number>} */
const asking = (of) =>
  new Promise((resolve) => {
    const begun = performance.now();
    get({ port: of, path: '/livez', agent: false }, (response) => {
      response.resume().on('end', () => resolve(performance.now() - begun));
    }).on('error', () => resolve(Number.POSITIVE_INFINITY));
  });

if (role === 'read') {
  await Promise.all(Array.from({ length: readers }, read));
  parentPort?.postMessage({ answers });
} else {
  const idle = createServer((_, response) => response.end('ok\n')).listen(0, '127.0.0.1');
  await new Promise((resolve) => idle.once('listening', resolve));
  const address = idle.address();
  const other = typeof address === 'object' ? (address?.port ?? 0) : 0;
  /** @type {{ ours: number[], theirs: number[] }} */
  const { ours, theirs } = { ours: [], theirs: [] };
  while (performance.now() < until) {
    ours.push(await asking(port));
    theirs.push(await asking(other));
    await sleep(10);
  }
  idle.close();
  parentPort?.postMessage({ ours, theirs });
}
