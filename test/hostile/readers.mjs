// Runs in its own thread, in one of two roles. `read`: many connections that each read one response after the other. `probe`: requests
// /livez repeatedly, and reports the CPU milliseconds of the server's thread until each response, which do not include other load of
// the machine. Linux only.

import { openSync, readSync } from 'node:fs';
import { get } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';

/** @type {{ port: number, readers: number, paths: readonly string[], seconds: number, role: 'read' | 'probe', schedstat: string }} */
const { port, readers, paths, seconds, role, schedstat } = workerData;
const until = performance.now() + seconds * 1000;
/** @type {Map<string, number>} By status. */
const answers = new Map();
let asked = 0;

/** Sends the next request after the last byte of a response. On a slow machine it goes on until there are three responses per reader. */
const read = () => {
  const socket = connect(port, '127.0.0.1');
  let [left, head] = [0, Buffer.alloc(0)];
  const ask = () => {
    asked += 1;
    const path = paths[asked % paths.length]?.replace('N', `${asked}`);
    socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`);
  };
  const ended = () => {
    if (performance.now() < until || asked < 3 * readers) ask();
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
  // Longer than any machine stalls.
  setTimeout(() => socket.destroy(), until - performance.now() + 280_000).unref();
  return new Promise((resolve) => socket.on('close', resolve));
};

const [file, text] = [openSync(schedstat, 'r'), Buffer.alloc(64)];
const cpuMs = () => Number(text.toString('latin1', 0, readSync(file, text, 0, 64, 0)).split(' ', 1)[0]) / 1e6;

/** @returns {Promise<number>} */
const asking = () =>
  new Promise((resolve) => {
    const begun = cpuMs();
    // By address: a name lookup needs the thread pool of the process, which other tests may occupy.
    get({ host: '127.0.0.1', port, path: '/livez', agent: false }, (response) => {
      response.resume().on('end', () => resolve(cpuMs() - begun));
    }).on('error', () => resolve(Number.POSITIVE_INFINITY));
  });

if (role === 'read') {
  await Promise.all(Array.from({ length: readers }, read));
  parentPort?.postMessage({ answers });
} else {
  /** @type {number[]} */
  const took = [];
  // Until the readers end.
  let isOver = false;
  parentPort?.once('message', () => {
    isOver = true;
  });
  do {
    took.push(await asking());
    await sleep(10);
  } while (!isOver);
  parentPort?.postMessage({ took });
}
