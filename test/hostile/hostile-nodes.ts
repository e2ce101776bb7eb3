// Nodes that try to break the watch of all others, one per row: the response of each, and the outcome that must be counted.

import type { Socket } from 'node:net';
import { flood, floods } from '../support/floods.ts';
import { type Served, serveHttp, serveSocket } from '../support/serve.ts';
import { serveTlsFlood } from '../support/tls-flooding-node.ts';
import { type Heavy, mostRows, serveHeavy } from './heavy-nodes.ts';

export interface HostileNode {
  readonly node: string;
  /** Label `outcome` of the polls of its health. */
  readonly outcome: string;
  /** Body of the nth response for the path, or what else happens on the socket. */
  readonly answer: Answer;
  /** Number of tag sets; 1 by default. */
  readonly tagSets?: number | 'auto';
  /** APIs that must be polled during the measurement. */
  readonly asks?: readonly string[];
}

type Answer =
  | ((path: string, nth: number) => string | Uint8Array)
  | { readonly talk: (socket: Socket) => void }
  | { readonly serve: (isMeasured: () => boolean) => Promise<Served> };

const mebibyte = 1024 * 1024;

/** Made once, at the first request, because the same process sends the probes. */
const once = (make: () => string): (() => Uint8Array) => {
  let body: Uint8Array | undefined;
  return () => {
    body ??= Buffer.from(make());
    return body;
  };
};

const small = '{"checks":{},"healthy":true}';

/** Repeats `part` up to this number of bytes. */
const filled = (bytes: number, part: string, before = '', after = ''): string =>
  `${before}${part.repeat(Math.floor((bytes - before.length - after.length) / part.length))}${after}`;

const named = (count: number, name: (at: number) => string, value: string): string =>
  Array.from({ length: count }, (_, at) => `"${name(at)}":${value}`).join(',');

const message = (bytes: number, part: string): string =>
  filled(bytes, part, '{"checks":{"P":{"message":[', '1]}},"healthy":true}');

/** Floods each connection after its first request. */
const flooding = (begin: string | Uint8Array, again: string | Uint8Array): Answer => ({
  talk: (socket) => socket.once('data', () => flood(socket, Buffer.from(begin), Buffer.from(again))),
});

/** An endless report in pieces of one byte, the most expensive kind. */
const crumbs = flooding(
  'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n',
  '1\r\n \r\n'.repeat(10_000),
);

/** A good report, followed by endless bytes on the idle connection. */
const afterwards: Answer = {
  talk: (socket) => {
    const report = `HTTP/1.1 200 OK\r\nContent-Length: ${small.length}\r\n\r\n${small}`;
    socket.once('data', () => {
      socket.write(report);
      setTimeout(() => flood(socket, Buffer.of(), Buffer.alloc(65_536)), 50);
    });
  },
};

/** The most expensive report that the limits allow. */
const dear = (nth: number): string => {
  const failing = `{"error":"${'e'.repeat(200)}${nth}","message":{"a":1,"b":{"c":[1,"${nth}"]}},"contiguousFailures":${nth}}`;
  const passing = '{"message":{"a":1,"b":{"c":[1,""]}}}';
  return `{"checks":{${named(400, (at) => `check-${at}`, nth % 2 === 0 ? failing : passing)}},"healthy":false}`;
};

const deepest = `{"checks":{${named(150, (at) => `c${at}`, `{"message":${'{"a":'.repeat(60)}1${'}'.repeat(60)}}`)}},"healthy":true}`;

/** Within all limits, and two bytes per character once parsed. */
const largest = `{"checks":{${named(400, (at) => `c${at}`, `{"message":{"a":"Ж${'m'.repeat(1200)}"}}`)}},"healthy":true}`;

const block = once(() => `"bytes":"0x${'ab'.repeat(2 * mebibyte)}","timestamp":"2026-11-20T12:00:00Z","encoding":"hex"}}`);

/** A container of 4 MB with its own id. */
const container = (at: number): Uint8Array =>
  Buffer.concat([Buffer.from(`{"jsonrpc":"2.0","id":1,"result":{"id":"2SUG${at}","index":"${at}",`), block()]);

/** Also waits for rare requests. */
const heavy = (answers: () => Heavy): Pick<HostileNode, 'outcome' | 'answer' | 'asks'> => ({
  outcome: 'ok',
  answer: { serve: (isMeasured) => serveHeavy(answers(), isMeasured) },
  asks: ['info', 'validator', 'index'],
});

