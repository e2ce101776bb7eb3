// Requests that are due in the same turn of the event loop are not all sent in it: probes are answered in between.

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
  /** Each is asked by a client of its own, as each target is. */
  const ask = (path: string, options = {}) =>
    askerOf({ baseUrl: node.url, timeoutMs: 50_000, maxBodyBytes: 1000, userAgent: 'test' }, { budget }).ask(
      { path },
      () => true,
      options,
    );
  return { ask, asked };
};

test('of the requests to many nodes eight begin in a turn, in their order', async () => {
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

test('one that is called off while it waits for its turn is not sent', async () => {
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

test('while one waits for its turn its deadline does not run: that we are slow is no fault of the node', async () => {
  const { ask } = await serve();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const first = Array.from({ length: 8 }, (_, at) => ask(`/${at}`));
  const late = ask('/late', { timeoutMs: 1000 });
  // Before its turn, as timers come first where one of the event loop takes long.
  vi.advanceTimersByTime(1100);
  expect(String((await late).end)).toBe('{}');
  await Promise.all(first);
});
