// What a kubelet gets of the node's verdicts, on either port, over real sockets.

import { expect, test, vi } from 'vitest';
import { judge } from '../../src/verdict/judge.ts';
import type { Judgement, State, TargetVerdicts } from '../../src/verdict/judgement.ts';
import { serveExporter } from '../support/exporter-server.ts';
import { noon, snapshotOf, targetKnowing, targetOptions } from '../support/snapshot.ts';

vi.setConfig({ testTimeout: 120_000 });

const say = (state: State, because: string): Judgement => ({ state, because, reasons: [], since: noon });

const options = targetOptions({
  name: 'n-1',
  tagSets: [
    { name: 'l1', tags: ['x'] },
    { name: 'everything', tags: [] },
  ],
});
const target = targetKnowing(options);

const verdicts = (live: State, started: State): ReadonlyMap<string, TargetVerdicts> =>
  new Map([
    [
      'n-1',
      {
        ...judge(undefined, target, noon),
        started: say(started, 'the node answers'),
        ready: new Map([
          ['l1', say('no', 'P: disk')],
          ['everything', say('unknown', 'no check has run for 5 min')],
        ]),
        live: say(live, 'because of that'),
      },
    ],
  ]);

interface Asking {
  readonly live?: State;
  readonly started?: State;
  readonly paths?: 'all' | 'probes';
  readonly method?: string;
}

const ask = async (path: string, { live = 'unknown', started = 'yes', paths = 'all', method = 'GET' }: Asking = {}) => {
  const { url } = await serveExporter({ snapshot: snapshotOf(target), verdicts: verdicts(live, started), options: { paths } });
  const response = await fetch(url + path, { method });
  return { status: response.status, body: await response.text() };
};

test.each([
  { path: '/targets/n-1/startupz', status: 200, body: 'yes: the node answers\n' },
  { path: '/targets/n-1/readyz', status: 503, body: 'unknown: no check has run for 5 min\n' },
  { path: '/targets/n-1/readyz/everything', status: 503, body: 'unknown: no check has run for 5 min\n' },
  { path: '/targets/n-1/readyz/l1', status: 503, body: 'no: P: disk\n' },
  { path: '/targets/n-1/readyz/l1?verbose', status: 503, body: 'no: P: disk\n' },
  { path: '/targets/n-1/livez', status: 200, body: 'unknown: because of that\n' },
  { path: '/targets/other/livez', status: 404, body: 'no target other: there are n-1\n' },
  { path: '/targets/n-1/readyz/l2', status: 404, body: 'no tag set l2: there are l1, everything\n' },
  { path: '/targets/n-1/readyz/%3Cb%3E', status: 404, body: 'no such tag set: there are l1, everything\n' },
  {
    path: '/targets/n-1/healthz',
    status: 404,
    body: 'no such probe of target n-1: there are startupz, readyz, livez and readyz/TAGSET\n',
  },
])('$path is $status on both ports', async ({ path, status, body }) => {
  expect(await ask(path)).toEqual({ status, body });
  expect(await ask(path, { paths: 'probes' })).toEqual({ status, body });
});

test.each([
  { live: 'yes', status: 200 },
  { live: 'no', status: 503 },
  { live: 'unknown', status: 200 },
] as const)('a liveness of $live is $status', async ({ live, status }) => {
  expect(await ask('/targets/n-1/livez', { live })).toEqual({ status, body: `${live}: because of that\n` });
});

test.each([
  { started: 'yes', status: 200 },
  { started: 'no', status: 503 },
  { started: 'unknown', status: 200 },
] as const)('a start of $started is $status', async ({ started, status }) => {
  expect(await ask('/targets/n-1/startupz', { started })).toEqual({ status, body: `${started}: the node answers\n` });
});

test.each(['/', '/metrics', '/api/v1/status', '/api/v1/events', '/targets', '/targets/n-1/livez/l1'])(
  'the port of the probes has no %s',
  async (path) => {
    const { status, body } = await ask(path, { live: 'yes', paths: 'probes' });
    expect(status).toBe(404);
    expect(body).toMatch(/not found: there are \/livez, \/readyz, |no such target/);
  },
);

test('it has the probes of the exporter itself', async () => {
  expect(await ask('/livez', { live: 'no', paths: 'probes' })).toEqual({ status: 200, body: 'ok\n' });
  expect(await ask('/readyz', { live: 'no', paths: 'probes' })).toEqual({ status: 200, body: 'ok\n' });
});

test('a probe is asked with GET or HEAD', async () => {
  expect(await ask('/targets/n-1/livez', { live: 'no', method: 'HEAD' })).toEqual({ status: 503, body: '' });
  expect(await ask('/targets/n-1/livez', { live: 'no', method: 'POST' })).toMatchObject({ status: 405 });
});