export const hostileNodes: readonly HostileNode[] = [
  {
    node: 'a report of 150,000 checks',
    outcome: 'too-large',
    answer: once(() => `{"checks":{${named(150_000, (at) => `c${at}`, '{}')}},"healthy":true}`),
  },
  {
    node: 'a report of 401 checks within 512 KiB',
    outcome: 'too-large',
    answer: once(() => `{"checks":{${named(401, (at) => `c${at}`, '{}')}},"healthy":true}`),
  },
  { node: '{}, repeated, 500 KB', outcome: 'too-large', answer: once(() => message(500_000, '{},')) },
  { node: '{}, repeated, 8 MB', outcome: 'too-large', answer: once(() => message(8 * mebibyte, '{},')) },
  {
    node: 'nested lists, 500 KB',
    outcome: 'too-large',
    answer: once(() => message(500_000, `${'['.repeat(60)}${']'.repeat(60)},`)),
  },
  { node: 'numbers, 8 MB', outcome: 'too-large', answer: once(() => message(8 * mebibyte, '1.5,')) },
  {
    node: 'one text of 8 MB',
    outcome: 'too-large',
    answer: once(() =>
      message(8 * mebibyte, 'x')
        .replace('[x', '["x')
        .replace('x1]', 'x"]'),
    ),
  },
  { node: '4 MB of [', outcome: 'too-large', answer: once(() => '['.repeat(4 * mebibyte)) },
  { node: 'objects a million deep', outcome: 'too-large', answer: once(() => '{"a":'.repeat(1_000_000)) },
  {
    node: 'a key of 16 KB over 600,000 numbers',
    outcome: 'too-large',
    answer: once(
      () =>
        `{"checks":{"P":{"message":{"${'k'.repeat(16_384)}":{${named(600_000, (at) => at.toString(36), '1')}}}}},"healthy":true}`,
    ),
  },
  {
    node: 'a new name of 1 MB at each poll',
    outcome: 'too-large',
    answer: (_, nth) => `{"checks":{"${nth}${'n'.repeat(mebibyte)}":{"error":"x"}},"healthy":false}`,
  },
  {
    node: '400 new names of 400 bytes at each poll',
    outcome: 'ok',
    answer: (_, nth) => `{"checks":{${named(400, (at) => `${nth}-${at}-${'n'.repeat(400)}`, '{"error":"x"}')}},"healthy":false}`,
  },
  { node: '400 checks that alternately all fail and all pass', outcome: 'ok', answer: (_, nth) => dear(nth) },
  { node: '150 checks with messages 60 deep', outcome: 'ok', answer: once(() => deepest) },
  { node: 'the largest report for each of 50 tag sets', outcome: 'ok', tagSets: 50, answer: once(() => largest) },
  { node: 'endless 100 Continue', outcome: 'network', answer: flooding('', 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(2000)) },
  { node: 'endless 103 Early Hints', outcome: 'network', answer: flooding('', 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(2000)) },
  { node: 'an endless body in pieces of one byte', outcome: 'network', answer: crumbs },
  ...floods.map(({ what, begin, again, outcome }) => ({ node: `${what} without end`, outcome, answer: flooding(begin, again) })),
  { node: 'endless bytes after each report', outcome: 'ok', answer: afterwards },
  { node: 'endless TLS key updates', outcome: 'network', answer: { serve: () => serveTlsFlood(false) } },
  {
    node: 'blocks of 4 MB at every index',
    outcome: 'ok',
    answer: (path, nth) => (path.startsWith('/ext/index') ? container(nth) : small),
  },
  {
    node: 'responses of 5 MB of {} to every request except health',
    ...heavy(() => ({ others: filled(5 * 1_000_000, '{},', '[', '1]') })),
  },
  {
    node: 'more rows of wrong types than the limit',
    ...heavy(() => ({ others: `{"containers":[${'{},'.repeat(39_000)}1],"peers":[${'{},'.repeat(39_000)}1],"validators":[1]}` })),
  },
  {
    node: 'rows of wrong types, as many as the limit allows',
    ...heavy(() => {
      const some = `[${'{},'.repeat(9000)}1]`;
      const peers = `{"peers":${some},"validators":${some},"blockchains":${some},"containers":${some}}`;
      return { others: peers, results: { 'index.getContainerRange': `[${'{},'.repeat(1000)}1]` } };
    }),
  },
  {
    node: 'as many peers, validators, blockchains and containers as the limits allow',
    ...heavy(() => ({ results: mostRows() })),
  },
  {
    node: '200 different checks in each report, and as many blockchains as the limit allows',
    ...heavy(() => ({
      results: mostRows(),
      checks: (nth) => named(200, (at) => `chain-${nth}-${at}`, '{"message":1}'),
    })),
    tagSets: 'auto',
    asks: ['info', 'validator', 'index', 'subnets'],
  },
];

/** Responds to every request at once. */
export const serveHostile = ({ answer }: Pick<HostileNode, 'answer'>, isMeasured = () => true): Promise<Served> => {
  if (typeof answer !== 'function') return 'serve' in answer ? answer.serve(isMeasured) : serveSocket(answer.talk);
  const counts = new Map<string, number>();
  return serveHttp((request, response) => {
    const path = request.url ?? '';
    const nth = counts.get(path) ?? 0;
    counts.set(path, nth + 1);
    request.resume();
    response.end(answer(path, nth));
  });
};
