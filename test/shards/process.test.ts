// `snowgauge run --shard`: three processes with one configuration, and errors in the flags.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { shardingOf } from '../../src/commands/sharding.ts';
import { defaultPace } from '../../src/kubernetes/follow.ts';
import { silentLog } from '../../src/log.ts';
import { createOwners } from '../../src/shards/owners.ts';
import { folderOf, nodes } from '../discovery/world.ts';
import { freePort } from '../support/free-port.ts';
import { accountOf } from '../support/label-keeper.ts';
import { patience, startRun } from '../support/run-process.ts';
import { startCommand } from '../support/running-command.ts';

const { ownerOf } = createOwners();
const named = Array.from({ length: 6 }, (_, at) => `named-${at}`);
const found = Array.from({ length: 6 }, (_, at) => `found-${at}`);
const ownedBy = (shard: number): readonly string[] => [...named, ...found].filter((name) => ownerOf(name, 3) === shard);

test('three processes share configured and discovered targets, and each knows the addresses of all', async () => {
  const [folder, { port }] = [await folderOf(), await nodes()];
  const list = found.map((target, at) => ({ targets: [`127.0.1.${at + 1}:${port}`], labels: { target } }));
  await writeFile(join(folder, 'found.json'), JSON.stringify(list));
  const config = {
    listen: { externalAddress: 'gauge-{shard}.example.com:9652' },
    targets: named.map((name, at) => ({
      name,
      url: `http://127.0.0.${at + 2}:${port}`,
      healthCheckFrequency: '1s',
      labels: { site: 'ams' },
    })),
    discovery: { target: { healthCheckFrequency: '1s', timeout: '1s' }, file: [{ files: [join(folder, 'found.json')] }] },
  };
  const file = join(folder, 'snowgauge.yaml');
  await writeFile(file, JSON.stringify(config));
  const shards = await Promise.all([
    startRun(file, {}, ['--shard', '0', '--total-shards', '3']),
    startRun(file, { SNOWGAUGE_SHARD: '1', SNOWGAUGE_TOTAL_SHARDS: '3' }),
    // The flag overrides the environment variable.
    startRun(file, { SNOWGAUGE_SHARD: '1' }, ['--shard', '2', '--total-shards', '3']),
  ]);
  for (const [at, shard] of shards.entries()) {
    const up = async () =>
      (await shard.series()).flatMap(({ name, value, labels }) =>
        name === 'snowgauge_up' && value === 1 ? [labels.get('target')] : [],
      );
    await expect.poll(async () => (await up()).toSorted(), patience).toEqual(ownedBy(at).toSorted());
    expect(await shard.values('snowgauge_shard_info', { shard: String(at), total_shards: '3' })).toEqual([1]);
    await expect.poll(() => shard.values('snowgauge_shard_fleet_targets'), patience).toEqual([12]);
    expect((await shard.get('/readyz')).status).toBe(200);
    const groups: readonly { readonly targets: readonly string[]; readonly labels: Readonly<Record<string, string>> }[] =
      JSON.parse((await shard.get('/api/v1/sd')).body);
    expect(groups.map(({ targets, labels }) => [labels.__metrics_path__, ...targets]).toSorted()).toEqual(
      [
        ...[0, 1, 2].map((one) => ['/exporter/metrics', `gauge-${one}.example.com:9652`]),
        ...[...named, ...found].map((name) => [`/targets/${name}/metrics`, `gauge-${ownerOf(name, 3)}.example.com:9652`]),
      ].toSorted(),
    );
  }
  // After a reload, a shard takes only its own targets.
  const [first] = shards;
  await first.said(`"targets":${ownedBy(0).filter((name) => named.includes(name)).length},"configuration":`);
  const ownFound = ownedBy(0).filter((name) => found.includes(name)).length;
  await first.said(`"targets":${ownFound},"msg":"discovered targets changed"`);
  const [moved = ''] = ownedBy(0).filter((name) => named.includes(name));
  await writeFile(file, JSON.stringify({ ...config, targets: config.targets.filter(({ name }) => name === moved) }));
  const left = [moved, ...ownedBy(0).filter((name) => found.includes(name))];
  await expect.poll(() => first.values('snowgauge_shard_fleet_targets'), patience).toEqual([7]);
  expect((await first.values('snowgauge_up')).length).toBe(left.length);
  await expect.poll(() => first.values('snowgauge_up', { target: moved }), patience).toEqual([1]);
});

