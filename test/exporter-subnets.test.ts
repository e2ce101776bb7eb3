// Tag sets that are discovered and removed at runtime: page, probes and reloads treat them as configured ones.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { serve } from '../src/commands/serve.ts';
import { targetFrom } from '../src/config/target.ts';
import { primaryNetworkId } from '../src/protocol/id.ts';
import { listeningLog, temporaryFolder } from './support/events.ts';
import { primaryChains, startSubnetNode } from './support/subnet-node.ts';

const patience = { timeout: 280_000 };
const believed = {
  healthCheckFrequency: '1s',
  staleAfter: 60,
  frozenAfter: 60,
  indexes: [],
  info: false,
  validator: { enabled: false },
} as const;

type Given = NonNullable<Parameters<typeof targetFrom>[0]>;

/** The exporter as `run` starts it. */
const running = async (targets: readonly Given[], stateDir?: string) => {
  const { log, said } = listeningLog();
  const stop = new AbortController();
  const configOf = (given: readonly Given[]) =>
    given.map((one) => {
      const { client, ...rest } = targetFrom({ ...believed, ...one });
      // Longer than the default of a second, so that a busy machine does not repeat requests.
      return { ...rest, client: { ...client, timeoutMs: 60_000 } };
    });
  const now = () => Date.now() / 1000;
  const serving = await serve(
    { source: 'test', listen: { host: '127.0.0.1', port: 0 }, targets: configOf(targets), ...(stateDir && { stateDir }) },
    { now, log, version: 'test', signal: stop.signal },
  );
  if (serving.kind === 'invalid') throw new Error(JSON.stringify(serving.errors));
  const end = async () => {
    stop.abort();
    await serving.finished;
  };
  onTestFinished(end);
  const get = async (path: string) => (await fetch(serving.url + path)).text();
  const status = async (name = 'node') => {
    const body: {
      readonly targets: readonly {
        readonly name: string;
        readonly lastPollAt?: string;
        readonly tagSets: readonly { readonly name: string }[];
        readonly subnets?: { readonly known: readonly object[] };
      }[];
    } = JSON.parse(await get('/api/v1/status'));
    return body.targets.find((one) => one.name === name);
  };
  return {
    end,
    said,
    get,
    configure: (...next: readonly Given[]) => {
      const rest = { metrics: { include: [], exclude: [] }, maintenance: { windows: [] } };
      const replaced = serving.replace({ targets: configOf(next), ...rest });
      return replaced.kind === 'ok' ? replaced.value : undefined;
    },
    status,
    tagSets: async (name?: string): Promise<readonly string[]> => (await status(name))?.tagSets.map((set) => set.name) ?? [],
  };
};

const oneSubnet = () =>
  startSubnetNode({
    checks: { ...primaryChains, one: 'subnet-1' },
    blockchains: [
      { id: 'chain-1', subnetID: 'subnet-1' },
      { id: 'chain-2', subnetID: 'subnet-2' },
    ],
  });

test('a discovered tag set has a readiness path, and keeps it for a while after it is gone', async () => {
  const node = await oneSubnet();
  const { get, tagSets, said } = await running([{ name: 'node', url: node.url, tagSets: 'auto' }]);
  await expect.poll(() => get('/self/readyz/one'), patience).toMatch(/^True ChecksPassing: every check passes\n/);
  expect(await tagSets()).toEqual(['all', 'primary', 'one']);
  expect(await get('/self/readyz/two')).toMatch(/^True .* \(the whole node: no tag set two is configured or was found\)\n/);
  Object.assign(node, { checks: primaryChains, blockchains: [{ id: 'chain-2', subnetID: 'subnet-2' }] });
  await expect.poll(() => tagSets(), patience).toEqual(['all', 'primary']);
  await expect.poll(() => get('/self/readyz/one'), patience).toMatch(/\(no longer in the configuration: use \/self\/readyz\)/);
  expect(said.filter(({ message }) => message === 'probe of a removed target: change its path')).toHaveLength(1);
  Object.assign(node, { checks: { ...primaryChains, one: 'subnet-2' } });
  await expect.poll(() => tagSets(), patience).toEqual(['all', 'primary', 'one']);
  await expect.poll(() => get('/self/readyz/one'), patience).toMatch(/^True ChecksPassing: every check passes\n/);
});

test('a reload keeps discovered tag sets, whatever else of the target it changes, until it removes auto', async () => {
  const node = await oneSubnet();
  const target = { name: 'node', url: node.url, tagSets: 'auto' } as const;
  const { configure, tagSets, status, get } = await running([target]);
  await expect.poll(() => tagSets(), patience).toEqual(['all', 'primary', 'one']);
  const asked = node.asked.platform;
  configure(target, { name: 'other', url: node.url });
  expect(await tagSets()).toEqual(['all', 'primary', 'one']);
  configure({ ...target, readiness: { failAfter: 3 } });
  expect(await tagSets()).toEqual(['all', 'primary', 'one']);
  expect(node.asked.platform).toBe(asked);
  // The state of the checks is discarded, so the P-Chain is queried once more.
  configure({ ...target, healthCheckFrequency: '2s' });
  expect(await tagSets()).toEqual(['all', 'primary', 'one']);
  await expect.poll(async () => (await status())?.lastPollAt, patience).toBeDefined();
  configure({ ...target, healthCheckFrequency: '2s', tagSets: ['auto', { name: 'mine', tags: ['subnet-1'] }] });
  expect(await tagSets()).toEqual(['all', 'mine', 'primary']);
  expect((await status())?.subnets?.known).toEqual([
    { id: primaryNetworkId, name: 'primary' },
    { id: 'subnet-1', name: 'mine' },
  ]);
  // It had another name, and keeps its conditions.
  expect(await get('/self/readyz/mine')).toMatch(/^True ChecksPassing/);
  expect(node.asked.platform).toBe(asked + 1);
  configure({ ...target, tagSets: [{ name: 'all' }] });
  expect(await tagSets()).toEqual(['all']);
});

test('with a stateDir, a tag set and its name survive a restart of snowgauge, unless the URL of the target changes', async () => {
  const stateDir = await temporaryFolder();
  const node = await oneSubnet();
  const target = { name: 'node', url: node.url, tagSets: 'auto' } as const;
  const first = await running([target], stateDir);
  await expect.poll(() => first.tagSets(), patience).toEqual(['all', 'primary', 'one']);
  // Stopping waits only a limited time for a slow disk.
  await expect.poll(() => readFile(join(stateDir, 'subnets.json'), 'utf8').catch(String), patience).toContain('subnet-1');
  await first.end();
  Object.assign(node, { checks: { P: primaryNetworkId }, blockchains: 'bootstrapping', healthy: false });
  const again = await running([target], stateDir);
  expect(await again.tagSets()).toEqual(['all', 'primary', 'one']);
  await again.end();
  const other = await startSubnetNode({ checks: { network: undefined } });
  const elsewhere = await running([{ ...target, url: other.url }], stateDir);
  expect(await elsewhere.tagSets()).toEqual(['all']);
});
