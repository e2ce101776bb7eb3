// When a target that refuses connections is watched as down.

import type { LookupFunction } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createConnectionCheck, takesConnections } from '../../src/discovery/connection-check.ts';
import { yieldToEventLoop } from '../../src/pause.ts';
import { closedPort } from '../support/serve.ts';
import { until } from '../support/until.ts';

/** Checks targets of which those in `refusing` refuse connections, and those in `silent` do not respond. */
const checking = (refusing: ReadonlySet<string>, silent: ReadonlySet<string> = new Set()) => {
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  let now = 1000;
  const asked: string[] = [];
  const check = createConnectionCheck({
    answers: (url) => {
      asked.push(url);
      const { hostname } = new URL(url);
      return silent.has(hostname) ? new Promise(() => undefined) : Promise.resolve(!refusing.has(hostname));
    },
    now: () => now,
    signal: stop.signal,
    changed: () => undefined,
    retrySeconds: 0.01,
  });
  /** Resolves once `name` has been checked again with the current targets. */
  const retried = async (name: string): Promise<void> => {
    const times = (): number => asked.filter((url) => new URL(url).hostname === name).length;
    const before = times();
    await until(`${name} is asked again`, async () => check.isAdmitted(name) === true || times() > before + 2);
  };
  return {
    ...check,
    retried,
    find: (...names: readonly string[]): void =>
      check.update(names.map((name) => ({ found: { name, url: `http://${name}:9650` } }))),
    pass: (seconds: number): void => {
      now += seconds;
    },
  };
};

test('watches a minority that refuses at the start of snowgauge as down after one minute', async () => {
  const { find, pass, retried, isAdmitted } = checking(new Set(['a']));
  find('a', 'b', 'c');
  await retried('a');
  pass(59);
  await retried('a');
  expect(['a', 'b', 'c'].map(isAdmitted)).toEqual([false, true, true]);
  pass(1);
  await retried('a');
  expect(isAdmitted('a')).toBe(true);
});

test('watches a target that is discovered later and refuses as down after ten minutes', async () => {
  const { find, pass, retried, isAdmitted } = checking(new Set(['a']));
  find('b', 'c');
  pass(60);
  find('a', 'b', 'c');
  await retried('a');
  pass(599);
  await retried('a');
  expect(isAdmitted('a')).toBe(false);
  pass(1);
  await retried('a');
  expect(isAdmitted('a')).toBe(true);
});

test('never watches targets that refuse if at least half of them do', async () => {
  const { find, pass, retried, isAdmitted } = checking(new Set(['a', 'b']));
  find('a', 'b', 'c', 'd');
  pass(10_000);
  await retried('a');
  expect(['a', 'b', 'c', 'd'].map(isAdmitted)).toEqual([false, false, true, true]);
});

test('counts targets that are not checked yet as refusing', async () => {
  const { find, pass, retried, isAdmitted } = checking(new Set(['a']), new Set(['b']));
  find('a', 'b', 'c');
  pass(10_000);
  await retried('a');
  expect(isAdmitted('a')).toBe(false);
});

test('counts targets that have refused as refusing while they are checked again', async () => {
  const silent = new Set<string>();
  const { find, pass, retried, isAdmitted } = checking(new Set(['a', 'b']), silent);
  find('a', 'b', 'c');
  await retried('a');
  silent.add('a');
  pass(10_000);
  await retried('b');
  expect(isAdmitted('b')).toBe(false);
});

const renamed = ['new', 'b', 'c'].map((name) => ({ found: { name, url: `http://${name.replace('new', 'a')}:9650` } }));

test('still watches a target that is down when a reload gives it another name', async () => {
  const refusing = new Set<string>();
  const { find, update, reloaded, retried, isAdmitted } = checking(refusing);
  find('a', 'b', 'c');
  await retried('a');
  refusing.add('a');
  reloaded();
  update(renamed);
  expect(isAdmitted('new')).toBe(true);
});

test.each([
  { with: 'its name', address: 'http://elsewhere:9650', name: 'a' },
  { with: 'its address', address: 'http://a:9650', name: 'validators.a' },
])('still watches a target that is down when a reload moves it to a source that finds it later, with $with', async (one) => {
  const refusing = new Set(['elsewhere']);
  const { find, update, reloaded, retried, isAdmitted, pass } = checking(refusing);
  find('a', 'b', 'c');
  await retried('a');
  refusing.add('a');
  const moved = [{ found: { name: one.name, url: one.address } }];
  reloaded();
  find();
  pass(59);
  update(moved);
  expect(isAdmitted(one.name)).toBe(true);
  find();
  pass(1);
  update(moved);
  expect(isAdmitted(one.name)).toBe(undefined);
});

test('does not watch a new pod that refuses, although it has the address of one that was watched', async () => {
  const refusing = new Set<string>();
  const { find, update, reloaded, pass, retried, isAdmitted } = checking(refusing);
  reloaded();
  pass(60);
  find('a', 'b', 'c');
  await retried('a');
  refusing.add('a');
  update(renamed);
  await retried('a');
  expect(isAdmitted('new')).toBe(false);
});

test('watches a target that refuses as down ten minutes after it was discovered, also with another name', async () => {
  const { find, update, reloaded, pass, retried, isAdmitted } = checking(new Set(['a']));
  find('b', 'c');
  pass(60);
  find('a', 'b', 'c');
  await retried('a');
  pass(599);
  reloaded();
  update(renamed);
  await retried('a');
  expect(isAdmitted('new')).toBe(false);
  pass(1);
  await until('it counts as down', async () => isAdmitted('new') === true);
});

test.each([
  { of: 'an address that refuses', addresses: ['127.0.0.1'] },
  // A link-local address without an interface is unreachable.
  { of: 'one that is unreachable and one that refuses', addresses: ['fe80::1', '127.0.0.1'] },
  { of: 'one that refuses and one that is unreachable', addresses: ['127.0.0.1', 'fe80::1'] },
])('a name with $of refuses', async ({ addresses }) => {
  const lookup: LookupFunction = (_host, _options, done) =>
    done(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
  const { signal } = new AbortController();
  expect(await takesConnections(`http://node.example:${await closedPort()}`, signal, lookup)).toBe(false);
});

test('a connection that was refused while the exporter stalled has not timed out', async () => {
  const url = `http://127.0.0.1:${await closedPort()}`;
  // The timers of the next iteration of the event loop run before its input.
  await yieldToEventLoop();
  const taken = takesConnections(url, new AbortController().signal, undefined, 1);
  // The socket connects in the next tick.
  await new Promise<void>((resolve) => process.nextTick(resolve));
  const stalledUntil = performance.now() + 50;
  while (performance.now() < stalledUntil);
  expect(await taken).toBe(false);
});
