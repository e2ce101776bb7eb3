// Requests due in the same turn of the event loop are not all sent in it: probes are answered in between.

import { expect, onTestFinished, test, vi } from 'vitest';
import { askerOf } from '../../src/client/ask.ts';
import { createBudget } from '../../src/client/budget.ts';
import { serveHttp } from '../support/serve.ts';

const serve = async () => {
  const asked: string[] = [];
  const node = await serveHttp(({ url = '' }, response) => {
    asked.push(url);
    response.end('{}');
  });
  onTestFinished(() => node.close());
  const budget = createBudget(0);
  /** A client per request, as each target has its own. */
  const ask = (path: string, options = {}) =>
    askerOf({ baseUrl: node.url, timeoutMs: 50_000, maxBodyBytes: 1000, userAgent: 'test' }, { budget }).ask(
      { path },
      () => true,
      options,
    );
  return { ask, asked };
};

test('requests to many nodes start eight per turn, in order', async () => {
  const { ask } = await serve();
  const sent: string[] = [];
  const paths = Array.from({ length: 20 }, (_, at) => `/${at}`);
  const answers = paths.map((path) => ask(path, { onSent: () => sent.push(path) }));
  const counts = [sent.length];
  while (sent.length < paths.length) {
    await new Promise<void>((resolve) => setImmediate(resolve));
    counts.push(sent.length);
  }
  expect(counts).toEqual([8, 16, 20]);
  expect(sent).toEqual(paths);
  for (const { end } of await Promise.all(answers)) expect(String(end)).toBe('{}');
});

test('a request that is aborted while it waits for its turn is not sent', async () => {
  const { ask, asked } = await serve();
  const stop = new AbortController();
  const first = Array.from({ length: 8 }, (_, at) => ask(`/${at}`));
  const last = ask('/last', { signal: stop.signal });
  stop.abort();
  expect((await last).end).toEqual({ kind: 'network', reason: 'aborted' });
  await Promise.all(first);
  await ask('/after');
  expect(asked).not.toContain('/last');
  expect(asked).toContain('/after');
});

test('the deadline does not run while a request waits for its turn: our delay is not a fault of the node', async () => {
  const { ask } = await serve();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const first = Array.from({ length: 8 }, (_, at) => ask(`/${at}`));
  const late = ask('/late', { timeoutMs: 1000 });
  // Before its turn, because timers run first after a long turn of the event loop.
  vi.advanceTimersByTime(1100);
  expect(String((await late).end)).toBe('{}');
  await Promise.all(first);
});
