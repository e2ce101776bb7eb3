// Secrets of a request that are found again in a response.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import { echoesOf } from '../../src/client/echoes.ts';
import { serveHttps } from '../support/serve.ts';

const tls = (name: string): string => join(import.meta.dirname, '../fixtures/tls', name);

const key = '0f3a9c1be77d4402';
const basic = `Basic ${Buffer.from('user:pässword/1').toString('base64')}`;

test.each([
  { what: 'a token', authorization: 'Bearer tok3n-tok3n', text: 'a tok3n-tok3n b', shown: 'a *** b' },
  { what: 'the whole header', authorization: 'Bearer tok3n-tok3n', text: 'a Bearer tok3n-tok3n b', shown: 'a *** b' },
  { what: 'the base64 of Basic credentials', authorization: basic, text: `a ${basic.slice(6)} b`, shown: 'a *** b' },
  { what: 'the password of Basic credentials', authorization: basic, text: 'a pässword/1 b', shown: 'a *** b' },
  {
    what: 'the percent-encoded password',
    authorization: basic,
    text: `a ${encodeURIComponent('pässword/1')} b`,
    shown: 'a *** b',
  },
  { what: 'a key in JSON', headers: { 'X-Api-Key': 'quote"d-key' }, text: 'a quote\\"d-key b', shown: 'a *** b' },
  {
    what: 'a key in JSON written by Go',
    headers: { 'X-Api-Key': 'a<b>&seé/key' },
    text: 'a\\u003cb\\u003e\\u0026seé/key b',
    shown: '*** b',
  },
  {
    what: 'a key in JSON written by Python',
    headers: { 'X-Api-Key': 'a<b>&seé/key' },
    text: 'a<b>&se\\u00e9/key b',
    shown: '*** b',
  },
  {
    what: 'a key in JSON written by PHP',
    headers: { 'X-Api-Key': 'a<b>&seé/key' },
    text: 'a<b>&se\\u00e9\\/key b',
    shown: '*** b',
  },
  { what: 'a key in HTML', headers: { 'X-Api-Key': 'a<b>&see/key' }, text: 'a&lt;b&gt;&amp;see/key b', shown: '*** b' },
  { what: 'a part of a cookie', headers: { Cookie: 'a=b; s=abcdefgh' }, text: 'a abcdefgh b', shown: 'a *** b' },
  {
    what: 'the key in a path, decoded',
    path: '/v2/Key%7CMarked+Zz%2F98765/x',
    text: 'a /v2/Key|Marked+Zz/98765 and /v2/Key%7CMarked+Zz%2F98765 b',
    shown: 'a /v2/*** and /v2/*** b',
  },
  {
    what: 'the key in a path that was encoded twice',
    path: '/v2/Key%257CMarked+Zz%252F98765/x',
    text: 'a Key|Marked+Zz/98765, Key%7CMarked+Zz%2F98765 and Key%257CMarked+Zz%252F98765 b',
    shown: 'a ***, *** and *** b',
  },
  {
    what: 'a key in a path with the length and the letters of an id',
    path: '/v2/4vJ9JU1bJJE96FWSJKvHsmmFADCg4gpZQff4P3bkLKiQ',
    text: 'a 4vJ9JU1bJJE96FWSJKvHsmmFADCg4gpZQff4P3bkLKiQ b',
    shown: 'a *** b',
  },
  { what: 'a token of digits', authorization: 'Bearer 12345678', text: 'a 12345678 b', shown: 'a *** b' },
  { what: 'a password of digits', authorization: `Basic ${btoa('user:12345678')}`, text: 'a 12345678 b', shown: 'a *** b' },
  {
    what: 'a key of digits in an equal JSON number',
    headers: { 'X-Key': '12345678' },
    text: '{"a":12345678}',
    shown: '{"a":***}',
  },
  { what: 'a key of digits after a word', headers: { 'X-Key': 'Key 12345678' }, text: 'a 12345678 b', shown: 'a *** b' },
  { what: 'a key of digits in a URL', headers: { 'X-Key': '12345678' }, text: 'a%2012345678 b', shown: 'a%20*** b' },
  {
    what: 'a long number in a cookie',
    headers: { Cookie: 'a=b; s=1234567890123456' },
    text: 'a 1234567890123456 b',
    shown: 'a *** b',
  },
  {
    what: 'a short number in a cookie',
    headers: { Cookie: 'sid=44556677; k=a' },
    text: 'a 44556677 b',
    shown: 'a *** b',
  },
  { what: 'a key of digits in a path', path: '/v2/1234567890123456', text: 'a 1234567890123456 b', shown: 'a *** b' },
  { what: 'the key in a path', path: `/v2/${key}/x`, text: `a /v2/${key}/x b`, shown: 'a /v2/***/x b' },
])('$what is redacted', ({ authorization, headers = {}, path = '', text, shown }) => {
  const { inText, inBody } = echoesOf({ baseUrl: `https://h${path}`, headers }, authorization);
  expect(inText(text)).toBe(shown);
  expect(inBody(Buffer.from(`\u2603${text}`)).toString()).toBe(`\u2603${shown}`);
});

