// The maintenance windows at runtime: started, replaced, and ended by the API, a reload, the pod and time; logged and saved.

import { expect, test } from 'vitest';
import type { MaintenanceWindow } from '../../src/maintenance/window.ts';
import { type ConfiguredWindow, createWindows } from '../../src/maintenance/windows.ts';
import { listeningLog } from '../support/events.ts';

const noon = 1_795_176_000;
const configuredWindow = (reason: string, from: number, to: number, targets?: readonly string[]): ConfiguredWindow => ({
  ...(targets !== undefined && { targets }),
  start: noon + from,
  end: noon + to,
  reason,
});

const started = (configured: readonly ConfiguredWindow[] = [], earlier: readonly MaintenanceWindow[] = [], canSave = true) => {
  let at = noon + 0.4;
  let steady = 0;
  let changes = 0;
  const saves: (readonly string[])[] = [];
  const { log, said } = listeningLog();
  const windows = createWindows({
    saved: earlier,
    configured,
    now: () => at,
    steadyNow: () => steady,
    log,
    save: async (all) => {
      saves.push(all.map(({ reason }) => reason));
      return canSave;
    },
    changed: () => {
      changes += 1;
    },
  });
  const pass = (seconds: number): void => {
    at += seconds;
    steady += seconds;
    windows.update();
  };
  const setBack = (seconds: number): void => {
    at -= seconds;
    windows.update();
  };
  pass(0);
  return {
    ...windows,
    pass,
    setBack,
    saves,
    changes: () => changes,
    /** The `until` fields of the log lines since the last call of `told`. */
    untils: () => said.map(({ fields }) => fields.until),
    told: () => said.splice(0).map(({ message, fields }) => `${message}: ${String(fields.reason)}`),
    reasonFor: (target: string) => windows.openFor(target)?.reason,
  };
};

test('a started window is open at once, is saved, and ends by itself', async () => {
  const windows = started();
  const { window, saved } = await windows.start({ seconds: 60, reason: 'upgrade' });
  expect({ window, saved }).toEqual({
    window: { start: noon, end: noon + 60, reason: 'upgrade', source: 'api' },
    saved: true,
  });
  expect(windows.openFor('a')).toBe(window);
  expect({ saves: windows.saves, changes: windows.changes() }).toEqual({ saves: [['upgrade']], changes: 1 });
  windows.pass(59.5);
  expect(windows.untils()).toEqual(['2026-11-20T12:01:00.000Z']);
  expect(windows.told()).toEqual(['maintenance window started: upgrade']);
  windows.pass(0.1);
  // The planned end is not logged, because it would be wrong for a window that is ended early.
  expect(windows.untils()).toEqual([undefined]);
  expect(windows.openFor('a')).toBeUndefined();
  expect(windows.list()).toEqual([]);
  expect(windows.told()).toEqual(['maintenance window ended: upgrade']);
  expect(windows.saves.at(-1)).toEqual([]);
  // No other window has ended, so nothing is written.
  windows.pass(1);
  expect(windows.saves).toHaveLength(2);
});

test('the log names targets, end and source', async () => {
  const { log, said } = listeningLog();
  const nothing = () => undefined;
  const windows = createWindows({
    saved: [],
    configured: [],
    now: () => noon,
    steadyNow: () => 0,
    log,
    save: async () => true,
    changed: nothing,
  });
  await windows.start({ target: 'a', seconds: 60, reason: 'upgrade' });
  await windows.start({ seconds: 60, reason: 'network' });
  expect(said.map(({ fields }) => fields)).toEqual([
    { targets: ['a'], until: '2026-11-20T12:01:00.000Z', reason: 'upgrade', source: 'api' },
    { targets: 'all', until: '2026-11-20T12:01:00.000Z', reason: 'network', source: 'api' },
  ]);
});

test('a new window replaces only the previous one of the same target', async () => {
  const windows = started();
  await windows.start({ seconds: 7200, reason: 'all' });
  await windows.start({ target: 'a', seconds: 7200, reason: 'long' });
  await windows.start({ target: 'b', seconds: 7200, reason: 'other' });
  await windows.start({ target: 'a', seconds: 60, reason: 'short' });
  expect(windows.list().map(({ reason }) => reason)).toEqual(['short', 'all', 'other']);
});

test('end() ends the windows of one target or of all targets, but only those of the API', async () => {
  const windows = started([configuredWindow('planned', 0, 30, ['a'])]);
  await windows.start({ seconds: 600, reason: 'all' });
  await windows.start({ target: 'a', seconds: 900, reason: 'a' });
  expect((await windows.end('b')).ended).toEqual([]);
  expect(await windows.end('a')).toMatchObject({ ended: [{ reason: 'a' }], saved: true });
  expect(windows.reasonFor('a')).toBe('all');
  expect(await windows.end(undefined)).toMatchObject({ ended: [{ reason: 'all' }], saved: true });
  expect(windows.saves.at(-1)).toEqual([]);
  expect([windows.reasonFor('a'), windows.reasonFor('b')]).toEqual(['planned', undefined]);
  const changes = windows.changes();
  expect(await windows.end(undefined)).toEqual({ ended: [], saved: true });
  expect(windows.changes()).toBe(changes);
});

