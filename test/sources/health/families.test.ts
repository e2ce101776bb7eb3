// The families of health reports: what each check reports, within limits, and only while it is current.

import { describe, expect, test } from 'vitest';
import type { CheckResult } from '../../../src/protocol/health.ts';
import { newTarget } from '../../../src/sources/target-state.ts';
import { samples, seriesOf } from '../../support/metrics.ts';
import { failing, fresh, measuredInterval, noon, passing, report, targetKnowing, targetOptions } from '../../support/snapshot.ts';

const knowing = (checks: Readonly<Record<string, CheckResult>>, at = noon - 5) =>
  targetKnowing(targetOptions(), { health: { all: fresh(report(checks), at) } });

const labels = (check: string): string => `{target="node",check="${check}"}`;

describe('a check of the report', () => {
  test.each([
    { says: 'that it passed', check: passing(), family: 'check_healthy', value: 1 },
    { says: 'that it failed', check: failing('closed'), family: 'check_healthy', value: 0 },
    { says: 'an empty error, which is a failure too', check: failing(''), family: 'check_healthy', value: 0 },
    {
      says: 'how long its last run took',
      check: passing({ duration: 0.064335836 }),
      family: 'check_duration_seconds',
      value: 0.064335836,
    },
    { says: 'no failures in a row', check: passing(), family: 'check_contiguous_failures', value: 0 },
    {
      says: 'how many failures in a row',
      check: failing('closed', { contiguousFailures: 7 }),
      family: 'check_contiguous_failures',
      value: 7,
    },
    { says: 'when it last ran', check: passing(), family: 'check_last_run_timestamp_seconds', value: noon - 10 },
    {
      says: 'that it has never run',
      check: failing('not yet run', { timestamp: 'never' }),
      family: 'check_last_run_timestamp_seconds',
      value: undefined,
    },
    { says: 'since when it fails', check: failing('closed'), family: 'check_first_failure_timestamp_seconds', value: noon - 60 },
    {
      says: 'no first failure, as it passes',
      check: passing(),
      family: 'check_first_failure_timestamp_seconds',
      value: undefined,
    },
  ])('says $says: $family is $value', async ({ check, family, value }) => {
    const expected = value === undefined ? {} : { [`${family}${labels('database')}`]: value };
    expect(await samples(knowing({ database: check }), family)).toEqual(expected);
  });

  test('never has its error text in a label', async () => {
    const text = JSON.stringify(await seriesOf(knowing({ bls: failing('node has BLS key 0x8f, but another is registered') })));
    expect(text).not.toContain('BLS key');
  });
});

describe('the reason of a failing check', () => {
  const reasonsOf = (checks: Readonly<Record<string, CheckResult>>) => samples(knowing(checks), 'check_failure_reason');
  const stake = 'not connected to enough stake: connected to 20.000000%; required at least 80.000000%';

  test('is a label with value 1, and absent for a passing check', async () => {
    expect(await reasonsOf({ C: failing(stake), database: passing(), my: failing('drill') })).toEqual({
      'check_failure_reason{target="node",check="C",reason="stake-disconnected"}': 1,
      'check_failure_reason{target="node",check="my",reason="other"}': 1,
    });
  });

  test('is only the first one if the error has several', async () => {
    expect(await reasonsOf({ C: failing(`engine: block processing too long: 45s > 30s; networking: ${stake}`) })).toEqual({
      'check_failure_reason{target="node",check="C",reason="block-processing"}': 1,
    });
  });

  test('is derived from the full check name, however long', async () => {
    const name = 'database'.padEnd(300, '-');
    expect(Object.keys(await reasonsOf({ [name]: failing('closed') }))).toEqual([expect.stringContaining('reason="other"')]);
    expect(Object.keys(await reasonsOf({ database: failing('closed') }))).toEqual([expect.stringContaining('reason="database"')]);
  });
});

