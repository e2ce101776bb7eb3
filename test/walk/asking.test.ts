// Which failed requests are retried, how often and after which wait; and that aborting the walk ends the wait.

import { expect, test } from 'vitest';
import type { Failure, Outcome } from '../../src/client/outcome.ts';
import type { IndexQuestion } from '../../src/walk/asking.ts';
import { askingAt } from '../support/index-server.ts';

/** Nothing listens there: the requests of these tests answer themselves. */
const nowhere = 'http://127.0.0.1:9';

/** A request with these answers, which counts how often it is sent. */
const question = (answer: (nth: number) => Outcome<string>) => {
  let times = 0;
  const ask: IndexQuestion<string> = async () => {
    times += 1;
    return { outcome: answer(times), sentAt: 0, endedAt: 0 };
  };
  return { ask, times: () => times };
};

const rpc = (message: string, code = -32_000): Failure => ({ kind: 'rpc-error', code, message });
const status = (code: number): Failure => ({ kind: 'http-status', status: code });

test.each<{ failure: Failure; times: number }>([
  { failure: { kind: 'refused', reason: 'ECONNREFUSED' }, times: 3 },
  { failure: { kind: 'reset', reason: 'ECONNRESET' }, times: 3 },
  { failure: { kind: 'dns', reason: 'ENOTFOUND' }, times: 3 },
  { failure: { kind: 'timeout', afterMs: 5000 }, times: 3 },
  { failure: { kind: 'network', reason: 'EPIPE' }, times: 3 },
  { failure: { kind: 'not-json', reason: 'Unexpected token' }, times: 3 },
  { failure: status(500), times: 3 },
  { failure: status(503), times: 3 },
  { failure: status(408), times: 3 },
  { failure: status(429), times: 3 },
  { failure: rpc('database closed'), times: 3 },
  { failure: status(404), times: 1 },
  { failure: status(400), times: 1 },
  { failure: status(403), times: 1 },
  { failure: { kind: 'tls', reason: 'certificate has expired' }, times: 1 },
  { failure: { kind: 'too-large', bound: 'bytes', limit: 7 }, times: 1 },
  { failure: { kind: 'malformed', reason: 'result: expected an array' }, times: 1 },
  { failure: rpc('not found'), times: 1 },
  { failure: rpc('database closed', -32_601), times: 1 },
])('a request that fails with $failure is sent $times times', async ({ failure, times }) => {
  const { asking, retries } = askingAt(nowhere, { tries: 3 });
  const asked = question(() => failure);
  expect(await asking.ask(asked.ask)).toEqual({ kind: 'failed', failure });
  expect([asked.times(), retries]).toEqual([times, Array(times - 1).fill(failure)]);
});

test('404 is retried once the node has answered: it restarts and creates its chain', async () => {
  const { asking } = askingAt(nowhere, { tries: 3 });
  const asked = question((nth) => (nth === 2 ? status(404) : { kind: 'ok', value: 'an answer' }));
  for (let round = 0; round < 2; round += 1) expect(await asking.ask(asked.ask)).toEqual({ kind: 'ok', value: 'an answer' });
  expect(asked.times()).toBe(3);
});

test('a failure that the caller handles itself is not retried', async () => {
  const { asking, retries } = askingAt(nowhere, { tries: 3 });
  const asked = question((nth) => (nth === 1 ? status(503) : { kind: 'timeout', afterMs: 5000 }));
  expect(await asking.ask(asked.ask, ({ kind }) => kind === 'timeout')).toMatchObject({ failure: { kind: 'timeout' } });
  expect([asked.times(), retries]).toEqual([2, [status(503)]]);
});

test('an abort during a request prevents the next one; an abort during a wait ends the wait', async () => {
  const during = askingAt(nowhere, { tries: 9 });
  const asked = question(() => {
    during.abort();
    return status(503);
  });
  expect(await during.asking.ask(asked.ask)).toMatchObject({ kind: 'failed' });
  expect(asked.times()).toBe(1);

  const pausing = askingAt(nowhere, { tries: 9, backoff: () => 3600 });
  const again = question((nth) => (nth === 1 ? status(503) : { kind: 'network', reason: 'aborted' }));
  const answered = pausing.asking.ask(again.ask);
  await expect.poll(again.times).toBe(1);
  pausing.abort();
  expect(await answered).toEqual({ kind: 'failed', failure: { kind: 'network', reason: 'aborted' } });
});

test('a short wait after one failure does not end the long wait after another', async () => {
  const { asking, abort } = askingAt(nowhere, { tries: 9, backoff: (failures) => (failures === 1 ? 0 : 3600) });
  let fail: () => void = () => undefined;
  const failing = new Promise<void>((resolve) => {
    fail = resolve;
  });
  let late = 0;
  const other = asking.ask(async () => {
    late += 1;
    await failing;
    return { outcome: status(503), sentAt: 0, endedAt: 0 };
  });
  const first = question(() => status(503));
  const asked = asking.ask(first.ask);
  await expect.poll(first.times).toBe(2);
  fail();
  for (let turn = 0; turn < 100; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  expect([first.times(), late]).toEqual([2, 1]);
  abort();
  await Promise.all([asked, other]);
});

test('after a back-off, requests are sent at the rate again', async () => {
  const { asking } = askingAt(nowhere, { tries: 2, rate: 20, backoff: () => 0.1 });
  const sent: number[] = [];
  const asked = question((nth) => {
    sent.push(performance.now());
    return nth === 1 ? status(503) : { kind: 'ok', value: 'an answer' };
  });
  await Promise.all([1, 2, 3, 4].map(() => asking.ask(asked.ask)));
  const [failed = 0] = sent;
  // A timer of Node.js may fire a millisecond early.
  expect((sent.at(-1) ?? 0) - failed).toBeGreaterThan(100 + 3 * 50 - 5);
});
