// `snowgauge drill` without Prometheus and Alertmanager, and the judgement of measurements.

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { hasLabels, samplesOf } from '../../src/drills/ask.ts';
import type { Drill } from '../../src/drills/drill.ts';
import { drills, undrilled } from '../../src/drills/drills.ts';
import { judgeDrill } from '../../src/drills/judge.ts';
import { expectedOf } from '../../src/drills/notified.ts';
import { settingsOf } from '../../src/drills/pace.ts';
import type { Arrival, Notification } from '../../src/drills/receiver.ts';
import { announcement, asJson, result } from '../../src/drills/report.ts';
import type { Measured } from '../../src/drills/run-drill.ts';
import { startWatchdog } from '../../src/drills/time.ts';
import { findTools } from '../../src/drills/tools.ts';
import { definitions } from '../../src/metrics/families.ts';
import { alerts } from '../../src/rules/alerts.ts';
import { unknownName } from '../../src/text.ts';
import { typed } from '../support/command.ts';

const drillNames = drills.map(({ name }) => name);
const names = alerts.map(({ name }) => name);

describe('the table of drills', () => {
  test('has a drill for every alert, or a reason why there is none', () => {
    const drilled = drills.map(({ alert }): string => alert);
    expect(names.filter((name) => !drilled.includes(name)).sort()).toEqual(Object.keys(undrilled).sort());
  });

  test('has unique names, and only existing alerts, families and settings', () => {
    expect(drills.map(({ name }) => name)).toEqual([...new Set(drills.map(({ name }) => name))]);
    const known = new Set<string>(names);
    expect(drills.flatMap(({ alert, alongside = [] }) => [alert, ...alongside]).filter((name) => !known.has(name))).toEqual([]);
    const families = new Set<string>(definitions.map(({ name }) => name));
    expect(drills.flatMap(({ sign }) => (sign === undefined ? [] : [sign.family])).filter((name) => !families.has(name))).toEqual(
      [],
    );
    const notified = drills.flatMap((one) => expectedOf(one)).map((text) => text.replace(/^\w+: /, ''));
    expect(notified.flatMap((text) => text.split(', ')).filter((name) => !known.has(name.replace(/ ×\d+$/, '')))).toEqual([]);
    for (const { set } of drills) expect(() => settingsOf(set)).not.toThrow();
  });
});

describe('snowgauge drill', () => {
  test('announces disk-low as docs/commands.md shows it', async () => {
    const commands = await readFile(new URL('../../docs/commands.md', import.meta.url), 'utf8');
    const drill = drills.find(({ name }) => name === 'disk-low');
    const announced = drill === undefined ? '' : announcement(drill, plain);
    expect(commands).toContain(announced.trimEnd().replaceAll(/^/gm, '    '));
    expect(commands).toContain(`notifications        ${drill && expectedOf(drill).join('; ')}\n`);
  });

  test('lists the drills', async () => {
    const { stdout, code } = await typed(['drill']);
    for (const { name } of drills) expect(stdout).toMatch(new RegExp(`^${name} `, 'm'));
    expect(code).toBe(0);
    const listed = drills.map(({ name, fault, alert, look }) => ({ name, fault, alert, look }));
    expect(JSON.parse((await typed(['drill', '--output', 'json'])).stdout)).toEqual({ drills: listed });
  });

  test.each([
    { args: ['disk-lo'], said: 'snowgauge drill: unknown drill "disk-lo": did you mean disk-low?' },
    { args: ['nope'], said: `snowgauge drill: ${unknownName('drill', 'nope', drillNames)}` },
    { args: ['--all', '--jobs', '0'], said: 'snowgauge drill: --jobs: "0" is not a number from 1 to 16' },
    { args: ['--all', 'disk-low'], said: 'snowgauge drill: give names, or --all, not both' },
  ])('$args is an error with exit code 2', async ({ args, said }) => {
    expect(await typed(['drill', ...args])).toEqual({ stdout: '', stderr: `${said}\n`, code: 2 });
  });

  test('without Prometheus, prints what to install and exits with code 3', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'snowgauge-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const { stderr, stdout, code } = await typed(['drill', 'disk-low'], { env: { PATH: folder, HOME: folder } });
    expect({ stdout, code }).toEqual({ stdout: '', code: 3 });
    expect(stderr).toMatch(/^snowgauge drill: no prometheus on the PATH.*\nA drill runs /);
    expect(stderr).toContain('--prometheus FILE');
  });

  test.each(['prometheus', 'alertmanager'] as const)('--%s with a missing file is an error with exit code 3', async (tool) => {
    const given = { prometheus: process.execPath, [tool]: `/nowhere/${tool}` };
    const args = Object.entries(given).flatMap(([name, file]) => [`--${name}`, file]);
    const { stderr, code } = await typed(['drill', 'disk-low', ...args], { env: {} });
    expect(code).toBe(3);
    expect(stderr).toContain(`snowgauge drill: --${tool}: "/nowhere/${tool}" is not an executable file`);
  });

  test('a drill needs Prometheus but not Alertmanager', async () => {
    expect(await findTools({ prometheus: process.execPath }, {})).toEqual({
      kind: 'ok',
      tools: { prometheus: process.execPath },
    });
  });
});

