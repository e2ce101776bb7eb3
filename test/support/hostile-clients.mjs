// Hostile clients in their own process: `node hostile-clients.mjs NAME PORT SECONDS`. Prints the responses that they got.

import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { ciphers, keyChanges, sendForEver, trafficSecretIn } from './tls-floods.mjs';

const [given, port, seconds] = [process.argv[2] ?? '', Number(process.argv[3]), Number(process.argv[4])];
const name = given.replace(' over TLS', '');
const answers = { ok: 0, refused: 0, broken: 0, ended: 0 };
const ends = Date.now() + seconds * 1000;
/** @param {(socket: import('node:net').Socket) => unknown} then @param {string} [localAddress] */
const open = (then, localAddress) => {
  const at = { port, host: '127.0.0.1', rejectUnauthorized: false, ...(localAddress && { localAddress }) };
  const socket = name === given ? connect(at, () => then(socket)) : connectTls(at, () => then(socket));
  socket.on('error', () => {
    answers.broken += 1;
  });
  return socket;
};
/**
 * Opens a TLS connection and resolves with its traffic secret.
 *
 * @param {string} localAddress
 * @returns {Promise<{ readonly raw: import('node:net').Socket, readonly secret: Buffer, readonly closed: Promise<unknown> }>}
 */
const openWithKeys = (localAddress) =>
  new Promise((resolve) => {
    const raw = connect({ port, host: '127.0.0.1', localAddress });
    const closed = new Promise((ended) => raw.on('error', () => undefined).once('close', ended));
    const socket = connectTls({ socket: raw, ciphers, rejectUnauthorized: false });
    socket.on('error', () => undefined);
    /** @type {Buffer | undefined} */
    let secret;
    socket.on('keylog', (line) => {
      secret = trafficSecretIn(line, 'CLIENT') ?? secret;
    });
    socket.once('secureConnect', () => secret && resolve({ raw, secret, closed }));
  });
/** @param {string} path */
const head = (path) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: gzip\r\n\r\n`;

/**
 * Sends requests one after the other, as fast as they are answered, and reconnects when the connection ends.
 *
 * @param {() => string} path
 * @param {string} [localAddress]
 */
const ask = (path, localAddress) => {
  const socket = open(() => socket.write(head(path())), localAddress);
  let text = '';
  let left = 0;
  socket.on('data', (chunk) => {
    let at = 0;
    while (at < chunk.length) {
      if (left === 0) {
        text += chunk.toString('latin1', at);
        const end = text.indexOf('\r\n\r\n');
        if (end === -1) return;
        const before = text.length - (chunk.length - at);
        at += end + 4 - before;
        left = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0);
        if (text.startsWith('HTTP/1.1 200')) answers.ok += 1;
        else answers.refused += 1;
        text = '';
      }
      const taken = Math.min(left, chunk.length - at);
      left -= taken;
      at += taken;
      if (left === 0) socket.write(head(path()));
    }
  });
  socket.on('close', () => Date.now() < ends && setTimeout(() => ask(path, localAddress), 50));
};

let count = 0;
const nextPage = () => {
  count += 1;
  return `/?x=${count}`;
};
/** @param {number} times @param {(place: number) => unknown} start */
const of = (times, start) => Array.from({ length: times }, (_, place) => start(place));
/** @type {Readonly<Record<string, () => unknown>>} */
const rows = {
  pipelined: () => {
    const requests = head('/metrics').repeat(20_000);
    of(50, () => open((socket) => socket.pause().write(requests)));
  },
  'pipelined probes': () => {
    const requests = head('/livez').repeat(20_000);
    of(50, () => open((socket) => socket.resume().write(requests)));
  },
  metrics: () => of(200, () => ask(() => '/metrics')),
  // From many client addresses.
  'many addresses': () => of(300, (place) => ask(() => '/metrics', `127.0.1.${1 + (place % 100)}`)),
  status: () => of(200, () => ask(() => '/api/v1/status')),
  page: () => of(200, () => ask(nextPage)),
  events: () => of(200, () => open((socket) => socket.resume().write(head('/api/v1/events')))),
  unread: () => of(400, () => open((socket) => socket.pause().write(head('/metrics')))),
  silent: () => {
    // Opens new connections all the time, each with a partial request.
    const timer = setInterval(() => {
      of(20, () => open((socket) => socket.write('GET / HTTP/1.1\r\nHost: a\r\nX: ')));
      if (Date.now() > ends) clearInterval(timer);
    }, 20);
  },
  // Sends only the first bytes of a TLS handshake.
  'silent handshakes': () => {
    const timer = setInterval(() => {
      of(20, () => open((socket) => socket.write(Buffer.from([22, 3, 1]))));
      if (Date.now() > ends) clearInterval(timer);
    }, 20);
  },
  // Four connections at a time, each with more key updates than are accepted; the next ones use another address.
  'key changes': async () => {
    for (let address = 1; Date.now() < ends; address += 1) {
      const opened = await Promise.all(Array.from({ length: 4 }, () => openWithKeys(`127.0.1.${address}`)));
      const floods = opened.map(({ raw, secret }) => {
        const next = keyChanges(secret, 0);
        return { raw, next, begin: next(2500) };
      });
      for (const { raw, next, begin } of floods) sendForEver(raw, next, begin);
      await Promise.all(opened.map(({ closed }) => closed));
      answers.ended += opened.length;
    }
  },
  // A new connection for each request, hundreds at a time.
  fresh: () =>
    of(700, () => {
      const again = () =>
        Date.now() < ends &&
        open((socket) => socket.on('close', again).end(head('/livez').replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'))).on(
          'data',
          () => {
            answers.ok += 1;
          },
        );
      again();
    }),
  'evil host': () =>
    of(200, () => {
      const again = () =>
        Date.now() < ends &&
        open((socket) => socket.on('close', again).end(head('/').replace('localhost', 'evil.example'))).resume();
      again();
    }),
};
rows[name]?.();
setTimeout(() => process.stdout.write(JSON.stringify(answers), () => process.exit(0)), seconds * 1000);
