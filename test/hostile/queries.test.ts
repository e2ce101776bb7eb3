// Requests of the maximum length with hundreds of parameters cost about as much as those with one parameter.

import { expect, test } from 'vitest';
import { createEventHistory } from '../../src/events/event-history.ts';
import { answerRestart, createRestartAnswers } from '../../src/server/safe-to-restart.ts';
import { transitionsReply } from '../../src/server/transitions.ts';
import { draft } from '../support/events.ts';
import { serveExporter } from '../support/exporter-server.ts';
import { askRaw } from '../support/raw-http.ts';
import { noon } from '../support/snapshot.ts';
import { validatorTarget } from '../support/validators.ts';

/** The head of a request has at most 8 KiB. */
const repeated = (parameter: (at: number) => string): string => Array.from({ length: 500 }, (_, at) => parameter(at)).join('&');

test.each([
  { path: '/api/v1/history', parameter: (at: number) => `target=t${at}` },
  { path: '/api/v1/history', parameter: (at: number) => `p${at}` },
  { path: '/api/v1/history', parameter: () => 'limit=0' },
  { path: '/api/v1/status', parameter: (at: number) => `target=t${at}` },
  { path: '/api/v1/safe-to-restart', parameter: (at: number) => `target=t${at}` },
  { path: '/api/v1/safe-to-restart', parameter: (at: number) => `tagSet=t${at}` },
  { path: '/api/v1/fleet', parameter: (at: number) => `p${at}` },
  { path: '/api/v1/fleet', parameter: (at: number) => `label=t${at}` },
  { path: '/metrics', parameter: (at: number) => `target=t${at}` },
])('$path rejects 500 invalid parameters with an error of fewer than 500 characters', async ({ path, parameter }) => {
  const { port } = await serveExporter();
  const { status, body } = await askRaw(port, { method: 'GET', path: `${path}?${repeated(parameter)}` });
  expect([400, 404]).toContain(status);
  expect(body.length).toBeLessThan(500);
});

test('a search for 1000 checks takes less than 20 times as long as for one in the event history', () => {
  const history = createEventHistory({ run: 'test' });
  const name = (at: number): string => `check-${String(at).padStart(100, '0')}`;
  history.add(Array.from({ length: 1000 }, (_, at) => draft(at, { check: name(at) })));
  /** Minimum of several runs in milliseconds, because the machine may be busy. */
  const msFor = (checks: number): number => {
    const asked = new Set(Array.from({ length: checks }, (_, at) => name(10_000 + at)));
    const times = Array.from({ length: 20 }, () => {
      const before = performance.now();
      expect(history.find({ targets: new Set(), checks: asked, limit: 1000 }).records).toEqual([]);
      return performance.now() - before;
    });
    return Math.min(...times);
  };
  msFor(1);
  expect(msFor(1000)).toBeLessThan(20 * msFor(1));
});

test('finds whether the event history has a target without reading all records', () => {
  const history = createEventHistory({ run: 'test' });
  history.add([draft(0, { target: 'gone' })]);
  const records = (): never => {
    throw new Error('all records are read');
  };
  const params = new URLSearchParams('target=gone');
  const { status } = transitionsReply({ ...history, records }, ['node'], params, () => undefined);
  expect(status).toBe(200);
});

test('500 requested tag sets read the tag sets of a target as often as one', async () => {
  let looks = 0;
  const counted = (name: string) => {
    const target = validatorTarget({ options: { name } });
    const { options } = target.state;
    const { tagSets } = options;
    const own = Object.defineProperty({ ...options }, 'tagSets', {
      get: () => {
        looks += 1;
        return tagSets;
      },
    });
    return [name, { ...target, state: { ...target.state, options: own } }] as const;
  };
  const targets = new Map([counted('a'), counted('b')]);
  const looksFor = async (sets: number): Promise<number> => {
    looks = 0;
    const params = new URLSearchParams('tagSet=all&'.repeat(sets));
    const present = { targets, own: {}, now: noon, wallOffset: 0 };
    expect((await answerRestart(createRestartAnswers(), params, present)).status).toBe(200);
    return looks;
  };
  expect(await looksFor(500)).toBe(await looksFor(1));
});