const drill: Drill = {
  name: 'a-drill',
  fault: 'Something breaks.',
  injections: [],
  sign: { family: 'snowgauge_up', is: (value) => value === 0 },
  alert: 'SnowgaugePeersLow',
  labels: { target: 'node-1' },
  alongside: ['SnowgaugeUnhealthy'],
  look: 'There.',
};
const came = (alert: string, firedAt: number, labels: Readonly<Record<string, string>> = { target: 'node-1' }): Arrival => ({
  alert,
  labels: { ...labels, alertname: alert },
  summary: 'A summary.',
  firedAt,
});
const notified = (receiver: string, ...alerts: readonly string[]): Notification => ({
  receiver,
  alerts: alerts.map((alertname) => ({ alertname, target: 'node-1' })),
  receivedAt: 110,
});
const measured = (over: Partial<Measured> = {}): Measured => ({
  faultAt: 100,
  detectedAt: 101,
  arrivals: [came('SnowgaugePeersLow', 106)],
  notifications: [notified('chat', 'SnowgaugePeersLow')],
  schedulingDelay: { detectionSeconds: 0, totalSeconds: 0, ratio: 0 },
  ...over,
});

const without = (key: 'faultAt' | 'detectedAt'): Measured => {
  const { [key]: _, ...rest } = measured();
  return rest;
};
const plain = { strong: String, good: String, bad: String };

