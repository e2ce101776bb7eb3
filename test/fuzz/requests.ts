// Hostile requests as bytes: each of method, path, headers and body may be odd, and mutations change the whole.

import fc from 'fast-check';
import * as z from 'zod/mini';
import { authorization, odd } from './credentials.ts';
import { hostileValues } from './hostile.ts';
import { bytewise, pick, type Step, steps } from './mutations.ts';
import { calls, callsAt, type Destination, destinations, maintenancePath, paths, windowsAmongCalls } from './paths.ts';

const rawCase = z.object({
  to: z.enum(destinations),
  bytes: z.string(),
  /** Number of pieces in which the bytes are sent. */
  pieces: z.number(),
  /** Number of requests in a correct reading of the bytes; absent if they were mutated. */
  requests: z.optional(z.number()),
});

/** The bytes of one connection, one per character. */
export type RawCase = z.infer<typeof rawCase>;

/** Concurrent connections. */
export const rawCases = z.array(rawCase);

/** The last request of a connection, after which the server closes it if it has read the request. */
export const farewell = 'GET /livez HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n';

const methods = 'GET GET GET GET HEAD POST POST PUT DELETE OPTIONS PATCH TRACE CONNECT PROPFIND get GE\0T NONSENSE PRI'.split(
  ' ',
);

/** For the node, whose methods are all called by POST. */
const nodeMethods = [...methods, ...Array.from(methods, () => 'POST')];

/** For paths that change state. */
const changing = ['PUT', 'PUT', 'PUT', 'DELETE', 'DELETE', 'POST', 'GET'];

const headers: readonly ((choice: number) => string)[] = [
  () => 'Accept: application/openmetrics-text;version=1.0.0',
  (choice) => `Accept: ${odd(choice)};q=${choice}`,
  () => 'Accept-Encoding: gzip',
  (choice) => `Accept-Encoding: gzip;q=${odd(choice)}, *;q=1e9`,
  (choice) => `Host: ${odd(choice)}`,
  () => 'Host: evil.example',
  () => 'Connection: keep-alive, Upgrade\r\nUpgrade: websocket',
  () => 'Connection: close',
  () => 'Expect: 100-continue',
  (choice) => `Expect: ${odd(choice)}`,
  () => 'Content-Type: application/json',
  (choice) => `Content-Type: ${odd(choice)}`,
  (choice) =>
    `Content-Length: ${pick(['0', '-1', '+5', '0x5', '5, 5', '99999999999999999999', '1e3', ' 5', '5\r\nContent-Length: 6'], choice)}`,
  (choice) =>
    `Transfer-Encoding: ${pick(['chunked', 'Chunked, identity', 'gzip, chunked', 'xchunked', '\x0bchunked', 'chunked\r\nTransfer-Encoding: x'], choice)}`,
  (choice) => `Authorization: Basic ${odd(choice)}`,
  (choice) => `Origin: ${odd(choice)}`,
  (choice) => `Range: bytes=${choice}-`,
  (choice) => `Last-Event-ID: ${odd(choice)}`,
  (choice) => `X-Prometheus-Scrape-Timeout-Seconds: ${pick(hostileValues, choice)}`,
  (choice) => `X-Forwarded-For: ${odd(choice)}`,
  (choice) => `Avalanche-Api-Route: ${odd(choice)}`,
  (choice) => `Cookie: ${'a=b; '.repeat(choice % 2000)}`,
  (choice) => `X: ${'x'.repeat(choice % 20_000)}`,
  (choice) => Array.from({ length: choice % 300 }, (_, at) => `X-${at}: 1`).join('\r\n'),
  (choice) => `${odd(choice)}: ${odd(choice >> 3)}`,
  () => 'Folded: a\r\n b',
  () => ' Spaced: a',
  () => 'No colon',
  () => 'Name : a',
];

const spelled: readonly ((path: string, choice: number) => string)[] = [
  // Often unchanged, so that oddities elsewhere get past the router.
  ...Array.from({ length: 8 }, () => (path: string) => path),
  (path) => `http://evil.example${path}`,
  (path, choice) =>
    `${path}${path.includes('?') ? '&' : '?'}${encodeURIComponent(safely(odd(choice)))}=${encodeURIComponent(safely(odd(choice >> 5)))}`,
  (path, choice) => `${path.split('?')[0]}?target=${odd(choice)}&tag=${odd(choice >> 4)}`,
  (path, choice) => path.replace(/=[^&]*/, () => `=${encodeURIComponent(safely(odd(choice)))}`),
  (path) => Array.from(path, (one) => `%${one.charCodeAt(0).toString(16)}`).join(''),
  (path, choice) => `${path}${pick(['%', '%zz', '%00', '%c0%ae', '%2e%2e%2f', '%0d%0aX:%201', '#a', ';a', '\\', '//'], choice)}`,
  (path, choice) => `${'/..'.repeat(choice % 50)}${path}/../../etc/passwd`,
  (_, choice) =>
    `/targets/${encodeURIComponent(safely(odd(choice)))}${pick(['/metrics', '/readyz', '/livez', '/readyz/a', ''], choice)}`,
  (path, choice) => `${path}?${'a=b&'.repeat(choice % 3000)}`,
  (_, choice) => `/${'a/'.repeat(choice % 4000)}`,
  (_, choice) => pick(['*', 'evil.example:443', '', '?', '//', '/%', '/\xff', `/${odd(choice)}`, 'http://'], choice) ?? '',
];