describe('a report', () => {
  test('sets the health of its own tag set only', async () => {
    const options = targetOptions({
      tagSets: [
        { name: 'all', tags: [] },
        { name: 'l1', tags: ['2bRC'] },
      ],
    });
    const health = { all: fresh(report({ P: failing('x') })), l1: fresh(report({ network: passing() })) };
    expect(await samples(targetKnowing(options, { health }), 'health_healthy')).toEqual({
      'health_healthy{target="node",tag_set="all"}': 0,
      'health_healthy{target="node",tag_set="l1"}': 1,
    });
  });

  test('with over 200 checks keeps 200, failing ones first, and exports the number of dropped ones', async () => {
    const many = Object.fromEntries(Array.from({ length: 260 }, (_, at) => [`check${String(at).padStart(3, '0')}`, passing()]));
    const target = knowing({ ...many, zz: failing('late in the alphabet, first in need') });
    const healthy = await samples(target, 'check_healthy');
    expect(Object.keys(healthy)).toHaveLength(200);
    expect(healthy[`check_healthy${labels('zz')}`]).toBe(0);
    expect(healthy[`check_healthy${labels('check000')}`]).toBe(1);
    expect(healthy[`check_healthy${labels('check199')}`]).toBeUndefined();
    expect(await samples(target, 'checks_dropped')).toEqual({ 'checks_dropped{target="node"}': 61 });
  });

  test('with many checks in many tag sets keeps 2,000 in all, the worst of each, and exports the number dropped per tag set', async () => {
    const names = Array.from({ length: 50 }, (_, at) => `l1-${at}`);
    const options = targetOptions({ name: 'node', tagSets: names.map((name) => ({ name, tags: [name] })) });
    const many = Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`check${String(at).padStart(2, '0')}`, passing()]));
    const checks = { ...many, zz: failing('late in the alphabet, first in need') };
    const health = Object.fromEntries(names.map((name) => [name, fresh(report(checks))]));
    const target = targetKnowing(options, { health });
    const members = await samples(target, 'tag_set_check_info');
    expect(Object.keys(members)).toHaveLength(2000);
    expect(members['tag_set_check_info{target="node",tag_set="l1-49",check="zz"}']).toBe(1);
    const dropped = await samples(target, 'tag_set_checks_dropped');
    expect(dropped).toMatchObject({ 'tag_set_checks_dropped{target="node",tag_set="l1-0"}': 21 });
    expect(Object.keys(dropped)).toHaveLength(50);
  });

  test('with few checks has no sample of dropped ones', async () => {
    expect(await samples(knowing({ database: passing() }), 'checks_dropped')).toEqual({});
  });

  test('with checks named like object members is read like any other', async () => {
    const checks = new Map([
      ['__proto__', passing()],
      ['constructor', passing()],
      ['', passing()],
    ]);
    const target = targetKnowing(targetOptions(), { health: { all: fresh({ checks, healthy: true }) } });
    expect(Object.keys(await samples(target, 'check_healthy'))).toHaveLength(3);
  });
});

describe('readiness and liveness', () => {
  test('are exported as the node reported them', async () => {
    const target = targetKnowing(targetOptions(), {
      readiness: fresh(report({ bootstrapped: failing('subnets not bootstrapped') })),
      liveness: fresh(report({})),
    });
    expect(await samples(target, 'readiness')).toEqual({ 'readiness_healthy{target="node"}': 0 });
    expect(await samples(target, 'liveness')).toEqual({ 'liveness_healthy{target="node"}': 1 });
  });

  test('have no sample until they are known', async () => {
    expect(await samples(newTarget(targetOptions()), 'readiness')).toEqual({});
  });
});

describe('a report that is older than staleAfter check intervals', () => {
  const options = targetOptions({ healthCheckFrequency: 10, staleAfter: 3, indexes: ['P/block'] });
  const transitions = new Map([['P', { passing: 1, failing: 2, last: 'failing' as const }]]);
  const target = (at: number) =>
    targetKnowing(options, {
      health: { all: fresh(report({ P: failing('x', { message: { pendingProofs: 4 } }) }), at) },
      readiness: fresh(report({}), at),
      liveness: fresh(report({}), at),
      indexes: { 'P/block': fresh({ state: 'empty' }, at) },
      transitions,
      lastPoll: { at, answered: true, failures: [] },
    });
  const families = async (at: number) => new Set((await seriesOf(target(at))).map(({ name }) => name));

  test('still has samples exactly at the limit', async () => {
    expect(await families(noon - 30)).toContain('snowgauge_check_healthy');
  });

  test('has none after it; up, last report, polls, transitions, conditions and target info remain', async () => {
    expect([...(await families(noon - 30.001))].sort()).toEqual([
      'snowgauge_check_transitions_total',
      'snowgauge_health_detection_delay_seconds_bucket',
      'snowgauge_health_detection_delay_seconds_count',
      'snowgauge_health_detection_delay_seconds_sum',
      'snowgauge_index_integrity_errors_total',
      'snowgauge_last_report_timestamp_seconds',
      'snowgauge_node_id_changes_total',
      'snowgauge_node_restarts_total',
      'snowgauge_poll_duration_seconds_bucket',
      'snowgauge_poll_duration_seconds_count',
      'snowgauge_poll_duration_seconds_sum',
      'snowgauge_polls_total',
      'snowgauge_target_condition',
      'snowgauge_target_info',
      'snowgauge_up',
    ]);
  });

  test('leaves up at 0 and keeps the time of the last report', async () => {
    const old = target(noon - 31);
    expect(await samples(old, 'up')).toMatchObject({ 'up{target="node"}': 0 });
    expect(await samples(old, 'last_report')).toEqual({ 'last_report_timestamp_seconds{target="node"}': noon - 31 });
  });

  test('expires earlier if the node was seen to check more often', async () => {
    const known = target(noon - 14);
    const faster = { ...known, interval: measuredInterval(2) };
    expect(await samples(faster, 'check_healthy')).toEqual({});
  });

  test('keeps the transitions of every known check in both directions', async () => {
    expect(await samples(target(noon - 31), 'check_transitions')).toEqual({
      'check_transitions_total{target="node",check="P",to="passing"}': 1,
      'check_transitions_total{target="node",check="P",to="failing"}': 2,
    });
  });
});
