// The patterns of metrics.include and metrics.exclude.

import { expect, test } from 'vitest';
import { parseConfig } from '../../src/config/load.ts';
import { exported } from '../../src/config/metrics.ts';

const names = ['snowgauge_up', 'snowgauge_index_state', 'snowgauge_check_healthy', 'process_cpu_seconds_total'];

test.each([
  { include: [], exclude: [], left: names },
  { include: ['snowgauge_up'], exclude: [], left: ['snowgauge_up'] },
  { include: ['snowgauge_u'], exclude: ['snowgauge'], left: [] },
  { include: ['snowgauge_*'], exclude: ['*_state', '*check*'], left: ['snowgauge_up'] },
  { include: [], exclude: ['snowgauge_*e*'], left: ['snowgauge_up', 'process_cpu_seconds_total'] },
  { include: ['*'], exclude: ['process_*'], left: names.slice(0, 3) },
])('include $include, exclude $exclude leaves $left', ({ include, exclude, left }) => {
  expect(names.filter(exported({ include, exclude }))).toEqual(left);
});

test.each(['snowgauge-up', 'up{}', '.*', '', '*a*b*c*d*e', 'a'.repeat(257)])('rejects the pattern %j', async (pattern) => {
  const parsed = await parseConfig(JSON.stringify({ metrics: { exclude: [pattern] } }), {});
  expect(parsed).toMatchObject({ kind: 'invalid', errors: [{ path: 'metrics.exclude[0]' }] });
});

test.each([
  { metrics: { include: ['snowgauge_*', 'process_*', '*_seconds_total', 'nodejs_version_info'], exclude: ['*eventloop*'] } },
  { metrics: { exclude: ['process_max_fds', 'snowgauge_shard_*', 'snowgauge_check_transitions_total'] } },
])('accepts families of other platforms and configurations: %j', async (config) => {
  expect(await parseConfig(JSON.stringify(config), {})).toMatchObject({ kind: 'ok' });
});

test('rejects a pattern that matches no family, with its line and the most similar name', async () => {
  const text = `
    metrics:
      include: [snowgauge_up, snowgauge_check_helthy]
      exclude:
        - avalanche_*
        - snowgauge_index_stat*
        - snowgauge_indx_state*
  `;
  const nothing = 'matches no metric family';
  expect(await parseConfig(text, {})).toEqual({
    kind: 'invalid',
    errors: [
      { path: 'metrics.include[1]', line: 3, message: `${nothing}: did you mean snowgauge_check_healthy?` },
      { path: 'metrics.exclude[0]', line: 5, message: `${nothing}: docs/metrics.md lists them` },
      { path: 'metrics.exclude[2]', line: 7, message: `${nothing}: did you mean snowgauge_index_state?` },
    ],
  });
});

test('include and exclude are empty by default', async () => {
  expect(await parseConfig('', {})).toMatchObject({ value: { metrics: { include: [], exclude: [] } } });
});

test.each([
  { address: '10.1.2.3:9652', kind: 'ok' },
  { address: '[fd00::1]:9652', kind: 'ok' },
  { address: 'http://a:1', kind: 'invalid' },
  { address: 'host', kind: 'invalid' },
  { address: 'host:99999', kind: 'invalid' },
  { address: 'host:0', kind: 'invalid' },
  { address: '[1:2]:9652', kind: 'invalid' },
])('the external address $address is $kind', async ({ address, kind }) => {
  expect(await parseConfig(JSON.stringify({ listen: { externalAddress: address } }), {})).toMatchObject({ kind });
});