test('a window that cannot be saved is open, and reported as not saved', async () => {
  const windows = started([], [], false);
  expect(await windows.start({ seconds: 60, reason: 'upgrade' })).toMatchObject({ saved: false });
  expect(windows.reasonFor('a')).toBe('upgrade');
});

test('an end that cannot be saved takes effect, and is reported as not saved, also when repeated', async () => {
  const windows = started([], [{ start: noon, end: noon + 60, reason: 'upgrade', source: 'api' }], false);
  expect(await windows.end(undefined)).toMatchObject({ ended: [{ reason: 'upgrade' }], saved: false });
  expect(windows.reasonFor('a')).toBe(undefined);
  expect(await windows.end(undefined)).toEqual({ ended: [], saved: false });
});

test('an open window of an earlier run continues, and ended ones are removed from the file', () => {
  const earlier = (reason: string, to: number): MaintenanceWindow => ({
    start: noon - 60,
    end: noon + to,
    reason,
    source: 'api',
  });
  const windows = started([], [earlier('over', -1), earlier('open', 60)]);
  expect(windows.reasonFor('a')).toBe('open');
  expect(windows.told()).toEqual(['maintenance window started: open']);
  expect(windows.saves).toEqual([['open']]);
});

test('a configured window starts and ends at its times', () => {
  const windows = started([configuredWindow('planned', 10, 20, ['a'])]);
  expect(windows.list()).toHaveLength(1);
  expect(windows.reasonFor('a')).toBeUndefined();
  windows.pass(10);
  expect([windows.reasonFor('a'), windows.reasonFor('b')]).toEqual(['planned', undefined]);
  windows.pass(10);
  expect(windows.reasonFor('a')).toBeUndefined();
  expect(windows.told()).toEqual(['maintenance window started: planned', 'maintenance window ended: planned']);
});

test('an open window keeps its length if the clock is set back to before its start', async () => {
  const windows = started([configuredWindow('planned', 0, 60, ['a'])]);
  await windows.start({ target: 'b', seconds: 60, reason: 'upgrade' });
  windows.annotate({ targets: ['c'], start: noon, end: noon + 60, reason: 'pod', source: 'annotation' });
  const open = (): readonly unknown[] => ['a', 'b', 'c'].map(windows.reasonFor);
  windows.told();
  windows.setBack(3600);
  windows.pass(59);
  expect(open()).toEqual(['planned', 'upgrade', 'pod']);
  expect(windows.told()).toEqual([]);
  windows.pass(1);
  expect(open()).toEqual([undefined, undefined, undefined]);
});

// Set back to after its start, and to before it.
test.each([3500, 5400])(
  'a window of the API ends after its length, and only once, if the clock is set back by %i s',
  async (by) => {
    const windows = started();
    await windows.start({ seconds: 7200, reason: 'upgrade' });
    windows.pass(3600);
    windows.setBack(by);
    windows.pass(3599);
    expect(windows.reasonFor('a')).toBe('upgrade');
    windows.pass(1);
    expect({ list: windows.list(), last: windows.saves.at(-1) }).toEqual({ list: [], last: [] });
    windows.pass(5000);
    expect(windows.told()).toEqual(['maintenance window started: upgrade', 'maintenance window ended: upgrade']);
  },
);

test('a window of an earlier run ends at its time if the clock was wrong when snowgauge started', () => {
  const windows = started([], [{ start: noon - 4200, end: noon + 3000, reason: 'upgrade', source: 'api' }]);
  windows.setBack(3600);
  windows.pass(6599);
  expect(windows.reasonFor('a')).toBe('upgrade');
  windows.pass(1);
  expect(windows.reasonFor('a')).toBeUndefined();
});

test('a window that has not started is not opened by a clock that is set back', () => {
  const windows = started([configuredWindow('planned', 10, 20)]);
  windows.setBack(60);
  expect(windows.reasonFor('a')).toBeUndefined();
});

test('a reload keeps unchanged windows, ends removed ones and starts new ones', () => {
  const windows = started([configuredWindow('stays', 0, 60), configuredWindow('goes', 0, 90)]);
  const [stays] = windows.list();
  windows.told();
  windows.configure([configuredWindow('comes', 0, 30), configuredWindow('stays', 0, 60)]);
  expect(windows.told()).toEqual(['maintenance window ended: goes', 'maintenance window started: comes']);
  expect(windows.openFor('a')).toBe(stays);
  expect(windows.changes()).toBe(1);
});

test('an annotation of the pod opens a window, and its removal ends it', () => {
  const windows = started();
  windows.annotate({ start: noon, end: noon + 60, reason: 'pod', source: 'annotation' });
  expect(windows.reasonFor('a')).toBe('pod');
  windows.annotate(undefined);
  expect(windows.reasonFor('a')).toBeUndefined();
  expect({ told: windows.told(), changes: windows.changes() }).toEqual({
    told: ['maintenance window started: pod', 'maintenance window ended: pod'],
    changes: 2,
  });
});
