// Which report shows when the node runs its checks, and how soon a node that is about to report is polled again.

import { expect, onTestFinished, test } from 'vitest';
import { recoveryPollDelay } from '../../src/snapshot/process.ts';
import { stallOf } from '../../src/sources/stall.ts';
import { serveHttp } from '../support/serve.ts';
import { watch } from '../support/watching.ts';

const at = 1_800_000_000;
const tag = '2bRCr6B4MiEfSjidDwxDpdCyviwnfUVqB2HGwhm947w9YYqb7r';

test('a tag set shows that checks have stopped when the untagged report is not available', async () => {
  let now = at;
  const run = { timestamp: new Date(at * 1000).toISOString(), duration: 5000 };
  const node = await serveHttp((request, response) => {
    const { searchParams, pathname } = new URL(request.url ?? '/', 'http://node');
    const tagged = searchParams.getAll('tag');
    response.setHeader('date', new Date(now * 1000).toUTCString());
    // Like a node with a plugin whose details cannot be encoded.
    if (pathname === '/ext/health' && tagged.length === 0) {
      response.writeHead(503).end();
      return;
    }
    const own = tagged.includes(tag) ? { mine: run } : {};
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ checks: { network: run, ...own }, healthy: true }));
  });
  onTestFinished(() => node.close());
  const tagSets = [
    { name: 'all', tags: [] },
    { name: 'mine', tags: [tag] },
  ];
  const watching = watch(node.url, () => now, { tagSets, indexes: [], healthCheckFrequency: 30 });
  for (let polls = 0; polls < 3; polls += 1) {
    await watching.poll();
    now += 30;
  }
  expect(watching.conditions().ready.get('mine')?.status).toBe('True');

  now = at + 901;
  await watching.poll();
  expect(stallOf(watching.target(), now)).toMatchObject({ frozen: true });
  expect(watching.conditions().ready.get('mine')).toMatchObject({ status: 'Unknown', reason: 'HealthFrozen' });
  expect(watching.conditions().healthy.get('mine')).toMatchObject({ status: 'Unknown', reason: 'HealthFrozen' });
});

const gone = { state: 'gone', failure: { kind: 'refused', reason: 'ECONNREFUSED' }, since: at } as const;

test.each([
  { process: { state: 'unseen' } as const, after: 100, wait: undefined },
  { process: { state: 'reported' } as const, after: 100, wait: undefined },
  { process: gone, after: 60, wait: 1 },
  { process: gone, after: 300, wait: 5 },
  { process: gone, after: 100_000, wait: 30 },
  { process: { state: 'starting', since: at } as const, after: 5, wait: 1 },
  { process: { state: 'starting', since: at } as const, after: 100, wait: 10 },
  { process: { state: 'starting', since: at } as const, after: 100_000, wait: 30 },
  { process: gone, after: 100_000, interval: 3600, wait: 60 },
  { process: { state: 'starting', since: at } as const, after: 100_000, interval: 3600, wait: 3600 },
])(
  'a node whose process is $process.state is polled again after $wait s when $after s have passed',
  ({ process, after, interval = 30, wait }) => {
    expect(recoveryPollDelay(process, interval, at + after)).toBe(wait);
  },
);
