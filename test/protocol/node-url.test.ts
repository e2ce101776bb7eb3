// The URL of a node: what is wrong with it, and which part of any URL may be shown.

import { expect, test } from 'vitest';
import { nodeUrlFault, shownUrl, storedUrl } from '../../src/protocol/node-url.ts';

test.each([
  'http://127.0.0.1:9650',
  'https://proxy.example/nodes/a/',
  'http://[::1]:9650',
  'http://h/external/health',
  'http://h/ext/of-a-proxy/x',
  'http://h/next/health',
])('%s can be used', (url) => {
  expect(nodeUrlFault(url)).toBeUndefined();
});

test.each([
  ['http://h/ext', '/ext', '/ext'],
  ['http://h:1/ext/health/readiness', '/ext/health', '/ext/health and everything after it'],
  ['http://h/ext/info', '/ext/info', '/ext/info'],
  ['http://h:9650/proxy//ext/info/', '/ext/info', '/ext/info'],
  ['http://h/p/ext/index/X/block', '/ext/index', '/ext/index and everything after it'],
  ['https://h/ext/bc/C/rpc', '/ext/bc', '/ext/bc and everything after it'],
  ['http://h/ext/P', '/ext/P', '/ext/P'],
])('%s holds %s: remove %s', (url, holds, remove) => {
  expect(nodeUrlFault(url)).toBe(`contains ${holds}, a path of the node's API: remove ${remove} from the URL`);
});

test('a query is reported before the path', () => {
  expect(nodeUrlFault('http://h:1/ext/health?tag=a')).toBe('has a query or a fragment: remove everything from the ? or # on');
});

test('port 0 is rejected', () => {
  expect(nodeUrlFault('http://h:0')).toBe('has the port 0: write the port of the node');
});

test.each([
  ['of slashes', `http://h${'/'.repeat(70_000)}x`],
  ['of letters', 'h'.repeat(70_000)],
  ['with a password', `http://u:s3cret@h/${'x'.repeat(70_000)}`],
])('a URL of 70 KB %s is too long, and none of it is shown', (_, url) => {
  expect(nodeUrlFault(url)).toBe('is longer than 2048 characters');
});

test.each([`http://h${'/'.repeat(2000)}x`, 'h'.repeat(2048)])(
  'a URL of maximum length is checked within 1.5 ms, case %#',
  (url) => {
    // The fastest of many: a busy machine interrupts some.
    const times = Array.from({ length: 1000 }, () => {
      const before = performance.now();
      nodeUrlFault(url);
      return performance.now() - before;
    });
    expect(Math.min(...times)).toBeLessThan(1.5);
  },
);

test.each(['http://u:s3cret@h', 'http://s3cret@h/ext/health', 'http:///\tu:s3cret@h', 'https:u:s3cret@h', 'u:s3cret@h'])(
  'the error for %j does not show it',
  (url) => {
    expect(nodeUrlFault(url)).toMatch(/^contains a user or a password/);
    expect(nodeUrlFault(url)).not.toContain('s3cret');
  },
);

test.each([
  ['https://u:s3cret@h:1/?s3cret=1#s3cret', undefined, 'https://h:1'],
  ['https://h/v2/s3cret', undefined, 'https://h/…'],
  ['../c?s3cret', 'http://h/a/b', 'http://h/…'],
  ['//u:s3cret@other', 'https://h/a', 'https://other'],
  ['/a\u202e\nb', 'http://h', 'http://h/…'],
  ['data:s3cret', 'http://h', ''],
  ['http://', undefined, ''],
])('%j relative to %s is shown as %s', (url, base, shown) => {
  expect(shownUrl(url, base)).toBe(shown);
});

test('on disk a URL without a path is kept, and one with a path is reduced to a distinguishing hash', () => {
  const stored = storedUrl('https://h/v2/s3cret');
  expect(storedUrl('https://h:1')).toBe('https://h:1');
  expect(stored).toMatch(/^https:\/\/h\/… [0-9a-f]{32}$/);
  expect(stored).not.toBe(storedUrl('https://h/v2/s3cret2'));
});