test('a shard with all listeners of the abort signal logs only JSON, without warnings of Node.js', async () => {
  const folder = await folderOf();
  const config = {
    ...{ stateDir: join(folder, 'state'), probes: { port: await freePort() }, probe: { allow: [{ cidr: '127.0.0.1' }] } },
    kubernetes: { serviceAccountDir: accountOf() },
    discovery: { kubernetes: [{ namespaces: ['a'] }], http: [{ url: 'http://127.0.0.1:1/' }], dns: [{ names: ['a.invalid'] }] },
  };
  const file = join(folder, 'snowgauge.yaml');
  await writeFile(file, JSON.stringify(config));
  const nowhere = { KUBERNETES_SERVICE_HOST: '127.0.0.1', KUBERNETES_SERVICE_PORT: '1' };
  const run = await startRun(file, nowhere, ['--pod', 'gauge-0', '--pod-namespace', 'a']);
  await run.said('"msg":"StatefulSet not watched');
  for (const source of ['kubernetes/0', 'http/0', 'dns/0']) await run.said(`"source":"${source}"`);
  expect(run.lines().filter((line) => !line.startsWith('{'))).toEqual([]);
});

test.each([
  { args: ['--shard', '3', '--total-shards', '3'], error: '--shard: 3 is out of range: the last of 3 shards is 2' },
  { args: ['--shard', '1'], error: '--total-shards: is missing: --shard and --total-shards must be set together' },
  { args: ['--total-shards', '2'], error: '--shard: is missing: --shard and --total-shards must be set together' },
  { args: ['--shard', '-1', '--total-shards', '2'], error: '--shard: "-1" is not an integer from 0 to 1000' },
  { args: ['--shard', '0', '--total-shards', '0'], error: '--total-shards: "0" is not an integer from 1 to 1000' },
  { args: ['--shard', 'a', '--total-shards', '1001'], error: '--total-shards: "1001" is not an integer from 1 to 1000' },
  { args: ['--pod', 'gauge', '--pod-namespace', 'a'], error: '--pod: "gauge" is not a pod of a StatefulSet' },
  { args: ['--pod', 'gauge-0'], error: 'SNOWGAUGE_POD_NAMESPACE: is missing' },
  { args: ['--pod', 'gauge-0', '--pod-namespace', 'A'], error: '--pod-namespace: is not the name of a namespace' },
  { args: ['--pod-namespace', 'a'], error: '--pod-namespace: has no effect without --pod' },
  { args: ['--pod', 'gauge-0', '--shard', '0'], error: '--pod: cannot be combined with --shard' },
  { args: ['--pod', 'gauge-0', '--pod-namespace', 'a'], error: '--pod: needs KUBERNETES_SERVICE_HOST' },
])('run $args exits with code 2: $error', async ({ args, error }) => {
  const { code, stderr } = await startCommand(['run', ...args]).finished;
  expect(stderr).toContain(error);
  expect(code).toBe(2);
});

test('a shard that is stopped while it starts does not wait for the number of shards', async () => {
  let failures = 0;
  const sharding = shardingOf(
    {
      setting: { kind: 'pod', set: { namespace: 'monitoring', name: 'gauge' }, ordinal: 0 },
      listen: { port: 9652 },
      cluster: { server: undefined, serviceAccountDir: '' },
      pace: { ...defaultPace, patience: 0 },
    },
    {
      now: () => 0,
      log: silentLog,
      signal: AbortSignal.abort(),
      all: () => [],
      longestInterval: () => 30,
      lists: () => null,
      watched: () => 0,
      changed: () => undefined,
      failed: () => {
        failures += 1;
      },
    },
  );
  await sharding.finished;
  // A timer of the same length that was set earlier would run before this one.
  await new Promise((resolve) => setTimeout(resolve, 0));
  expect(failures).toBe(0);
});
