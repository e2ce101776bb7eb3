// The limit of concurrent TLS handshakes per client address.

import { Socket } from 'node:net';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { handshakeSlots } from '../../src/server/handshake-slots.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
});

const opened = () => {
  const { enter, leave } = handshakeSlots();
  const begun: string[] = [];
  const open = (name: string, address = 'a'): Socket => {
    const socket = new Socket();
    socket.once('close', () => leave(address, socket));
    enter(address, socket, () => void begun.push(name));
    return socket;
  };
  return { begun, open, leave };
};

test('two handshakes of an address run at a time, and the newest waiting one is next', () => {
  const { begun, open, leave } = opened();
  const first = open('first');
  for (const name of ['second', 'third', 'fourth']) open(name);
  open('of another', 'b');
  expect(begun).toEqual(['first', 'second', 'of another']);
  leave('a', first);
  expect(begun.at(-1)).toBe('fourth');
});

test('a handshake that takes longer than a second is ended only if another one waits', async () => {
  const { begun, open } = opened();
  const [first, second] = [open('first'), open('second')];
  vi.advanceTimersByTime(2000);
  expect([first.destroyed, second.destroyed]).toEqual([false, false]);
  open('third');
  expect([first.destroyed, second.destroyed]).toEqual([true, false]);
  await vi.waitFor(() => expect(begun).toContain('third'));
  const fourth = open('fourth');
  expect(second.destroyed).toBe(true);
  await vi.waitFor(() => expect(begun).toContain('fourth'));
  open('fifth');
  expect(fourth.destroyed).toBe(false);
  vi.advanceTimersByTime(1000);
  expect(fourth.destroyed).toBe(true);
});

test('a connection whose handshake has ended stays open while others wait', () => {
  const { open, leave } = opened();
  const [first, second] = [open('first'), open('second')];
  leave('a', first);
  open('third');
  open('fourth');
  vi.advanceTimersByTime(1000);
  expect([first.destroyed, second.destroyed]).toEqual([false, true]);
});

test('a client that disconnects while it waits leaves the queue', async () => {
  const { begun, open, leave } = opened();
  const first = open('first');
  open('second');
  open('third');
  const gone = open('gone').destroy();
  await new Promise((resolve) => gone.once('close', resolve));
  leave('a', first);
  expect(begun).toEqual(['first', 'second', 'third']);
});