/** Half a surrogate pair cannot be percent-encoded. */
const safely = (text: string): string => Buffer.from(text, 'latin1').toString();

type Odd = readonly [kind: number, choice: number];

interface DrawnRequest {
  readonly path: number;
  readonly method: number;
  readonly spelling: Odd;
  readonly headers: readonly Odd[];
  readonly authorization: Odd;
  readonly body: Odd;
}

export interface DrawnConnection {
  readonly to: Destination;
  readonly requests: readonly DrawnRequest[];
  readonly version: number;
  readonly pieces: number;
  readonly steps: readonly Step[];
}

const oddity = fc.tuple(fc.nat(0xff), fc.nat(0xffffff));

export const drawnConnections: fc.Arbitrary<DrawnConnection> = fc.record({
  to: fc.constantFrom<Destination>(
    ...(['exporter', 'exporter', 'shard', 'probes', 'standby', 'users', 'token', 'node', 'node', 'node'] as const),
  ),
  requests: fc.array(
    fc.record({
      path: fc.nat(0xff),
      method: fc.nat(0xff),
      spelling: oddity,
      headers: fc.array(oddity, { maxLength: 4 }),
      authorization: oddity,
      body: oddity,
    }),
    { minLength: 1, maxLength: 3 },
  ),
  version: fc.nat(0xff),
  pieces: fc.constantFrom(1, 1, 1, 2, 7),
  steps: fc.oneof(fc.constant([]), steps(3)),
});

const versions = ['HTTP/1.0', 'HTTP/2.0', 'HTTP/1.2', 'HTTP/9.9', 'http/1.1', 'RTSP/1.0', '', 'HTTP/1.1 x'];

const framed = (body: string, [kind, choice]: Odd): readonly [head: string, body: string] => {
  switch (kind % 8) {
    case 0:
      return [`Content-Length: ${body.length}`, body];
    case 1:
      return ['Transfer-Encoding: chunked', `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`];
    // Both headers, with a request in the body, which must not be read as a request.
    case 2:
      return [`Content-Length: ${body.length}\r\nTransfer-Encoding: chunked`, body];
    case 3:
      return [
        'Transfer-Encoding: chunked',
        `${pick(['0x5', '-1', 'fffffffffffffffff', '5;a=\n', 'g', ''], choice)}\r\n${body}\r\n0\r\n\r\n`,
      ];
    case 4:
      return [`Content-Length: ${body.length + (choice % 50)}`, body];
    default:
      return ['X-None: 1', ''];
  }
};

export const rawCaseOf = ({ to, requests, version, pieces, steps: made }: DrawnConnection): RawCase => {
  const isNode = to === 'node';
  const isGuarded = to === 'users' || to === 'token';
  const said = requests.map((one) => {
    const plain = pick(paths[to], one.path) ?? '/';
    const isChange = isGuarded && plain.startsWith(maintenancePath);
    // Half of them are odd only in credentials and body, because few others get past authentication.
    const isCalm = isGuarded && one.authorization[1] % 2 === 0;
    const choice = one.body[1] >> 8;
    const bodies = isNode ? callsAt(plain, choice) : isChange ? windowsAmongCalls(choice) : calls;
    const path = isCalm ? plain : (pick(spelled, one.spelling[0])?.(plain, one.spelling[1]) ?? '/');
    const [framing, body] = framed(pick(bodies, one.body[1]) ?? '', isCalm && isChange ? [0, 0] : one.body);
    const spoken = version < 200 ? 'HTTP/1.1' : pick(versions, version);
    const odder = (isCalm ? [] : one.headers).flatMap(([kind, choice]) => pick(headers, kind)?.(choice) ?? []);
    const json = isNode || isChange ? ['Content-Type: application/json'] : [];
    const allowed = isGuarded ? authorization(to, ...one.authorization) : [];
    const lines = [
      `${pick(isNode ? nodeMethods : isCalm && isChange ? changing : methods, one.method)} ${path} ${spoken}`,
      'Host: 127.0.0.1',
      ...json,
      ...allowed,
      ...odder,
      framing,
    ];
    return `${lines.join('\r\n')}\r\n\r\n${body}`;
  });
  let bytes = said.join('');
  for (const [mutator, place, choice] of made) bytes = pick(bytewise, mutator)?.(bytes, place, choice, said) ?? bytes;
  // With a wrong length the rest of a body is read as a request, and with odd headers the number is unknown.
  const isWhole = made.length === 0 && requests.every(({ headers: more, body: [kind] }) => more.length === 0 && kind % 8 < 3);
  const count = isWhole ? { requests: requests.length + 1 } : {};
  return { to, bytes: bytes + farewell, pieces, ...count };
};
