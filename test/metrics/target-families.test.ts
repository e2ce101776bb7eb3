// The families of a target: polls, check interval, clock, conditions; and those of the exporter itself.

import { describe, expect, test } from 'vitest';
import { ownFamilies } from '../../src/metrics/own.ts';
import { emptyHistogram, record } from '../../src/snapshot/histogram.ts';
import { newTarget } from '../../src/sources/target-state.ts';
import { build, samples, seriesOf } from '../support/metrics.ts';
import {
  failing,
  fresh,
  measuredInterval,
  noon,
  passing,
  report,
  stopped,
  targetKnowing,
  targetOptions,
} from '../support/snapshot.ts';

const up = { health: { all: fresh(report({ P: passing() })) } };
const unasked = newTarget(targetOptions());

describe('a target', () => {
  test('that was not polled yet has no last report, and no sample of up or of conditions', async () => {
    expect(await samples(unasked, 'up')).toEqual({});
    expect(await samples(unasked, 'last_report')).toEqual({});
    expect(await samples(unasked, 'target_condition')).toEqual({});
  });

  test('that was polled and has not responded is not up', async () => {
    const lastPoll = { at: noon, answered: false, failures: [] };
    expect(await samples(targetKnowing(targetOptions(), { lastPoll }), 'up')).toEqual({ 'up{target="node"}': 0 });
  });

  test('is up with a report of any tag set, healthy or not', async () => {
    const options = targetOptions({
      tagSets: [
        { name: 'all', tags: [] },
        { name: 'l1', tags: ['2bRC'] },
      ],
    });
    const target = targetKnowing(options, { health: { l1: fresh({ checks: new Map(), healthy: false }, noon - 3) } });
    expect(await samples(target, 'up')).toMatchObject({ 'up{target="node"}': 1 });
    expect(await samples(target, 'last_report')).toEqual({ 'last_report_timestamp_seconds{target="node"}': noon - 3 });
  });

  test.each([
    {
      what: 'while its last report is current',
      at: noon - 31,
      frozen: { 'health_frozen{target="node"}': 1, 'health_frozen_suspect{target="node",check="P"}': 1 },
    },
    { what: 'and no longer when that is too old', at: noon - 3600, frozen: {} },
  ])('whose last poll failed is still frozen $what', async ({ at, frozen }) => {
    const value = report({ P: passing({ timestamp: noon - 4000 }) });
    const all = { state: 'stale', value, at, failure: { kind: 'timeout', afterMs: 5000 }, failedAt: noon - 1 } as const;
    const process = { state: 'reported' } as const;
    const target = targetKnowing(targetOptions(), { health: { all }, ...stopped(noon - 3900, 10), process });
    expect(await samples(target, 'health_frozen')).toEqual(frozen);
  });

  test('counts the requests of every API from 0, and other outcomes from their first', async () => {
    const apis = ['readiness', 'health', 'liveness', 'index', 'info', 'subnets', 'validator'];
    expect(await samples(unasked, 'polls_total')).toEqual(
      Object.fromEntries(apis.map((api) => [`polls_total{target="node",api="${api}",outcome="ok"}`, 0])),
    );
    const polls = new Map([...unasked.polls, ['health', new Map([['ok', 7] as const, ['host-forbidden', 3] as const])] as const]);
    expect(await samples(targetKnowing(targetOptions(), { polls }), 'polls_total')).toMatchObject({
      'polls_total{target="node",api="health",outcome="host-forbidden"}': 3,
      'polls_total{target="node",api="health",outcome="ok"}': 7,
    });
  });

  test('has a cumulative histogram of the duration of its polls', async () => {
    const pollDuration = [0.5, 1, 1.5, 7].reduce(record, emptyHistogram([1, 2]));
    expect(await samples(targetKnowing(targetOptions(), { pollDuration }), 'poll_duration')).toEqual({
      'poll_duration_seconds_bucket{target="node",le="1"}': 2,
      'poll_duration_seconds_bucket{target="node",le="2"}': 3,
      'poll_duration_seconds_bucket{target="node",le="+Inf"}': 4,
      'poll_duration_seconds_sum{target="node"}': 10,
      'poll_duration_seconds_count{target="node"}': 4,
    });
  });

  test('has an info family with URL and NodeID, and empty labels for unknown values', async () => {
    const url = 'http://127.0.0.1:9650';
    const info = async (nodeId?: string) =>
      (await seriesOf(targetKnowing(targetOptions(), nodeId === undefined ? {} : { nodeId }))).filter(
        ({ name }) => name === 'snowgauge_target_info',
      );
    const labels = (nodeId: string) => Object.entries({ target: 'node', url, node_id: nodeId, network: '', version: '' });
    const known = ({ labels: found }: { readonly labels: ReadonlyMap<string, string> }) =>
      Object.fromEntries(['target', 'url', 'node_id', 'network', 'version'].map((name) => [name, found.get(name) ?? '']));
    expect((await info()).map(known)).toEqual([Object.fromEntries(labels(''))]);
    expect((await info('NodeID-A')).map(known)).toEqual([Object.fromEntries(labels('NodeID-A'))]);
  });
});

