// The responses to a kubelet's probes of the node, on both ports, over real sockets.

import { describe, expect, test } from 'vitest';
import type { Condition, ConditionReason, Target, Targets } from '../../src/conditions/condition.ts';
import { serveExporter, stateOf } from '../support/exporter-server.ts';
import { failing, fresh, judged, noon, passing, report, targetKnowing, targetOptions, targetsOf } from '../support/snapshot.ts';

type Status = Condition['status'];

const condition = (status: Status, reason: ConditionReason, message: string): Condition => ({
  status,
  reason,
  message,
  failureReasons: [],
  lastTransitionAt: noon,
});

const options = (name: string) =>
  targetOptions({
    name,
    tagSets: [
      { name: 'l1', tags: ['x'] },
      { name: 'everything', tags: [] },
    ],
  });

interface Said {
  readonly live?: Status;
  readonly started?: Status;
  readonly everything?: Status;
}

const target = (name: string, { live = 'Unknown', started = 'True', everything = 'Unknown' }: Said = {}): Target => {
  const { state, conditions } = judged(targetKnowing(options(name)));
  return {
    state,
    conditions: {
      ...conditions,
      started: condition(started, 'NodeResponding', 'the node responds'),
      ready: new Map([
        ['l1', condition('False', 'ChecksFailing', 'P: disk')],
        ['everything', condition(everything, 'HealthFrozen', 'no check has run for 5 min')],
      ]),
      healthy: new Map([
        ['l1', condition('False', 'ChecksFailing', '1 of 2 checks fails: P: disk')],
        ['everything', condition('Unknown', 'HealthFrozen', 'no check has run for 5 min')],
      ]),
      live: condition(live, 'Unresponsive', 'because of that'),
      trueUntil: noon,
    },
  };
};

const one = (said: Said = {}): Targets => new Map([['n-1', target('n-1', said)]]);
const two: Targets = new Map([
  ['n-1', target('n-1')],
  ['n-2', target('n-2')],
]);

interface Asking {
  readonly targets?: Targets;
  readonly paths?: 'all' | 'probes';
  readonly method?: string;
}

const ask = async (path: string, { targets = one(), paths = 'all', method = 'GET' }: Asking = {}) => {
  const { url } = await serveExporter({ targets, options: { paths } });
  const response = await fetch(url + path, { method });
  return { status: response.status, body: await response.text() };
};

const frozen = 'Unknown HealthFrozen: no check has run for 5 min';
const disk = 'False ChecksFailing: P: disk\nhealthy False ChecksFailing: 1 of 2 checks fails: P: disk\n';

describe('one target', () => {
  test.each([
    { path: 'startupz', status: 200, body: 'True NodeResponding: the node responds\n' },
    { path: 'readyz', status: 503, body: `${frozen}\nhealthy ${frozen}\n` },
    { path: 'readyz/everything', status: 503, body: `${frozen}\nhealthy ${frozen}\n` },
    { path: 'readyz/l1', status: 503, body: disk },
    { path: 'readyz/l1/', status: 503, body: disk },
    { path: 'readyz/l1?verbose', status: 503, body: disk },
    { path: 'livez', status: 200, body: 'Unknown Unresponsive: because of that\n' },
    { path: 'readyz/l2', status: 503, body: `${frozen} (the whole node: no tag set l2 is configured)\nhealthy ${frozen}\n` },
    { path: 'readyz/', status: 503, body: `${frozen}\nhealthy ${frozen}\n` },
    { path: 'readyz//', status: 503, body: `${frozen}\nhealthy ${frozen}\n` },
    {
      path: 'readyz/%3Cb%3E',
      status: 503,
      body: `${frozen} (the whole node: no tag set of that name is configured)\nhealthy ${frozen}\n`,
    },
    { path: 'healthz', status: 404, body: 'unknown probe: use startupz, readyz, readyz/TAGSET or livez\n' },
  ])('$path is $status by its name and as self, on both ports', async ({ path, status, body }) => {
    for (const of of ['/targets/n-1', '/self']) {
      expect(await ask(`${of}/${path}`)).toEqual({ status, body });
      expect(await ask(`${of}/${path}`, { paths: 'probes' })).toEqual({ status, body });
    }
  });

  test.each([
    { path: '/self/livez', said: { live: 'True' }, status: 200 },
    { path: '/self/livez', said: { live: 'False' }, status: 503 },
    { path: '/self/livez', said: { live: 'Unknown' }, status: 200 },
    { path: '/self/livez/', said: { live: 'True' }, status: 200 },
    { path: '/self/livez/', said: { live: 'False' }, status: 503 },
    { path: '/self/startupz/', said: { started: 'True' }, status: 200 },
    { path: '/self/startupz', said: { started: 'True' }, status: 200 },
    { path: '/self/startupz', said: { started: 'False' }, status: 503 },
    { path: '/self/startupz', said: { started: 'Unknown' }, status: 200 },
    { path: '/self/readyz', said: { everything: 'True' }, status: 200 },
    { path: '/self/readyz', said: { everything: 'False' }, status: 503 },
    { path: '/self/readyz', said: { everything: 'Unknown' }, status: 503 },
    { path: '/self/readyz/l9', said: { everything: 'True' }, status: 200 },
  ] as const)('$path with $said is $status', async ({ path, said, status }) => {
    expect(await ask(path, { targets: one(said) })).toMatchObject({ status });
  });
});

