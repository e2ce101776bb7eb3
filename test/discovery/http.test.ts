// HTTP discovery (http_sd format), over real sockets.

import type { RequestListener } from 'node:http';
import { expect, test } from 'vitest';
import { runHttp } from '../../src/discovery/http/http.ts';
import { readGroups } from '../../src/discovery/target-groups.ts';
import { createFailureLog } from '../../src/failure-log.ts';
import { serveHttp } from '../support/serve.ts';
import { following } from './updates.ts';
import { configOf, patience } from './world.ts';

const answer =
  (status: number, body: string, headers: Readonly<Record<string, string>> = {}): RequestListener =>
  (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(body);
  };

const list = (...targets: readonly string[]): RequestListener =>
  answer(200, JSON.stringify([{ targets, labels: { team: 'a' } }]));

/** A source with a server whose answer tests can replace. */
const world = async (path = '/sd', timeout = '1m', refreshInterval = 0.05) => {
  let listener = list('a:1', 'b:2');
  const heads: NodeJS.Dict<string | string[]>[] = [];
  const server = await serveHttp((request, response) => {
    heads.push({ ...request.headers, path: request.url ?? '' });
    listener(request, response);
  });
  const { discovery } = await configOf({ discovery: { http: [{ url: server.url + path, timeout, headers: { 'X-Key': '7' } }] } });
  const [config] = discovery.http;
  if (config === undefined) throw new Error('no source');
  const source = following((context) => runHttp({ ...config, refreshInterval }, context));
  return {
    ...source,
    heads,
    serves: (next: RequestListener) => {
      listener = next;
    },
    server,
  };
};

test('refreshes the list and returns the same object while it has not changed', async () => {
  const { finds, labels, updates, heads, serves, server } = await world('/sd?key=secret');
  await finds('a:1', 'b:2');
  expect(labels('a:1')).toEqual({ __address__: 'a:1', __meta_url: `${server.url}/…`, team: 'a' });
  await expect.poll(() => updates.length).toBeGreaterThan(3);
  expect(new Set(updates.map(({ found }) => found)).size).toBe(1);
  expect(heads[0]).toMatchObject({
    path: '/sd?key=secret',
    'x-key': '7',
    'x-prometheus-refresh-interval-seconds': '0.05',
    'user-agent': 'snowgauge/test',
  });
  serves(list('b:2'));
  await finds('b:2');
  serves(list());
  await finds();
});

test('a list that is too large together with the others is one line in the log, at the first failure, whatever its size', async () => {
  const { server } = await world();
  const { discovery } = await configOf({ discovery: { http: [{ url: server.url, timeout: '1m' }] } });
  const [config] = discovery.http;
  if (config === undefined) throw new Error('no source');
  let size = 0;
  const tooLarge = (): string => {
    size += 1;
    return `${size} bytes`;
  };
  const { updates } = following((context) => runHttp({ ...config, refreshInterval: 0.02 }, { ...context, tooLarge }));
  await expect.poll(() => updates.length, patience).toBeGreaterThan(2);
  const { toLog } = createFailureLog(() => 0);
  const lines = updates.flatMap((one) => (one.kind === 'failed' ? toLog(one.faults) : []));
  expect(lines).toEqual([expect.stringMatching(/: 1 bytes$/)]);
});

const manyTargets = (count: number): readonly string[] => Array.from({ length: count }, (_, at) => `node-${at}:9650`);
const manyLabels = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`label${at}`, 'x']));

const large = JSON.stringify([{ targets: ['a'.repeat(9_000_000)] }]);

