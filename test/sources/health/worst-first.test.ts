// One order of the checks of a report, used wherever they are listed.

import { expect, test } from 'vitest';
import { failingOf } from '../../../src/conditions/failing.ts';
import { reportedChecks } from '../../../src/report/checks.ts';
import { targetStatus } from '../../../src/server/status.ts';
import { checksWorstFirst } from '../../../src/sources/health/worst-first.ts';
import { sources } from '../../../src/sources/sources.ts';
import { samples } from '../../support/metrics.ts';
import { failing, fresh, noon, passing, report, targetKnowing, targetOptions, targetsOf } from '../../support/snapshot.ts';

const never = failing('not yet run', { timestamp: 'never' });
const late = failing('late', { timeOfFirstFailure: noon - 10 });
const early = failing('early', { timeOfFirstFailure: noon - 90 });

test('failing checks come first, the oldest failure first; then those that never ran; then passing ones, by name', () => {
  const checks = { b: passing(), a: passing(), n: never, l: late, f: early, e: early };
  expect(checksWorstFirst(report(checks)).map(({ check }) => check)).toEqual(['e', 'f', 'l', 'n', 'a', 'b']);
});

test('a node that shuts down before the first run of its checks is shutting down, not yet run', () => {
  const shuttingDown = { error: 'not yet run', timestamp: 'never', contiguousFailures: 0 } as const;
  const begun = report({ P: never, X: never, a: late, shuttingDown });
  const target = targetKnowing(targetOptions(), { health: { all: fresh(begun) } });
  const [judged] = targetsOf(target).values();
  const status = judged && targetStatus(sources, judged, { now: noon, wallOffset: 0 });
  const states = ['a failing', 'shuttingDown failing', 'P not-yet-run', 'X not-yet-run'];
  expect(status?.checks?.map(({ name, state }) => `${name} ${state}`)).toEqual(states);
  expect(status?.tagSets[0]?.checkCounts).toEqual({ failing: 2, notYetRun: 2, passing: 0 });
  expect(reportedChecks(begun, { nodeNow: noon }).map(({ check, state }) => `${check} ${state}`)).toEqual(states);
});

test('of too many checks, metrics, API, commands and conditions keep the same 200 in the same order', async () => {
  const others = Array.from({ length: 210 }, (_, at) => [`a${at}`, never] as const);
  const known = report({ ...Object.fromEntries(others), z: early, y: late, b: passing() });
  const target = targetKnowing(targetOptions(), { health: { all: fresh(known) } });
  const page = await samples(target, 'check_healthy');
  const names = Object.keys(page).map((series) => /check="([^"]+)"/.exec(series)?.[1]);
  const [judged] = targetsOf(target).values();
  const status = judged && targetStatus(sources, judged, { now: noon, wallOffset: 0 });
  expect(names.slice(0, 3)).toEqual(['z', 'y', 'a0']);
  expect(names).toHaveLength(200);
  expect(status?.checks?.map(({ name }) => name)).toEqual(names);
  expect(status?.tagSets[0]?.failingChecks).toEqual(names);
  expect(
    reportedChecks(known, { nodeNow: noon })
      .slice(0, 200)
      .map(({ check }) => check),
  ).toEqual(names);
  expect(
    failingOf(known)
      .slice(0, 200)
      .map(({ check }) => check),
  ).toEqual(names);
});
