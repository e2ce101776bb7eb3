// Waits of a configured length (Node.js fires a timer of more than 24.8 days at once), and the order in which queued
// tasks start.

import { setImmediate as turn } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { every } from '../src/node/timers.ts';
import { createTaskQueue, doublingWait, oneAtATime, pause, within, yieldToEventLoop } from '../src/pause.ts';

const days = 86_400;

test.each([
  {
    of: 'the checks of the embedded node',
    wait: (seconds: number, signal: AbortSignal) => every(seconds, async () => undefined, signal),
  },
  { of: 'pause()', wait: pause },
])('a wait of 40 days does not end at once: $of', async ({ wait }) => {
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

test('within() returns the result in time, undefined after the timeout, and passes errors on', async () => {
  expect(await within(Promise.resolve(7), 3600)).toBe(7);
  expect(await within(new Promise(() => undefined), 0)).toBeUndefined();
  await expect(within(Promise.reject(new Error('broken')), 3600)).rejects.toThrow('broken');
});

test('a wait doubles with each failure, up to its maximum, however many there are', () => {
  const waits = [1, 2, 3, 7, 8, 9, 40, 5000].map((failures) => doublingWait(failures, { first: 0.25, max: 30 }));
  expect(waits).toEqual([0.25, 0.5, 1, 16, 30, 30, 30, 30]);
});

test('queued jobs run one after the other, also after one has failed', async () => {
  const order: string[] = [];
  let goOn: () => void = () => undefined;
  const inTurn = oneAtATime();
  const work = (name: string, body: () => Promise<void> | undefined) =>
    inTurn(async () => {
      order.push(`${name} begins`);
      await body();
      order.push(`${name} ends`);
    });
  const turns = [
    work('first', () => new Promise<void>((resolve) => (goOn = resolve))),
    work('second', () => Promise.reject(new Error('the second failed'))),
    work('third', () => undefined),
  ];
  await expect.poll(() => order).toEqual(['first begins']);
  goOn();
  const ended = await Promise.allSettled(turns);
  expect(order).toEqual(['first begins', 'first ends', 'second begins', 'third begins', 'third ends']);
  expect(ended.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
});

test('one task starts per iteration of the event loop, and the queues take turns', async () => {
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
