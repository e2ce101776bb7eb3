// `snowgauge drill` without the tools, and what is made of what was measured.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { hasLabels, samplesOf } from '../../src/drills/ask.ts';
import type { Drill } from '../../src/drills/drill.ts';
import { drills, undrilled } from '../../src/drills/drills.ts';
import { judge } from '../../src/drills/judge.ts';
import { settingsOf } from '../../src/drills/pace.ts';
import type { Arrival } from '../../src/drills/receiver.ts';
import { startReceiver } from '../../src/drills/receiver.ts';
import type { Measured } from '../../src/drills/run-drill.ts';
import { startWatchdog } from '../../src/drills/time.ts';
import { definitions } from '../../src/metrics/families.ts';
import { alerts } from '../../src/rules/alerts.ts';
import { typed } from '../support/command.ts';

const names = alerts.map(({ name }) => name);

describe('the table of drills', () => {
  test('has one for every alert, or says why there is none', () => {
    const drilled = drills.map(({ alert }): string => alert);
    expect(names.filter((name) => !drilled.includes(name)).sort()).toEqual(Object.keys(undrilled).sort());
  });

  test('names each drill once, and alerts, families and settings that there are', () => {
    expect(drills.map(({ name }) => name)).toEqual([...new Set(drills.map(({ name }) => name))]);
    const known = new Set<string>(names);
    expect(drills.flatMap(({ alert, alongside = [] }) => [alert, ...alongside]).filter((name) => !known.has(name))).toEqual([]);
    const families = new Set<string>(definitions.map(({ name }) => name));
    expect(drills.flatMap(({ sign }) => (sign === undefined ? [] : [sign.family])).filter((name) => !families.has(name))).toEqual(
      [],
    );
    for (const { set } of drills) expect(() => settingsOf(set)).not.toThrow();
  });
});

describe('snowgauge drill', () => {
  test('lists the drills', async () => {
    const { stdout, code } = await typed(['drill']);
    for (const { name } of drills) expect(stdout).toMatch(new RegExp(`^${name} `, 'm'));
    expect(code).toBe(0);
    expect(JSON.parse((await typed(['drill', '--output', 'json'])).stdout).drills).toHaveLength(drills.length);
  });

  test.each([
    { args: ['disk-lo'], said: 'snowgauge drill: there is no drill "disk-lo", did you mean disk-low?' },
    { args: ['--all', '--jobs', '0'], said: 'snowgauge drill: --jobs: "0" is not a number from 1 to 16' },
    { args: ['--all', 'disk-low'], said: 'snowgauge drill: give names, or --all, not both' },
  ])('$args is an error, and ends with 2', async ({ args, said }) => {
    expect(await typed(['drill', ...args])).toEqual({ stdout: '', stderr: `${said}\n`, code: 2 });
  });

  test('without Prometheus and Alertmanager it says what to install, and ends with 3', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'snowgauge-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const { stderr, stdout, code } = await typed(['drill', 'disk-low'], { env: { PATH: folder, HOME: folder } });
    expect({ stdout, code }).toEqual({ stdout: '', code: 3 });
    expect(stderr).toMatch(
      /^snowgauge drill: there is no prometheus on the PATH.*\nsnowgauge drill: there is no alertmanager on the PATH.*\n/,
    );
    expect(stderr).toContain('--prometheus FILE');
  });

  test('a program that is named and is none is told', async () => {
    const { stderr, code } = await typed(['drill', 'disk-low', '--prometheus', '/nowhere/prometheus'], { env: {} });
    expect(code).toBe(3);
    expect(stderr).toContain('snowgauge drill: --prometheus: "/nowhere/prometheus" is no program that can be run');
  });
});

const drill: Drill = {
  name: 'a-drill',
  breaks: 'Something breaks.',
  injections: [],
  sign: { family: 'snowgauge_up', is: (value) => value === 0 },
  alert: 'SnowgaugePeersLow',
  labels: { target: 'node-1' },
  alongside: ['SnowgaugeUnhealthy'],
  look: 'There.',
};
const came = (alert: string, firedAt: number, labels: Readonly<Record<string, string>> = { target: 'node-1' }): Arrival => ({
  alert,
  labels,
  summary: 'A summary.',
  firedAt,
  receivedAt: firedAt + 0.1,
});
const measured = (over: Partial<Measured> = {}): Measured => ({
  faultAt: 100,
  detectedAt: 101,
  arrivals: [came('SnowgaugePeersLow', 106)],
  late: { seeing: 0, firing: 0 },
  ...over,
});