describe('a measured drill', () => {
  test.each([
    { title: 'everything is in time', given: measured(), failures: [] },
    {
      title: 'an alert of `alongside` fires too',
      given: measured({ arrivals: [came('SnowgaugeUnhealthy', 105), came('SnowgaugePeersLow', 106)] }),
      failures: [],
    },
    {
      title: 'the fault is detected late',
      given: measured({ detectedAt: 102.5 }),
      failures: ['detected after 2.5 s, allowed: 2.0 s'],
    },
    {
      title: 'the fault is detected late, but within the scheduling delay',
      given: measured({ detectedAt: 102.5, schedulingDelay: { detectionSeconds: 0.6, totalSeconds: 0, ratio: 0 } }),
      failures: [],
    },
    {
      title: 'the fault is never detected',
      given: without('detectedAt'),
      failures: ['snowgauge_up never showed the fault'],
    },
    {
      title: 'the alert fires late',
      given: measured({ arrivals: [came('SnowgaugePeersLow', 110)] }),
      failures: ['SnowgaugePeersLow fired after 9.0 s, allowed: 8.0 s'],
    },
    {
      title: 'the alert fires before the fault',
      given: measured({ arrivals: [came('SnowgaugePeersLow', 99)] }),
      failures: ['SnowgaugePeersLow fired before the fault'],
    },
    {
      title: 'the alert fires for another node',
      given: measured({ arrivals: [came('SnowgaugePeersLow', 106, { target: 'node-2' })] }),
      failures: ['SnowgaugePeersLow never fired with target node-1'],
    },
    {
      title: 'an unexpected alert fires',
      given: measured({ arrivals: [came('SnowgaugePeersLow', 106), came('SnowgaugeClockSkew', 106)] }),
      failures: ['SnowgaugeClockSkew was not expected: A summary.'],
    },
    {
      title: 'there is no steady state before the fault',
      given: without('faultAt'),
      failures: ['no steady state before the fault: not everything was healthy'],
    },
    {
      title: 'the alert fires late, but within the scheduling delay',
      given: measured({
        arrivals: [came('SnowgaugePeersLow', 109)],
        schedulingDelay: { detectionSeconds: 0, totalSeconds: 1, ratio: 0 },
      }),
      failures: [],
    },
    {
      title: 'a notification is missing',
      given: measured({ notifications: [] }),
      failures: ['no notification to chat: SnowgaugePeersLow'],
    },
    {
      title: 'a notification is sent twice',
      given: measured({ notifications: [notified('chat', 'SnowgaugePeersLow'), notified('chat', 'SnowgaugePeersLow')] }),
      failures: ['unexpected notification to chat: SnowgaugePeersLow'],
    },
    {
      title: 'a notification goes to the wrong receiver',
      given: measured({ notifications: [notified('pager', 'SnowgaugePeersLow')] }),
      failures: ['no notification to chat: SnowgaugePeersLow', 'unexpected notification to pager: SnowgaugePeersLow'],
    },
    {
      title: 'a notification has more alerts',
      given: measured({ notifications: [notified('chat', 'SnowgaugePeersLow', 'SnowgaugeUnhealthy', 'SnowgaugeUnhealthy')] }),
      failures: [
        'no notification to chat: SnowgaugePeersLow',
        'unexpected notification to chat: SnowgaugePeersLow, SnowgaugeUnhealthy ×2',
      ],
    },
    { title: 'there is no Alertmanager', given: measured({ notifications: undefined }), failures: [] },
  ])('is judged if $title', ({ given, failures }) => {
    expect(judgeDrill(drill, given)).toMatchObject({ failures, outcome: failures.length === 0 ? 'passed' : 'failed' });
  });

  test('is inconclusive instead of failed if the scheduling delay was at least 25 % of the time', () => {
    const tooLate = { arrivals: [came('SnowgaugePeersLow', 120)] };
    expect(
      judgeDrill(drill, measured({ ...tooLate, schedulingDelay: { detectionSeconds: 0, totalSeconds: 4, ratio: 0.2 } })).outcome,
    ).toBe('failed');
    const judged = judgeDrill(
      drill,
      measured({ ...tooLate, schedulingDelay: { detectionSeconds: 0, totalSeconds: 4, ratio: 0.25 } }),
    );
    expect(judged.outcome).toBe('inconclusive');
    expect(result(judged, plain)).toContain('scheduling delay was 25 % of the time (maximum 20 %): run the drill alone');
    expect(asJson([judged])).toMatchObject({ passed: false, drills: [{ outcome: 'inconclusive', passed: false }] });
    expect(judgeDrill(drill, measured({ schedulingDelay: { detectionSeconds: 0, totalSeconds: 9, ratio: 0.9 } })).outcome).toBe(
      'passed',
    );
  });

  test('is reported with every notification', () => {
    expect(result(judgeDrill(drill, measured()), plain)).toBe(`passed  a-drill
  time to detect       1.0 s (allowed: 2.0 s)
  time to alert        5.0 s after detection (allowed: 8.0 s)
  time to notification 4.0 s after the alert
  notifications        chat: SnowgaugePeersLow
  unexpected alerts    none
`);
    const at = (seconds: string): string => `1970-01-01T00:0${seconds}.000Z`;
    const labels = { target: 'node-1', alertname: 'SnowgaugePeersLow' };
    const { settings, ...rest } = asJson([judgeDrill(drill, measured())]);
    expect(settings).toEqual({ checkIntervalSeconds: 1, scrapeSeconds: 1, evaluationSeconds: 1, groupingSeconds: 6 });
    expect(rest).toEqual({
      passed: true,
      drills: [
        {
          name: 'a-drill',
          fault: 'Something breaks.',
          alert: 'SnowgaugePeersLow',
          outcome: 'passed',
          passed: true,
          failures: [],
          faultAt: at('1:40'),
          detection: { tookSeconds: 1, allowedSeconds: 2 },
          firing: { tookSeconds: 5, allowedSeconds: 8 },
          deliverySeconds: 4,
          schedulingDelay: { detectionSeconds: 0, totalSeconds: 0, ratio: 0 },
          notifications: {
            delivered: ['chat: SnowgaugePeersLow'],
            expected: ['chat: SnowgaugePeersLow'],
            all: [{ receiver: 'chat', alerts: [labels], receivedAt: at('1:50') }],
          },
          unexpected: [],
          arrivals: [{ alert: 'SnowgaugePeersLow', labels, firedAt: at('1:46') }],
        },
      ],
    });
    const unjudged = judgeDrill(drill, measured({ notifications: undefined }));
    expect(result(unjudged, plain)).toContain('  notifications        not judged: no Alertmanager\n');
    expect(asJson([unjudged])).toMatchObject({ passed: true, drills: [{ notifications: null }] });
  });
});

test('reads samples of a page by family and labels', () => {
  const page =
    '# HELP snowgauge_up Up.\nsnowgauge_up{target="a"} 1\nsnowgauge_up_more{target="a"} 2\nsnowgauge_clock_skew_seconds 0.5\n';
  expect(samplesOf(page, 'snowgauge_up')).toEqual([{ labels: 'target="a"', value: 1 }]);
  expect(samplesOf(page, 'snowgauge_clock_skew_seconds')).toEqual([{ labels: '', value: 0.5 }]);
  expect(hasLabels({ labels: 'target="a",tag_set="b"', value: 1 }, { tag_set: 'b' })).toBe(true);
  expect(hasLabels({ labels: 'target="a",my_tag_set="b"', value: 1 }, { tag_set: 'b' })).toBe(false);
});

test('the watchdog adds up the delays of timers, without a few milliseconds each', async () => {
  let now = 0;
  let ticks = 0;
  const watchdog = startWatchdog(() => {
    ticks += 1;
    return now;
  });
  for (const late of [3, 0.06, 1.05]) {
    const before = ticks;
    now += late;
    await expect.poll(() => ticks).toBeGreaterThan(before);
  }
  expect(watchdog.delaySeconds()).toBeCloseTo(2.95 + 1);
  watchdog.stop();
});
