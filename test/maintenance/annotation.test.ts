// The maintenance window of the pod's annotations, as mounted by the kubelet.

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { annotationReader } from '../../src/maintenance/annotation.ts';
import type { MaintenanceWindow } from '../../src/maintenance/window.ts';
import { listeningLog } from '../support/events.ts';
import { mount } from '../support/mounted.ts';

const noon = 1_795_176_000;

const podWith = async (until: string, reason = '') => {
  const mounted = await mount({ 'maintenance-until': until, 'maintenance-reason': reason });
  const found: (MaintenanceWindow | undefined)[] = [];
  const { log, said } = listeningLog();
  let at = noon;
  const look = annotationReader({ folder: mounted.folder, now: () => at, log, changed: (window) => found.push(window) });
  await look();
  return {
    found,
    said,
    annotate: async (nextUntil: string, nextReason = '') => {
      await mounted.swap({ 'maintenance-until': nextUntil, 'maintenance-reason': nextReason });
      await look();
    },
    lookAfter: async (seconds: number) => {
      at += seconds;
      await look();
    },
  };
};

test.each([
  { until: '2026-11-20T13:00:00Z', reason: 'upgrade', window: { end: noon + 3600, reason: 'upgrade' } },
  { until: '2026-11-20T14:00:00+01:00\n', reason: '', window: { end: noon + 3600, reason: 'no reason given' } },
  { until: '2026-11-21T12:00:00Z', reason: 'a\nb', window: { end: noon + 86_400, reason: 'a; b' } },
])('$until with reason $reason starts a window', async ({ until, reason, window }) => {
  const { found, said } = await podWith(until, reason);
  expect(found).toEqual([{ start: noon, source: 'annotation', ...window }]);
  expect(said).toEqual([]);
});

test('a pod without annotations, or without the mounted folder, has no window', async () => {
  const { found, said } = await podWith('');
  expect(found).toEqual([]);
  const { log } = listeningLog();
  await annotationReader({ folder: '/nowhere', now: () => noon, log, changed: (window) => found.push(window) })();
  expect({ found, said }).toEqual({ found: [], said: [] });
});

test('a folder in place of an annotation file is logged once, with its name', async () => {
  const folder = (await mount({})).folder;
  await mkdir(join(folder, 'maintenance-reason'));
  const { log, said } = listeningLog();
  const found: unknown[] = [];
  const look = annotationReader({ folder, now: () => noon, log, changed: (window) => found.push(window) });
  await look();
  await look();
  expect(found).toEqual([undefined]);
  expect(said.map(({ message }) => message)).toEqual([`maintenance annotation ignored: ${folder}: maintenance-reason: EISDIR`]);
});

test('a window that is over is ignored, and nothing is logged', async () => {
  const { found, said } = await podWith('2026-11-20T12:00:00Z');
  expect({ found, said }).toEqual({ found: [undefined], said: [] });
});

test.each([
  { until: 'tomorrow', says: '"tomorrow" is not an instant: write it like 2026-11-20T12:00:00Z' },
  { until: '2026-11-21T12:00:01Z', says: '2026-11-21T12:00:01Z is more than 24 h ahead: a window lasts at most 24 h' },
])('$until is ignored, and logged once', async ({ until, says }) => {
  const pod = await podWith(until);
  await pod.lookAfter(5);
  // It does not start later when it is near enough, because that would be unexpected.
  await pod.lookAfter(3600);
  expect(pod.found).toEqual([undefined]);
  expect(pod.said).toMatchObject([{ level: 'warn', message: `maintenance annotation ignored: ${says}` }]);
});

test('a changed annotation starts a window when it is read, and a removed one ends it', async () => {
  const pod = await podWith('2026-11-20T13:00:00Z');
  await pod.lookAfter(60);
  expect(pod.found).toHaveLength(1);
  await pod.annotate('2026-11-20T15:00:00Z', 'longer');
  await pod.annotate('');
  expect(pod.found.slice(1)).toEqual([
    { start: noon + 60, end: noon + 10_800, reason: 'longer', source: 'annotation' },
    undefined,
  ]);
});