describe('a target name that is not configured does not cause 404', () => {
  const none = 'Unknown NotOneTarget: /self needs exactly one target, 0 are configured\n';
  const several = 'Unknown NotOneTarget: /self needs exactly one target, 2 are configured: use /targets/NAME\n';
  const unknown = 'Unknown TargetNotFound: unknown target "other": expected one of n-1, n-2\n';
  test.each([
    { path: '/self/startupz', targets: two, status: 200, body: several },
    { path: '/self/readyz', targets: two, status: 503, body: several },
    { path: '/self/readyz/l1', targets: two, status: 503, body: several },
    { path: '/self/livez', targets: two, status: 200, body: several },
    { path: '/self/readyz', targets: new Map(), status: 503, body: none },
    { path: '/self/livez', targets: new Map(), status: 200, body: none },
    { path: '/targets/other/startupz', targets: two, status: 200, body: unknown },
    { path: '/targets/other/readyz', targets: two, status: 503, body: unknown },
    { path: '/targets/other/readyz/l1', targets: two, status: 503, body: unknown },
    { path: '/targets/other/livez', targets: two, status: 200, body: unknown },
    {
      path: '/targets/%3Cb%3E/livez',
      targets: one(),
      status: 200,
      body: 'Unknown TargetNotFound: unknown target "%3Cb%3E": expected one of n-1\n',
    },
    {
      path: '/targets/__proto__/readyz',
      targets: new Map(),
      status: 503,
      body: 'Unknown TargetNotFound: unknown target "__proto__": there is none\n',
    },
  ])('$path is $status', async ({ path, targets, status, body }) => {
    expect(await ask(path, { targets })).toEqual({ status, body });
  });
});

test('a condition that was computed an hour ago is Unknown ReportStale', async () => {
  const state = targetKnowing(targetOptions(), {
    health: { all: fresh(report({ P: passing() })) },
    lastPoll: { at: noon - 5, answered: false, failures: [] },
  });
  let now = noon;
  const { url } = await serveExporter({ targets: targetsOf(state), now: () => now });
  const ready = async () => (await fetch(`${url}/self/readyz`)).status;
  expect(await ready()).toBe(200);
  now += 3600;
  expect(await ready()).toBe(503);
  expect(await (await fetch(`${url}/self/readyz`)).text()).toMatch(/^Unknown ReportStale: /);
});

test('with an ignored failing check, /readyz is 200 and its body shows Ready and Healthy', async () => {
  const readiness = { ...targetOptions().readiness, ignoreChecks: ['disk'] };
  const state = targetKnowing(targetOptions({ readiness }), {
    health: { all: fresh(report({ disk: failing('disk is full'), P: passing() })) },
  });
  const { status, body } = await ask('/self/readyz', { targets: targetsOf(state) });
  expect(status).toBe(200);
  expect(body.split('\n')).toEqual([
    expect.stringMatching(/^True FailuresIgnored: all other checks pass; ignored: disk/),
    expect.stringMatching(/^healthy False ChecksFailing: 1 of 2 checks fails: disk/),
    '',
  ]);
});

test('reports the name of the probed target, and nothing for unknown targets, other paths and other methods', async () => {
  const probed: string[] = [];
  const { url } = await serveExporter({ targets: one(), probed: (name) => probed.push(name) });
  for (const path of ['/self/livez', '/targets/n-1/readyz/l2', '/targets/n-9/readyz', '/self/nothing', '/livez', '/'])
    await fetch(url + path);
  await fetch(`${url}/self/livez`, { method: 'POST' });
  expect(probed).toEqual(['n-1', 'n-1']);
});

test('a target that a reload adds can be probed at once', async () => {
  let targets: Targets = new Map();
  const { url } = await serveExporter({ state: () => stateOf(targets) });
  expect(await (await fetch(`${url}/self/startupz`)).text()).toMatch(/^Unknown NotOneTarget/);
  targets = one();
  expect(await (await fetch(`${url}/self/startupz`)).text()).toBe('True NodeResponding: the node responds\n');
});

test.each(['/', '/metrics', '/api/v1/status', '/api/v1/events', '/targets', '/targets/n-1', '/self', '/targets/n-1/livez/l1'])(
  'the probe port responds to %s with 404',
  async (path) => {
    const { status, body } = await ask(path, { paths: 'probes' });
    expect(status).toBe(404);
    expect(body).toMatch(/not found, available paths: \/livez, \/readyz, \/self\/startupz|unknown probe/);
  },
);

test('the probe port serves the probes of the exporter itself', async () => {
  const targets = one({ live: 'False' });
  expect(await ask('/livez', { targets, paths: 'probes' })).toEqual({ status: 200, body: 'ok\n' });
  expect(await ask('/readyz', { targets, paths: 'probes' })).toEqual({ status: 200, body: 'ok\n' });
});

test('a probe accepts GET and HEAD, and rejects POST with 405', async () => {
  const targets = one({ live: 'False' });
  expect(await ask('/targets/n-1/livez', { targets, method: 'HEAD' })).toEqual({ status: 503, body: '' });
  expect(await ask('/targets/n-1/livez', { targets, method: 'POST' })).toMatchObject({ status: 405 });
});
