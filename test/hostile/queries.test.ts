// Requests as long as they may be, of hundreds of parameters: each costs about what one with one parameter costs.

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
])('$path is told what is wrong with the first of 500 parameters', async ({ path, parameter }) => {
  const { port } = await serveExporter();
  const { status, body } = await askRaw(port, { method: 'GET', path: `${path}?${repeated(parameter)}` });
  expect([400, 404]).toContain(status);
  expect(body.length).toBeLessThan(500);
});

test('the event history is looked through once, however many checks are asked for', () => {
  const history = createEventHistory({ run: 'test' });
  const name = (at: number): string => `check-${String(at).padStart(100, '0')}`;
  history.add(Array.from({ length: 1000 }, (_, at) => draft(at, { check: name(at) })));
  /** The quickest of some, in milliseconds: the machine may do something else meanwhile. */
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

test('whose names the event history has is known without all of its records', () => {
  const history = createEventHistory({ run: 'test' });
  history.add([draft(0, { target: 'gone' })]);
  const records = (): never => {
    throw new Error('all records are read');
  };
  const params = new URLSearchParams('target=gone');
  const { status } = transitionsReply({ ...history, records }, ['node'], params, () => undefined);
  expect(status).toBe(200);
});

test('the tag sets of a target are looked through once, however many are asked for', async () => {
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
