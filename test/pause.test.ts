// Every wait whose length somebody else says (Node.js fires a timer at once that is to wait for more than 24.8 days), and who begins in
// which turn of the event loop.

import { setImmediate as turn } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { every } from '../src/node/timers.ts';
import { createTaskQueue, doublingWait, pause, within, yieldToEventLoop } from '../src/pause.ts';

const days = 86_400;

test.each([
  {
    of: 'the checks of the embedded node',
    wait: (seconds: number, signal: AbortSignal) => every(seconds, async () => undefined, signal),
  },
  { of: 'whatever waits for a time', wait: pause },
])('a wait of 40 days of $of does not end at once', async ({ wait }) => {
  const warnings: string[] = [];
  const heard = ({ name }: Error): number => warnings.push(name);
  process.on('warning', heard);
  const stop = new AbortController();
  onTestFinished(() => {
    process.off('warning', heard);
    stop.abort();
  });
  const waiting = wait(40 * days, stop.signal);
  await turn();
  expect(warnings).toEqual([]);
  stop.abort();
  await waiting;
});

test('work that ends in time is what it comes to; work that does not is undefined, and a fault is a fault', async () => {
  expect(await within(Promise.resolve(7), 3600)).toBe(7);
  expect(await within(new Promise(() => undefined), 0)).toBeUndefined();
  await expect(within(Promise.reject(new Error('broken')), 3600)).rejects.toThrow('broken');
});

test('a wait doubles with each failure, up to its maximum, however many there are', () => {
  const waits = [1, 2, 3, 7, 8, 9, 40, 5000].map((failures) => doublingWait(failures, { first: 0.25, max: 30 }));
  expect(waits).toEqual([0.25, 0.5, 1, 16, 30, 30, 30, 30]);
});

test('one begins in a turn, and each queue has its turn after the others', async () => {
  const enqueue = createTaskQueue();
  const begun: string[] = [];
  const begins = (name: string) => (): void => void begun.push(name);
  for (const name of ['new-1', 'new-2', 'new-3', 'new-4']) enqueue(begins(name), { queue: 'new' });
  enqueue(begins('discovered-1'), { queue: 'discovered' });
  enqueue(begins('configured-1'), { queue: 'configured' });
  enqueue(begins('configured-2'), { queue: 'configured' });
  enqueue(begins('configured-0'), { queue: 'configured', isNext: true });
  expect(begun).toEqual(['new-1']);
  await yieldToEventLoop();
  expect(begun).toEqual(['new-1', 'new-2']);
  while (begun.length < 8) await yieldToEventLoop();
  expect(begun.slice(2)).toEqual(['discovered-1', 'configured-0', 'new-3', 'configured-1', 'new-4', 'configured-2']);
});
