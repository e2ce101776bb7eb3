// Shared by the tests of secrets: random credentials, and the check that they do not appear.

import { randomBytes } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';

export const file = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** One for each name, as long as a provider's key, and too long to occur by chance. */
export const marked = <N extends string>(...names: readonly N[]): Readonly<Record<N, string>> =>
  Object.fromEntries(names.map((name) => [name, `${name}-${randomBytes(20).toString('hex')}`])) as Record<N, string>;

/** One of digits only, which could be a number in a response. */
export const markedDigits = (): string => Array.from(randomBytes(24), (byte) => byte % 10).join('');

/** The secret itself, and encoded as in a header. Each is only a part, so that a partial leak fails too. */
const spellings = (secret: string): readonly string[] => [
  secret.slice(-24),
  Buffer.from(secret).toString('base64').slice(4, 28),
  Buffer.from(`user:${secret}`).toString('base64').slice(8, 32),
];

/** Fails with the name of each secret found and its place, without its value. */
export const expectNone = (places: Readonly<Record<string, string>>, secrets: Readonly<Record<string, string>>): void => {
  const found = Object.entries(places).flatMap(([place, text]) =>
    Object.entries(secrets).flatMap(([name, secret]) =>
      spellings(secret).some((one) => text.includes(one)) ? [`${name} in ${place}`] : [],
    ),
  );
  expect(found).toEqual([]);
};

/** Echoes every credential of the request in the parts of a response that are shown: names, messages, errors, headers. */
export const echo =
  (seen: string[]): RequestListener =>
  (request, response) => {
    const { url = '', headers } = request;
    const given = [url, ...Object.values(headers).flatMap((value) => value ?? [])];
    seen.push(...given);
    const quoted = [...given, ...given.map((one) => decodeURIComponent(one))].join(' ');
    const basic = Buffer.from(headers.authorization?.split(' ')[1] ?? '', 'base64').toString();
    const all = `${quoted} ${basic.replace(/[^\x20-\x7e]/g, '')}`;
    // The name of a check is limited to 1 KiB.
    const short = `${url} ${headers.authorization} ${basic.replace(/[^\x20-\x7e]/g, '')}`;
    const how = /\/as-(\w+)\//.exec(url)?.[1];
    const ascii = all.replace(/[^\x20-\x7e]/g, '');
    response.setHeader('node-id', ascii);
    response.setHeader('content-type', `application/json; x="${ascii.replaceAll('"', '')}"`);
    const send = (status: number, body: string): void => void response.writeHead(status).end(body);
    if (how === 'denied') return send(401, all);
    // As snowgauge does.
    if (how === 'refused') return send(401, JSON.stringify({ error: short }));
    if (how === 'forbidden') return send(403, all);
    if (how === 'redirect') {
      const host = basic.startsWith('user:') ? basic.slice(5) : headers.authorization?.split(' ')[1];
      const quoted = encodeURIComponent(ascii.slice(0, 2000));
      response.setHeader('location', `https://${host}.example/${quoted}?k=${quoted}`);
      return send(302, all);
    }
    if (how === 'malformed') return send(200, `{"checks":{"${all}`);
    if (how === 'mistyped') return send(200, JSON.stringify({ checks: { [short]: 7 }, healthy: all }));
    if (request.method === 'POST')
      return send(200, JSON.stringify({ jsonrpc: '2.0', id: 1, error: { code: -32000, message: all } }));
    const check = {
      message: { [short]: all, error: all },
      error: all,
      timestamp: new Date().toISOString(),
      duration: 1,
      contiguousFailures: 3,
    };
    return send(503, JSON.stringify({ checks: { network: check, [short]: check }, healthy: false }));
  };
