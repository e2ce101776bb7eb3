// How many TLS handshakes of an address are under way, and who makes room.

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

test('two of an address are under way; of those that wait the newest is next', () => {
  const { begun, open, leave } = opened();
  const first = open('first');
  for (const name of ['second', 'third', 'fourth']) open(name);
  open('of another', 'b');
  expect(begun).toEqual(['first', 'second', 'of another']);
  leave('a', first);
  expect(begun.at(-1)).toBe('fourth');
});

test('one that takes longer than a second ends where another waits, and only there', async () => {
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

test('one that goes while it waits leaves its place to others', async () => {
  const { begun, open, leave } = opened();
  const first = open('first');
  open('second');
  open('third');
  const gone = open('gone').destroy();
  await new Promise((resolve) => gone.once('close', resolve));
  leave('a', first);
  expect(begun).toEqual(['first', 'second', 'third']);
});
