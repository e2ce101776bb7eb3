// The URL of a node: what is wrong with one, and what of any URL may be shown.

import { expect, test } from 'vitest';
import { nodeUrlFault, publicUrl } from '../../src/protocol/node-url.ts';

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
  ['http://h/ext', '/ext', 'http://h'],
  ['http://h:1/ext/health?tag=a', 'query', ''],
  ['http://h:1/ext/health/readiness', '/ext/health', 'http://h:1'],
  ['http://h/ext/info', '/ext/info', 'http://h'],
  ['http://h/p/ext/index/X/block', '/ext/index', 'http://h/p'],
  ['https://h/ext/bc/C/rpc', '/ext/bc', 'https://h'],
  ['http://h/ext/P', '/ext/P', 'http://h'],
])('%s holds %s: write %s', (url, holds, write) => {
  const fault = nodeUrlFault(url);
  expect(fault).toContain(holds);
  expect(fault?.endsWith(write === '' ? 'on' : `write ${write}`)).toBe(true);
});

test.each(['http://u:s3cret@h', 'http://s3cret@h/ext/health', 'http:///\tu:s3cret@h', 'https:u:s3cret@h', 'u:s3cret@h'])(
  'of %j nothing is shown',
  (url) => {
    expect(nodeUrlFault(url)).toMatch(/^holds a user or a password/);
    expect(nodeUrlFault(url)).not.toContain('s3cret');
  },
);

test.each([
  ['https://u:s3cret@h:1/a/b?s3cret=1#s3cret', undefined, 'https://h:1/a/b'],
  ['../c?s3cret', 'http://h/a/b', 'http://h/c'],
  ['//u:s3cret@other', 'https://h/a', 'https://other/'],
  ['/a\u202e\nb', 'http://h', 'http://h/a%E2%80%AEb'],
  ['data:s3cret', 'http://h', undefined],
  ['http://', undefined, undefined],
])('of %j, relative to %s, %s may be shown', (url, base, shown) => {
  expect(publicUrl(url, base)).toBe(shown);
});
