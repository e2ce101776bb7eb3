// The families of the polls, of the node's rhythm and clock as they tell it, and of the exporter itself.

import { describe, expect, test } from 'vitest';
import { outcomeKinds } from '../../src/client/outcome.ts';
import { families } from '../../src/metrics/families.ts';
import { emptyHistogram, record } from '../../src/snapshot/histogram.ts';
import { newTarget } from '../../src/snapshot/snapshot.ts';
import { judgeAll } from '../../src/verdict/judge.ts';
import { build, samples } from '../support/metrics.ts';
import { fresh, noon, passing, report, snapshotOf, targetKnowing, targetOptions } from '../support/snapshot.ts';

const up = { health: { all: fresh(report({ P: passing() })) } };
const unasked = newTarget(targetOptions());

describe('a target', () => {
  test('that nobody asked yet is not up, and has no last report', async () => {
    expect(await samples(snapshotOf(), 'up')).toMatchObject({ 'up{target="node"}': 0 });
    expect(await samples(snapshotOf(), 'last_report')).toEqual({});
  });

  test('is up by the report of any tag set, healthy or not', async () => {
    const options = targetOptions({
      tagSets: [
        { name: 'all', tags: [] },
        { name: 'l1', tags: ['2bRC'] },
      ],
    });
    const snapshot = snapshotOf(
      targetKnowing(options, { health: { l1: fresh({ checks: new Map(), healthy: false }, noon - 3) } }),
    );
    expect(await samples(snapshot, 'up')).toMatchObject({ 'up{target="node"}': 1 });
    expect(await samples(snapshot, 'last_report')).toEqual({ 'last_report_timestamp_seconds{target="node"}': noon - 3 });
  });

  test('counts every outcome of every API from 0', async () => {
    const polls = await samples(snapshotOf(), 'polls_total');
    expect(Object.keys(polls)).toHaveLength(4 * outcomeKinds.length);
    expect(new Set(Object.values(polls))).toEqual(new Set([0]));
  });

  test('counts its polls by how they ended', async () => {
    const health = { outcomes: new Map([['host-forbidden', 3]] as const), duration: emptyHistogram([1]) };
    const snapshot = snapshotOf(targetKnowing(targetOptions(), { polls: new Map([...unasked.polls, ['health', health]]) }));
    expect(await samples(snapshot, 'polls_total')).toMatchObject({
      'polls_total{target="node",api="health",outcome="host-forbidden"}': 3,
      'polls_total{target="node",api="health",outcome="ok"}': 0,
    });
  });

  test('says how long its polls took, each bucket with all below it', async () => {
    const duration = [0.5, 1, 1.5, 7].reduce(record, emptyHistogram([1, 2]));
    const snapshot = snapshotOf(
      targetKnowing(targetOptions(), { polls: new Map([['index', { outcomes: new Map(), duration }]]) }),
    );
    expect(await samples(snapshot, 'poll_duration')).toEqual({
      'poll_duration_seconds_bucket{target="node",api="index",le="1"}': 2,
      'poll_duration_seconds_bucket{target="node",api="index",le="2"}': 3,
      'poll_duration_seconds_bucket{target="node",api="index",le="+Inf"}': 4,
      'poll_duration_seconds_sum{target="node",api="index"}': 10,
      'poll_duration_seconds_count{target="node",api="index"}': 4,
    });
  });
});

describe("the node's rhythm and clock", () => {
  const clock = { lower: -1.5, upper: -0.5, at: noon };
  const cadence = { ...unasked.cadence, inferred: 15 };

  test('are told when known', async () => {
    const snapshot = snapshotOf(targetKnowing(targetOptions(), { ...up, clock, cadence, missedRuns: 2 }));
    expect(await samples(snapshot, 'health_cadence')).toEqual({ 'health_cadence_seconds{target="node"}': 15 });
    expect(await samples(snapshot, 'clock_skew')).toEqual({ 'clock_skew_seconds{target="node"}': -1 });
    expect(await samples(snapshot, 'check_missed_runs')).toEqual({ 'check_missed_runs_total{target="node"}': 2 });
  });

  test('have no sample while unknown', async () => {
    const snapshot = snapshotOf(targetKnowing(targetOptions(), up));
    expect(await samples(snapshot, 'health_cadence')).toEqual({});
    expect(await samples(snapshot, 'clock_skew')).toEqual({});
  });

  test('have no sample when the reports that told them are too old', async () => {
    const old = { health: { all: fresh(report({}), noon - 1000) } };
    const snapshot = snapshotOf(targetKnowing(targetOptions(), { ...old, clock, cadence }));
    expect(await samples(snapshot, 'health_cadence')).toEqual({});
    expect(await samples(snapshot, 'clock_skew')).toEqual({});
  });

  test('give the delay with which rounds were known', async () => {
    const detectionDelay = record(emptyHistogram([0.5]), 0.25);
    const snapshot = snapshotOf(targetKnowing(targetOptions(), { ...up, detectionDelay }));
    expect(await samples(snapshot, 'health_detection_delay')).toEqual({
      'health_detection_delay_seconds_bucket{target="node",le="0.5"}': 1,
      'health_detection_delay_seconds_bucket{target="node",le="+Inf"}': 1,
      'health_detection_delay_seconds_sum{target="node"}': 0.25,
      'health_detection_delay_seconds_count{target="node"}': 1,
    });
  });
});

test('the exporter says its version, and whether its configuration could be loaded', async () => {
  const snapshot = { targets: new Map() };
  const own = families(judgeAll(snapshot, noon), build, { successful: false, succeededAt: noon - 60 }, noon);
  expect(own.map(({ name, samples: [sample] }) => [name, sample?.labels, sample?.value])).toEqual([
    ['snowgauge_build_info', ['0.0.0-test'], 1],
    ['snowgauge_config_last_reload_successful', [], 0],
    ['snowgauge_config_last_reload_success_timestamp_seconds', [], noon - 60],
  ]);
});
