// How often a node is polled whose responses are JSON of the wrong types: they are no reason to poll sooner.

import { expect, onTestFinished, test } from 'vitest';
import { dueAfter } from '../../src/poller/poll.ts';
import { serveHttp } from '../support/serve.ts';
import { watch } from '../support/watching.ts';

const [interval, seconds] = [30, 1200];

test.each([
  '[]',
  '{}',
  'null',
  '"healthy"',
  '{"checks":7,"healthy":"yes"}',
  '{"checks":{"network":{"timestamp":5,"duration":"x"}},"healthy":1}',
  '{"jsonrpc":"2.0","id":1,"result":{"nodeID":1,"index":{},"version":[],"validators":{"a":1}}}',
  '{"jsonrpc":2,"id":{},"result":"x"}',
])('a node that answers %s to everything is polled at its interval and not sooner', async (answer) => {
  let now = 1_800_000_000;
  const asked = new Map<string, number>();
  const node = await serveHttp((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => {
      body += chunk.toString();
    });
    request.on('end', () => {
      const what = `${request.url} ${/"method":"([^"]*)"/.exec(body)?.[1] ?? ''}`;
      asked.set(what, (asked.get(what) ?? 0) + 1);
      response.setHeader('content-type', 'application/json').end(answer);
    });
  });
  onTestFinished(() => node.close());
  const watching = watch(node.url, () => now, { healthCheckFrequency: interval });
  const end = now + seconds;
  let polls = 0;
  for (let due = now; due < end; polls += 1) {
    now = due;
    await watching.poll();
    due = dueAfter(watching.target(), { lastDue: now, lastStart: now, lastEnd: now, offset: 0, cause: 'due' });
  }
  expect(polls).toBeGreaterThan(seconds / interval / 2);
  expect(polls).toBeLessThanOrEqual(seconds / interval + 1);
  expect(asked.get('/ext/health ')).toBe(polls);
  for (const [what, times] of asked) expect(times, what).toBeLessThanOrEqual(polls);
});
