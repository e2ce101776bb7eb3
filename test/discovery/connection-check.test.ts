// When a target that refuses connections is taken for one that is down.

import { expect, onTestFinished, test } from 'vitest';
import { createConnectionCheck } from '../../src/discovery/connection-check.ts';
import { until } from '../support/until.ts';

/** Over targets of these names, of which `refusing` refuse. */
const checking = (refusing: ReadonlySet<string>) => {
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  let now = 1000;
  const asked: string[] = [];
  const check = createConnectionCheck({
    answers: (url) => {
      asked.push(url);
      return Promise.resolve(!refusing.has(new URL(url).hostname));
    },
    now: () => now,
    signal: stop.signal,
    changed: () => undefined,
    retrySeconds: 0.01,
  });
  /** By now each that refuses has been asked again, as so many as there are now. */
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

test('few that refuse when snowgauge starts are down after a minute: an earlier run may have watched them', async () => {
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

test('what is found later has ten minutes to start', async () => {
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

test('many that refuse when snowgauge starts listen on their loopback: none is watched, however long', async () => {
  const { find, pass, retried, isAdmitted } = checking(new Set(['a', 'b']));
  find('a', 'b', 'c', 'd');
  pass(10_000);
  await retried('a');
  expect(['a', 'b', 'c', 'd'].map(isAdmitted)).toEqual([false, false, true, true]);
});