test.each([
  { title: 'an error', serves: answer(500, 'no'), reason: /…: status 500$/ },
  { title: 'a redirect', serves: answer(302, '', { location: '/other' }), reason: /…: status 302: redirects are not followed$/ },
  { title: 'invalid JSON', serves: answer(200, '[{"targets":'), reason: /…: line 1: not JSON: it ends too early$/ },
  {
    title: 'JSON of another shape',
    serves: answer(200, '{}'),
    reason: /…: is not a list of target groups: it must be an array: write \[\] for no targets$/,
  },
  {
    title: 'an unknown key in a group',
    serves: answer(200, '[{"targets":["c:1"]},{"target":["a:1"]}]'),
    reason: /…: is not a list of target groups: 1 may have targets and labels, and no other key$/,
  },
  {
    title: '9 MB',
    serves: answer(200, large),
    reason: /…: the response is larger than 4194304 bytes: split the list into several sources$/,
  },
  {
    title: 'too many objects',
    serves: answer(200, `[${'{},'.repeat(300_000)}{}]`),
    reason: /…: is too large \(values: more than 150000\)$/,
  },
  {
    title: 'too many labels in total',
    serves: answer(200, JSON.stringify([{ targets: manyTargets(2000), labels: manyLabels(100) }])),
    reason: /…: its targets have 204000 labels, more than 100000: split the list$/,
  },
  {
    title: 'a group with too many labels',
    serves: answer(200, JSON.stringify([{ targets: ['a:1'], labels: manyLabels(200) }])),
    reason: /…: holds a group of 202 labels, more than 128: leave some out$/,
  },
  {
    title: 'too many targets',
    serves: answer(200, JSON.stringify([{ targets: Array(100_000).fill('a:1') }])),
    reason: /…: 100000 targets are more than 20000: shorten the list, or name fewer namespaces or files$/,
  },
  {
    title: 'labels that are too long, which relabelings would match for seconds',
    serves: answer(200, JSON.stringify([{ targets: ['a:1'], labels: { a: 'x'.repeat(20_000) } }])),
    reason: /…: holds a group whose labels have 20001 characters, more than 16384: shorten them$/,
  },
  {
    title: 'an address that is too long',
    serves: answer(200, JSON.stringify([{ targets: ['a'.repeat(3000)] }])),
    reason: /…: holds an address of 3000 characters, more than 2048: shorten it$/,
  },
  {
    title: 'nothing',
    serves: (() => undefined) as RequestListener,
    reason: /…: connected, but no response within 300 ms: the server may be starting, overloaded or hung$/,
    timeout: '300ms',
  },
  {
    title: 'single bytes, slowly,',
    serves: ((_, response) => {
      response.writeHead(200);
      const drip = setInterval(() => response.write(' '), 20);
      response.on('close', () => clearInterval(drip));
    }) as RequestListener,
    reason: /…: response not complete within 300 ms: raise the timeout if the server or the connection is slow$/,
    timeout: '300ms',
  },
])('keeps the previous list and retries when the server answers with $title', async ({ serves: bad, reason, timeout }) => {
  const { finds, fails, recovers, addresses, serves, updates } = await world('/sd?key=secret', timeout);
  await finds('a:1', 'b:2');
  serves(bad);
  await fails(reason);
  expect(addresses()).toEqual(['a:1', 'b:2']);
  serves(list('c:3'));
  await recovers();
  await finds('c:3');
  expect(JSON.stringify(updates.map((one) => (one.kind === 'failed' ? one.reason : '')))).not.toContain('secret');
});

test('retries a failing server soon, however long the refresh interval', async () => {
  const { serves, finds, fails } = await world('/sd', '1m', 3600);
  serves(answer(503, 'starting'));
  await fails(/status 503$/);
  serves(list('c:3'));
  await finds('c:3');
});

test('yields to the event loop while reading a list of thousands of groups', async () => {
  const groups = Array.from({ length: 20_000 }, (_, at) => ({ targets: [`node-${at}:9650`], labels: { a: `${at}` } }));
  let turns = 0;
  const count = (): void => {
    turns += 1;
    counting = setImmediate(count);
  };
  let counting = setImmediate(count);
  const read = await readGroups(groups, new Map());
  clearImmediate(counting);
  expect(read.kind === 'ok' && read.found.length).toBe(20_000);
  expect(turns).toBeGreaterThan(1);
});

test('keeps the previous list when the server is down', async () => {
  const { finds, fails, addresses, server } = await world();
  await finds('a:1', 'b:2');
  await server.close();
  await fails(/connection refused \([^)]*\)$/);
  expect(addresses()).toEqual(['a:1', 'b:2']);
});

test('keeps a label that is the name of a cluster, although the path of the URL has it too, but not a value of its query', async () => {
  const cluster = 'validators-eu-west-1';
  const key = 'correct-horse-battery-staple';
  const { finds, labels, serves } = await world(`/sd/${cluster}?key=${key}`);
  serves(answer(200, JSON.stringify([{ targets: ['c:1'], labels: { cluster, said: key } }])));
  await finds('c:1');
  expect(labels('c:1')).toMatchObject({ cluster, said: '***' });
});

test.each([
  { title: 'null, which Go writes for no targets', body: 'null', found: [] },
  { title: 'keys in any case, as Go does', body: '[{"Targets":["c:1"],"LABELS":{"team":"b"}}]', found: ['c:1'] },
])('accepts $title', async ({ body, found }) => {
  const { finds, serves } = await world();
  await finds('a:1', 'b:2');
  serves(answer(200, body));
  await finds(...found);
});

test('redacts secrets of its own URL in labels, but not in the address and path of a target', async () => {
  const [inPath, inQuery] = ['PATHSECRETPATHSECRET1', 'QUERY/SECRET/QUERY22'];
  const { finds, labels, serves } = await world(`/sd/${inPath}/list?key=${encodeURIComponent(inQuery)}`);
  await finds('a:1', 'b:2');
  const address = `https://h/${inPath}/node`;
  serves((request, response) => {
    const said = `${request.url} ${inQuery}`;
    answer(200, JSON.stringify([{ targets: [address], labels: { said, __path__: `/${inPath}` } }]))(request, response);
  });
  await finds(address);
  expect(labels(address)).toMatchObject({ __address__: address, __path__: `/${inPath}`, said: '/sd/***/list?key=*** ***' });
});