test.each([
  { what: 'a header that is not a secret', headers: { 'X-Region': 'eu-central-1' }, text: 'eu-central-1' },
  { what: 'a short token', authorization: 'Bearer abc', text: 'abc' },
  {
    what: 'a number in a part of a header, which may be a time',
    headers: { 'X-Api-Key': 'a=b; t=123456789012345' },
    text: '{"time":123456789012345}',
  },
  {
    what: 'a NodeID in a path',
    path: '/NodeID-7Xhw2mDxuDS44j42TCB6U5579esbSt3Lg',
    text: 'NodeID-7Xhw2mDxuDS44j42TCB6U5579esbSt3Lg',
  },
  {
    what: 'a subnet in a path',
    path: '/2bRCr6B4MiEfSjidDwxDpdCyviwnfUVqB2HGwhm947w9YYqb7r',
    text: '2bRCr6B4MiEfSjidDwxDpdCyviwnfUVqB2HGwhm947w9YYqb7r',
  },
  { what: 'a word in a path', path: '/nodes/mainnet', text: 'nodes mainnet' },
])('$what is not redacted', ({ authorization, headers = {}, path = '', text }) => {
  const { inText, inBody } = echoesOf({ baseUrl: `https://h${path}`, headers }, authorization);
  const body = Buffer.from(text);
  expect(inText(text)).toBe(text);
  expect(inBody(body)).toBe(body);
});

test('a JSON number is kept even if it contains the digits of a key; strings are redacted', () => {
  const { inBody } = echoesOf({ baseUrl: 'https://h', headers: { 'X-Api-Key': '00000000' } }, undefined);
  const body = ' {"a\\\\":250000000000,"b":"x\\" 00000000","c":[100000000,"00000000';
  expect(inBody(Buffer.from(body)).toString()).toBe(' {"a\\\\":250000000000,"b":"x\\" ***","c":[100000000,"***');
});

test('a credential that appears in a certificate is redacted in the failure and in the trace', async () => {
  const node = await serveHttps(
    { key: readFileSync(tls('wrong-name.key')), cert: readFileSync(tls('wrong-name.crt')) },
    (_, response) => response.end(),
  );
  onTestFinished(() => node.close());
  const traced: unknown[] = [];
  // The name in the certificate.
  const headers = { 'X-Api-Key': 'elsewhere.invalid' };
  const options = {
    baseUrl: node.url,
    headers,
    tls: { caFile: tls('ca.crt') },
    timeoutMs: 50_000,
    maxBodyBytes: 1000,
    userAgent: 'test',
  };
  const client = createClient(options, () => 0, { onTraced: (one) => traced.push(one) });
  onTestFinished(() => client.close());
  const { outcome } = await client.health([]);
  const all = JSON.stringify({ outcome, traced });
  expect(all).toContain('ALTNAME');
  expect(all).toContain('***');
  expect(all).not.toContain('elsewhere.invalid');
});