describe('the conditions', () => {
  const tagSets = [
    { name: 'all', tags: [] },
    { name: 'l1', tags: ['2bRC'] },
  ];
  const every = [
    ['Started', ''],
    ['Live', ''],
    ['Ready', 'all'],
    ['Ready', 'l1'],
    ['Healthy', 'all'],
    ['Healthy', 'l1'],
  ];

  const reporting = (one: ReturnType<typeof report>, at = noon) => ({
    health: { all: fresh(one, at), l1: fresh(one, at) },
    lastPoll: { at, answered: true, failures: [] },
  });

  test.each([
    { node: 'is healthy', known: reporting(report({ P: passing() })) },
    { node: 'fails a check', known: reporting(report({ P: failing('x') })) },
    { node: 'does not respond', known: reporting(report({ P: passing() }), noon - 1000) },
    {
      node: 'refuses connections',
      known: {
        ...reporting(report({ P: passing() })),
        process: { state: 'gone', failure: { kind: 'refused', reason: 'ECONNREFUSED' }, since: noon } as const,
      },
    },
  ])('of a node that $node have each exactly one status at 1', async ({ known }) => {
    const target = targetKnowing(targetOptions({ tagSets }), known);
    const series = (await seriesOf(target)).filter(({ name }) => name === 'snowgauge_target_condition');
    expect(series).toHaveLength(3 * every.length);
    for (const [condition, tagSet = ''] of every) {
      const own = series.filter(
        ({ labels }) => labels.get('condition') === condition && (labels.get('tag_set') ?? '') === tagSet,
      );
      expect(own.map(({ labels }) => labels.get('status'))).toEqual(['true', 'false', 'unknown']);
      expect(own.reduce((sum, { value }) => sum + value, 0)).toBe(1);
    }
  });

  test('have the status that was computed', async () => {
    const series = Object.entries(await samples(targetKnowing(targetOptions(), up), 'target_condition'));
    const holding = series.filter(([, value]) => value === 1).map(([name]) => name);
    expect(holding).toContain('target_condition{target="node",condition="Started",status="true"}');
    expect(holding).toContain('target_condition{target="node",condition="Healthy",tag_set="all",status="true"}');
  });
});

describe('another NodeID', () => {
  test('is counted from 0', async () => {
    expect(await samples(unasked, 'node_id_changes')).toEqual({ 'node_id_changes_total{target="node"}': 0 });
    expect(await samples({ ...unasked, nodeIdChanges: 2 }, 'node_id_changes')).toEqual({
      'node_id_changes_total{target="node"}': 2,
    });
  });
});

describe("the node's check interval and clock", () => {
  const clock = { lower: -1.5, upper: -0.5, at: noon };
  const interval = measuredInterval(15);

  test('are exported when known', async () => {
    const target = targetKnowing(targetOptions(), { ...up, clock, interval, missedRuns: 2, countsRuns: true });
    expect(await samples(target, 'health_check_interval')).toEqual({ 'health_check_interval_seconds{target="node"}': 15 });
    expect(await samples(target, 'clock_skew')).toEqual({ 'clock_skew_seconds{target="node"}': -1 });
    expect(await samples(target, 'check_missed_runs')).toEqual({ 'check_missed_runs_total{target="node"}': 2 });
  });

  test('have no sample while unknown', async () => {
    const target = targetKnowing(targetOptions(), up);
    expect(await samples(target, 'health_check_interval')).toEqual({});
    expect(await samples(target, 'clock_skew')).toEqual({});
  });

  test('have no sample when the last report is stale', async () => {
    const old = { health: { all: fresh(report({}), noon - 1000) } };
    const target = targetKnowing(targetOptions(), { ...old, clock, interval });
    expect(await samples(target, 'health_check_interval')).toEqual({});
    expect(await samples(target, 'clock_skew')).toEqual({});
  });

  test('have a histogram of the delay with which health check runs were observed', async () => {
    const detectionDelay = record(emptyHistogram([0.5]), 0.25);
    const target = targetKnowing(targetOptions(), { ...up, detectionDelay });
    expect(await samples(target, 'health_detection_delay')).toEqual({
      'health_detection_delay_seconds_bucket{target="node",le="0.5"}': 1,
      'health_detection_delay_seconds_bucket{target="node",le="+Inf"}': 1,
      'health_detection_delay_seconds_sum{target="node"}': 0.25,
      'health_detection_delay_seconds_count{target="node"}': 1,
    });
  });
});

test('the exporter exports its version and the result of the last reload', () => {
  const own = ownFamilies(build, { successful: false, succeededAt: noon - 60 });
  expect(
    own
      .map(({ samples }) => samples)
      .join('')
      .split('\n'),
  ).toEqual([
    'snowgauge_build_info{version="0.0.0-test"} 1',
    'snowgauge_config_last_reload_successful 0',
    `snowgauge_config_last_reload_success_timestamp_seconds ${noon - 60}`,
    '',
  ]);
});
