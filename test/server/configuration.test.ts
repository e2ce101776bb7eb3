// How page, API and probe show a failed reload of the configuration.

import { expect, test } from 'vitest';
import type { Configuration } from '../../src/server/configuration.ts';
import { historyOf } from '../../src/server/history.ts';
import { viewOf } from '../../src/server/view.ts';
import { sources } from '../../src/sources/sources.ts';
import { serveExporter, stateOf } from '../support/exporter-server.ts';
import { noon, targetsOf } from '../support/snapshot.ts';

const inForce: Configuration = { source: '/etc/snowgauge/snowgauge.yaml', loadedAt: noon - 60, needRestart: [] };

const serving = async (first: Configuration) => {
  let configuration = first;
  const { url } = await serveExporter({ state: () => stateOf(undefined, { configuration }) });
  return {
    url,
    become: (next: Configuration): void => {
      configuration = next;
    },
    text: async (path: string): Promise<string> => (await fetch(`${url}${path}`)).text(),
  };
};

test('a wall clock change since the start shifts every timestamp of the exporter that is shown', async () => {
  const wallOffset = 7200;
  const configuration = { ...inForce, reloadFailure: { at: noon - 30, errors: ['one'] } };
  const { url } = await serveExporter({ state: () => stateOf(undefined, { configuration, wallOffset }) });
  const text = async (path: string): Promise<string> => (await fetch(`${url}${path}`)).text();
  expect(JSON.parse(await text('/api/v1/status'))).toMatchObject({
    now: '2026-11-20T14:00:00.000Z',
    startedAt: '2026-11-20T13:00:00.000Z',
    configuration: { loadedAt: '2026-11-20T13:59:00.000Z', reloadFailure: { at: '2026-11-20T13:59:30.000Z' } },
  });
  const page = await text('/');
  expect(page).toContain('running since <time datetime="2026-11-20T13:00:00.000Z">');
  expect(page).toContain('loaded at <time datetime="2026-11-20T13:59:00.000Z">');
});

test('the history of a node starts at the start of the exporter, in wall clock time as its records', () => {
  const at = noon + 7200;
  const view = viewOf(
    sources,
    targetsOf(),
    ['node'],
    { transitions: () => [], heldFrom: () => undefined },
    { version: '0', startedAt: noon - 60 },
    { now: noon, wallOffset: 7200 },
  );
  expect(historyOf([], view)).toMatchObject({ window: { from: at - 900, to: at }, seen: { since: at - 60, begun: at - 60 } });
});

const errors = Array.from({ length: 25 }, (_, at) => `snowgauge.yaml:${at}: targets[${at}].<b>: unknown key`);

test('page and API show the first 20 errors of a failed reload, and the page escapes them', async () => {
  const { text } = await serving({ ...inForce, reloadFailure: { at: noon, errors } });
  const page = await text('/');
  expect(page).toContain('Reload failed: the changed configuration is invalid');
  expect(page).toContain('targets[19].&lt;b&gt;: unknown key');
  expect(page).not.toContain('targets[20]');
  expect(page).toContain('5 more errors are not shown');
  expect(page).not.toContain('.<b>:');
  const { configuration } = JSON.parse(await text('/api/v1/status'));
  expect(configuration.reloadFailure).toEqual({
    at: new Date(noon * 1000).toISOString(),
    errors: errors.slice(0, 20),
    leftOut: 5,
  });
});

test('a loaded configuration is not mentioned on the page, and ok in /readyz?verbose', async () => {
  const { text } = await serving(inForce);
  expect(await text('/')).not.toContain('onfiguration');
  expect(await text('/readyz?verbose')).toContain('[+]configuration ok\n');
});

test('after a failed reload, /readyz is 200, and ?verbose has its error in one line', async () => {
  const { url, text } = await serving({ ...inForce, reloadFailure: { at: noon, errors } });
  expect((await fetch(`${url}/readyz`)).status).toBe(200);
  expect(await text('/readyz')).toBe('ok\n');
  expect(await text('/readyz?verbose')).toContain(
    '[!]configuration reload failed, keeping the previous configuration: snowgauge.yaml:0: targets[0].<b>: unknown key; and 24 more\n',
  );
  expect(await text('/livez?verbose')).not.toContain('configuration');
});

test('an open page gets an event at a failed reload, and then shows it', async () => {
  const { url, become, text } = await serving(inForce);
  const leave = new AbortController();
  const response = await fetch(`${url}/api/v1/events`, { signal: leave.signal });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let heard = '';
  const until = async (times: number): Promise<void> => {
    while ((heard.match(/event: changed/g) ?? []).length < times) heard += (await reader?.read())?.value ?? '';
  };
  await until(1);
  expect(await text('/?part=page')).not.toContain('Reload failed');
  become({ ...inForce, reloadFailure: { at: noon, errors } });
  await until(2);
  expect(await text('/?part=page')).toContain('Reload failed');
  leave.abort();
});
