// The log of a target without a report: a warning at once if the URL is wrong, later if the node may be starting.

import { lookup as realLookup } from 'node:dns';
import { readFileSync } from 'node:fs';
import type { LookupFunction } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { listeningLog } from '../support/events.ts';
import { freePort } from '../support/free-port.ts';
import { roundsToSettle, startTestNode } from '../support/node.ts';
import { closedPort, type Served, serveAnswer, serveHttps, serveSocket } from '../support/serve.ts';
import { watch } from '../support/watching.ts';

const at = 1_800_000_000;
const tls = (name: string): Buffer => readFileSync(join(import.meta.dirname, '../fixtures/tls', name));

const urlOf = async (server: Promise<Served>, scheme?: string): Promise<string> => {
  const { url, close } = await server;
  onTestFinished(() => close());
  return scheme === undefined ? url : url.replace(/^https?/, scheme);
};

/** Fails as a DNS server does: a real one may take seconds for an unknown host. */
const lookup: LookupFunction = (host, options, callback) =>
  host.endsWith('.invalid')
    ? callback(Object.assign(new Error(`getaddrinfo ENOTFOUND ${host}`), { code: 'ENOTFOUND' }), '')
    : realLookup(host, options, callback);

/** Returns a function that polls the URL and returns the log lines of the poll. */
const polling = (url: string) => {
  let now = at;
  const { log, said } = listeningLog();
  const watching = watch(url, () => now, {}, { lookup }, { log });
  return async (seconds: number, patience: 'patient' | 'impatient' = 'patient') => {
    await watching.poll(patience);
    now += seconds;
    const lines = said.splice(0).map(({ level, message }) => `${level} ${message}`);
    return lines.filter((line) => /poll|response|not ready|report/.test(line));
  };
};

const answer = (status: number, body: string, headers = {}) => urlOf(serveAnswer(status, body, headers));
const secured = () => serveHttps({ key: tls('server.key'), cert: tls('server.crt') }, (_, response) => response.end());

test.each([
  { url: () => answer(302, '', { location: 'https://node.example/' }), says: 'HTTP status 302 at .*: a redirect to ' },
  { url: () => answer(403, 'Forbidden'), says: 'HTTP status 403 at ' },
  { url: () => answer(404, 'page not found'), says: 'HTTP status 404 at .*: is this a node' },
  { url: () => answer(200, '<html></html>'), says: 'the response is not JSON .* at ' },
  { url: () => urlOf(secured()), says: 'TLS failed .*: name its certificate authority' },
  { url: async () => 'http://node.invalid', says: 'name resolution failed .*ENOTFOUND.*: check the host name' },
  { url: () => urlOf(secured(), 'http'), says: 'connection reset .*: the port may speak TLS: try https://' },
  { url: () => urlOf(serveAnswer(200, '{}'), 'https'), says: 'TLS failed .*: the port does not speak TLS: use http://' },
])('the first poll logs one warning: $says', async ({ url, says }) => {
  const poll = polling(await url());
  expect(await poll(5)).toEqual([expect.stringMatching(new RegExp(`^warn first poll failed: ${says}`))]);
  for (let polls = 0; polls < 15; polls += 1) expect(await poll(5)).toEqual([]);
});

test('a node that starts a second after the exporter causes no warning', async () => {
  const httpPort = await freePort();
  const poll = polling(`http://127.0.0.1:${httpPort}`);
  expect(await poll(1)).toEqual([]);
  const node = await startTestNode({ httpPort }, undefined, at + 1);
  await node.ticks(roundsToSettle);
  expect(await poll(1)).toEqual(['info first poll succeeded']);
});

test('a port that stays closed for ten seconds causes one warning', async () => {
  const poll = polling(`http://127.0.0.1:${await closedPort()}`);
  for (let seconds = 0; seconds < 10; seconds += 1) expect(await poll(1)).toEqual([]);
  expect(await poll(1)).toEqual([expect.stringMatching(/^warn poll failed: connection refused /)]);
  expect(await poll(1)).toEqual([]);
});

test('a timeout or an HTTP status 500 causes a warning with the second poll', async () => {
  for (const url of [await urlOf(serveSocket(() => undefined)), await answer(500, '')]) {
    const poll = polling(url);
    expect(await poll(5, 'impatient')).toEqual([]);
    expect(await poll(5, 'impatient')).toEqual([
      expect.stringMatching(/^warn poll failed: (?:connected, but no response within|HTTP status 500)/),
    ]);
  }
});