describe('what was measured', () => {
  test.each([
    { title: 'all came in time', given: measured(), faults: [] },
    {
      title: 'an alert that may come with it came too',
      given: measured({ arrivals: [came('SnowgaugeUnhealthy', 105), came('SnowgaugePeersLow', 106)] }),
      faults: [],
    },
    {
      title: 'it was seen late',
      given: measured({ detectedAt: 102.5 }),
      faults: ['it was seen after 2.5 s, and 2.0 s are allowed'],
    },
    {
      title: 'it was seen late, on a machine that was as late itself',
      given: measured({ detectedAt: 102.5, late: { seeing: 0.6, firing: 0 } }),
      faults: [],
    },
    {
      title: 'it was never seen',
      given: { faultAt: 100, arrivals: [came('SnowgaugePeersLow', 106)], late: { seeing: 0, firing: 0 } },
      faults: ['snowgauge_up never showed it'],
    },
    {
      title: 'the alert fired late',
      given: measured({ arrivals: [came('SnowgaugePeersLow', 109)] }),
      faults: ['SnowgaugePeersLow fired after 8.0 s, and 7.0 s are allowed'],
    },
    {
      title: 'the alert came before its reason',
      given: measured({ arrivals: [came('SnowgaugePeersLow', 99)] }),
      faults: ['SnowgaugePeersLow fired before it had a reason to'],
    },
    {
      title: 'it came for another node',
      given: measured({ arrivals: [came('SnowgaugePeersLow', 106, { target: 'node-2' })] }),
      faults: ['SnowgaugePeersLow never came with target node-1'],
    },
    {
      title: 'an alert came that nobody expected',
      given: measured({ arrivals: [came('SnowgaugePeersLow', 106), came('SnowgaugeClockSkew', 106)] }),
      faults: ['SnowgaugeClockSkew was not expected: A summary.'],
    },
    {
      title: 'all was never well',
      given: { arrivals: [], late: { seeing: 0, firing: 0 } },
      faults: ['all was never well before it began'],
    },
    {
      title: 'the alert fired late, on a machine that was as late itself',
      given: measured({ arrivals: [came('SnowgaugePeersLow', 109)], late: { seeing: 0, firing: 1 } }),
      faults: [],
    },
  ])('is judged: $title', ({ given, faults }) => {
    expect(judge(drill, given).faults).toEqual(faults);
  });
});

test('samples are read from a page by family and labels', () => {
  const page =
    '# HELP snowgauge_up Up.\nsnowgauge_up{target="a"} 1\nsnowgauge_up_more{target="a"} 2\nsnowgauge_clock_skew_seconds 0.5\n';
  expect(samplesOf(page, 'snowgauge_up')).toEqual([{ labels: 'target="a"', value: 1 }]);
  expect(samplesOf(page, 'snowgauge_clock_skew_seconds')).toEqual([{ labels: '', value: 0.5 }]);
  expect(hasLabels({ labels: 'target="a",tag_set="b"', value: 1 }, { tag_set: 'b' })).toBe(true);
  expect(hasLabels({ labels: 'target="a",my_tag_set="b"', value: 1 }, { tag_set: 'b' })).toBe(false);
});

test('a machine whose timers are late is seen to be late', async () => {
  let now = 0;
  const watchdog = startWatchdog(() => now);
  now = 3;
  await expect.poll(() => watchdog.worst()).toBeCloseTo(2.95);
  watchdog.stop();
});

describe('the receiver', () => {
  const alert = (status: string) => ({
    status,
    labels: { alertname: 'SnowgaugeTargetDown', target: 'node-1' },
    annotations: { summary: 'It is down.' },
    startsAt: '2027-01-15T08:00:00.5Z',
    endsAt: '0001-01-01T00:00:00Z',
  });
  const post = async (url: string, body: string): Promise<number> => (await fetch(url, { method: 'POST', body })).status;

  test('writes down each alert that fires, once, and when', async () => {
    const receiver = await startReceiver(() => 1_800_000_003);
    onTestFinished(receiver.close);
    const body = JSON.stringify({ alerts: [alert('firing'), alert('resolved')] });
    expect([await post(receiver.url, body), await post(receiver.url, body)]).toEqual([200, 200]);
    expect(receiver.arrivals()).toEqual([
      {
        alert: 'SnowgaugeTargetDown',
        labels: { alertname: 'SnowgaugeTargetDown', target: 'node-1' },
        summary: 'It is down.',
        firedAt: 1_800_000_000.5,
        receivedAt: 1_800_000_003,
      },
    ]);
  });

  test.each([
    { what: 'no JSON', body: 'hello' },
    { what: 'another JSON', body: '{}' },
    { what: 'far too much', body: `"${'x'.repeat(2 * 1024 * 1024)}"` },
  ])('refuses $what', async ({ body }) => {
    const receiver = await startReceiver(() => 0);
    onTestFinished(receiver.close);
    expect(await post(receiver.url, body).catch(() => 400)).toBe(400);
    expect(receiver.arrivals()).toEqual([]);
  });
});
