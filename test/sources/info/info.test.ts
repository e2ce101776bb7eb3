// Identity, version and peers of a node, over real sockets: rarely asked for, and a wrong answer does not fail the health poll.

import type { ServerResponse } from 'node:http';
import { describe, expect, onTestFinished, test } from 'vitest';
import { lastValue } from '../../../src/snapshot/observed.ts';
import { roundsToSettle, startTestNode } from '../../support/node.ts';
import { serveHttp } from '../../support/serve.ts';
import { type Watching, watch } from '../../support/watching.ts';

const at = 1_800_000_000;
const id = 'NodeID-7Xhw2mDxuDS44j42TCB6U5579esbSt3Lg';

/** Series of a family such as `snowgauge_target_info`, as `label=value …: number`. */
const series = async (watching: Watching, family: string): Promise<readonly string[]> =>
  (await watching.page())
    .filter(({ name }) => name === `snowgauge_${family}`)
    .map(({ labels, value }) => `${[...labels].map(([name, text]) => `${name}=${text}`).join(' ')}: ${value}`);

/** An empty label counts as absent. */
const infoOf = async (watching: Watching): Promise<readonly string[]> =>
  (await watching.page())
    .filter(({ name }) => name === 'snowgauge_target_info')
    .map(({ labels }) => ['node_id', 'network', 'version'].map((name) => `${name}=${labels.get(name) ?? ''}`).join(' '));

describe('an embedded node', () => {
  const watched = async (over: Parameters<typeof watch>[2] = {}, options = {}) => {
    let now = at;
    const node = await startTestNode(options, 'networkId: 5\npeers: 10');
    await node.ticks(roundsToSettle);
    const watching = watch(node.url, () => now, over);
    const pollAfter = async (seconds: number): Promise<void> => {
      now += seconds;
      node.advance(seconds);
      await node.tick();
      await watching.poll();
    };
    return { node, watching, pollAfter };
  };

  test('has its identity, network and version after the first poll', async () => {
    const { node, watching } = await watched();
    expect(await infoOf(watching)).toEqual(['node_id= network= version=']);
    await watching.poll();
    expect(await infoOf(watching)).toEqual([`node_id=${node.nodeId} network=fuji version=avalanchego/1.14.2`]);
    expect(await series(watching, 'peers_by_version')).toEqual(['target=node version=avalanchego/1.14.2: 10']);
    expect(await series(watching, 'peers_newer_version')).toEqual(['target=node: 0']);
    expect(await series(watching, 'upgrade_scheduled_timestamp_seconds')).toEqual([]);
  });

  test('is asked again after ten minutes, and at once after a restart', async () => {
    const { node, watching, pollAfter } = await watched();
    await pollAfter(0);
    await node.setFaults([
      { fault: 'peers-upgrade', version: 'avalanchego/1.15.0', share: 0.8 },
      { fault: 'upgrade-scheduled', in: 7200 },
    ]);
    await pollAfter(595);
    expect(await series(watching, 'peers_newer_version')).toEqual(['target=node: 0']);
    await pollAfter(5);
    expect(await series(watching, 'peers_newer_version')).toEqual(['target=node: 8']);
    expect(await series(watching, 'upgrade_scheduled_timestamp_seconds')).toEqual([`target=node upgrade=helicon: ${at + 7200}`]);
    // The port was closed in between, so the next poll asks again.
    await node.setFaults([{ fault: 'api-refuses' }]);
    await pollAfter(5);
    await node.setFaults([]);
    await pollAfter(5);
    await pollAfter(5);
    expect(await series(watching, 'peers_newer_version')).toEqual(['target=node: 0']);
  });

  test('that lost its staking key has a new, unexpected NodeID, recorded as an event', async () => {
    const { node, watching, pollAfter } = await watched({ nodeId: id });
    await node.setFaults([{ fault: 'key-replaced' }]);
    await pollAfter(5);
    expect(await series(watching, 'target_node_id_expected')).toEqual([`target=node node_id=${id}: 0`]);
    const [lost] = await infoOf(watching);
    await node.setFaults([]);
    await pollAfter(5);
    expect(lost).not.toContain(node.nodeId);
    expect(watching.eventHistory.records().filter(({ kind }) => kind === 'node-id-changed')).toMatchObject([{ to: node.nodeId }]);
    expect(await series(watching, 'node_id_changes_total')).toEqual(['target=node: 1']);
  });

  test('has the expected NodeID', async () => {
    const other = await startTestNode({ seed: 3 });
    const { watching, pollAfter } = await watched({ nodeId: other.nodeId }, { seed: 3 });
    expect(await series(watching, 'target_node_id_expected')).toEqual([]);
    await pollAfter(0);
    expect(await series(watching, 'target_node_id_expected')).toEqual([`target=node node_id=${other.nodeId}: 1`]);
  });

  test.each([
    { how: 'does not serve the info API', over: {}, options: { apiInfoEnabled: false } },
    { how: 'is not asked for info', over: { info: false }, options: {} },
  ])('that $how is known by its NodeID header, without poll failures', async ({ over, options }) => {
    const { node, watching, pollAfter } = await watched(over, options);
    await pollAfter(0);
    await pollAfter(5);
    expect(await infoOf(watching)).toEqual([`node_id=${node.nodeId} network= version=`]);
    expect((await series(watching, 'polls_total')).filter((line) => line.includes('api=info'))).toEqual([
      'target=node api=info outcome=ok: 0',
    ]);
    expect(watching.target().lastPoll?.failures).toEqual([]);
  });
});

type Reply = string | ((response: ServerResponse) => void);

const results: Readonly<Record<string, string>> = {
  'info.getNodeID': `{"nodeID":"${id}"}`,
  'info.getNodeVersion': '{"version":"avalanchego/1.14.2"}',
  'info.getNetworkID': '{"networkID":"1"}',
  'info.upgrades': `{"heliconTime":"2030-01-01T00:00:00Z","graniteTime":"9999-12-01T00:00:00Z"}`,
  'info.peers': '{"numPeers":"2","peers":[{"version":"avalanchego/1.14.2"},{"version":"avalanchego/1.14.10"}]}',
};

const status =
  (code: number): Reply =>
  (response) =>
    response.writeHead(code).end();
const huge: Reply = (response) => response.end(`{"jsonrpc":"2.0","id":1,"result":{"nodeID":"${'x'.repeat(8_500_000)}"}}`);
const silence: Reply = () => undefined;

/** In milliseconds. Unanswered requests take this long in a test, and answered ones may. */
const impatient = 3000;

/** A server without a Node-Id header, as behind a proxy; `lies` replace honest answers. */
const serving = async (lies: Readonly<Record<string, Reply>> = {}) => {
  let now = at;
  let told = lies;
  const asked: string[] = [];
  const served = await serveHttp(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    response.setHeader('content-type', 'application/json');
    if (request.url !== '/ext/info') return response.end('{"checks":{},"healthy":true}');
    const { method } = JSON.parse(Buffer.concat(chunks).toString());
    asked.push(method);
    const reply = told[method] ?? results[method] ?? '';
    return typeof reply === 'string' ? response.end(`{"jsonrpc":"2.0","id":1,"result":${reply}}`) : reply(response);
  });
  onTestFinished(() => served.close());
  const validator = { enabled: false, expected: false };
  const timeoutMs = Object.values(lies).includes(silence) ? impatient : 60_000;
  const watching = watch(served.url, () => now, { indexes: [], validator }, { maxBodyBytes: 8 * 1024 * 1024, timeoutMs });
  return {
    watching,
    asked,
    lie: (to: Readonly<Record<string, Reply>>) => {
      told = to;
    },
    pollAfter: (seconds: number) => {
      now += seconds;
      return watching.poll();
    },
  };
};

const honest = `node_id=${id} network=mainnet version=avalanchego/1.14.2`;

describe('an answer', () => {
  test('gives the NodeID if a proxy drops the header, and versions are compared by their numbers', async () => {
    const { watching, pollAfter } = await serving();
    await pollAfter(0);
    expect(await infoOf(watching)).toEqual([honest]);
    expect(await series(watching, 'peers_newer_version')).toEqual(['target=node: 1']);
    expect(await series(watching, 'upgrade_scheduled_timestamp_seconds')).toEqual(['target=node upgrade=helicon: 1893456000']);
  });

  test.each<{ lie: string; method: string; reply: Reply; info?: string; upgrades?: number; peers?: number }>([
    { lie: 'is 404', method: 'info.getNodeID', reply: status(404), info: 'node_id= network= version=', upgrades: 0, peers: 0 },
    { lie: 'is 503', method: 'info.getNodeID', reply: status(503), info: 'node_id= network= version=', upgrades: 0, peers: 0 },
    { lie: 'has 8 MB', method: 'info.getNodeID', reply: huge, info: 'node_id= network= version=', upgrades: 0, peers: 0 },
    { lie: 'never arrives', method: 'info.getNodeID', reply: silence, info: 'node_id= network= version=', upgrades: 0, peers: 0 },
    {
      lie: 'is not a NodeID',
      method: 'info.getNodeID',
      reply: '{"nodeID":"me"}',
      info: 'node_id= network= version=',
      upgrades: 0,
      peers: 0,
    },
    {
      lie: 'is not an object',
      method: 'info.getNodeID',
      reply: '[7]',
      info: 'node_id= network= version=',
      upgrades: 0,
      peers: 0,
    },
    {
      lie: 'is a number',
      method: 'info.getNodeVersion',
      reply: '{"version":7}',
      info: `node_id=${id} network=mainnet version=`,
    },
    {
      lie: 'is negative',
      method: 'info.getNetworkID',
      reply: '{"networkID":"-1"}',
      info: `node_id=${id} network= version=avalanchego/1.14.2`,
    },
    { lie: 'has 8 MB', method: 'info.peers', reply: huge, peers: 0 },
    { lie: 'is 503', method: 'info.peers', reply: status(503), peers: 0 },
    { lie: 'has text for its peers', method: 'info.peers', reply: '{"peers":"all"}', peers: 0 },
    {
      lie: 'has malformed rows',
      method: 'info.peers',
      reply: '{"peers":[null,7,{"version":["x"]},{"version":"v9.9.9"}]}',
      peers: 2,
    },
    { lie: 'is a list', method: 'info.upgrades', reply: '[]', upgrades: 0 },
    {
      lie: 'has malformed times',
      method: 'info.upgrades',
      reply: '{"aTime":"soon","bTime":7,"__proto__Time":null}',
      upgrades: 0,
    },
  ])('of $method that $lie affects nothing else', async ({ method, reply, info = honest, upgrades = 1, peers = 2 }) => {
    const { watching, pollAfter } = await serving({ [method]: reply });
    await pollAfter(0);
    expect(await infoOf(watching)).toEqual([info]);
    expect(await series(watching, 'upgrade_scheduled_timestamp_seconds')).toHaveLength(upgrades);
    expect(await series(watching, 'peers_by_version')).toHaveLength(peers);
    expect(await series(watching, 'up')).toEqual(['target=node: 1']);
    expect(watching.conditions().live.status).toBe('True');
  });

  test('that fails later keeps the version until it is too old, and the network until a 404', async () => {
    const { watching, pollAfter, lie } = await serving();
    await pollAfter(0);
    lie({ 'info.getNodeID': status(503) });
    await pollAfter(600);
    expect(await infoOf(watching)).toEqual([honest]);
    await pollAfter(1201);
    expect(await infoOf(watching)).toEqual([`node_id=${id} network=mainnet version=`]);
    lie({ 'info.getNodeID': status(404) });
    await pollAfter(600);
    expect(await infoOf(watching)).toEqual([`node_id=${id} network= version=`]);
  });

  test('of another node resets the data of the first node', async () => {
    const { watching, pollAfter, lie } = await serving();
    await pollAfter(0);
    lie({ 'info.getNodeID': `{"nodeID":"${id.replace('7X', '8X')}"}`, 'info.getNetworkID': status(500) });
    await pollAfter(600);
    expect(await infoOf(watching)).toEqual([`node_id=${id.replace('7X', '8X')} network= version=avalanchego/1.14.2`]);
  });

  test.each(['info.getNodeID', 'info.peers'])(
    'of %s that never arrives is waited for twice, and then not for ten minutes',
    async (method) => {
      const { asked, pollAfter } = await serving({ [method]: silence });
      const waits = () => asked.filter((one) => one === method).length;
      for (let polls = 0; polls < 6; polls += 1) await pollAfter(5);
      expect(waits()).toBe(2);
      await pollAfter(600);
      expect(waits()).toBe(3);
    },
  );

  test('with a thousand versions is counted as twenty versions and other', async () => {
    const peers = Array.from({ length: 1000 }, (_, nth) => ({ version: `avalanchego/1.${nth}.0` }));
    const { watching, pollAfter } = await serving({
      'info.peers': JSON.stringify({ peers: [{ version: 'avalanchego/1.7.0' }, ...peers] }),
    });
    await pollAfter(0);
    const counted = await series(watching, 'peers_by_version');
    expect(counted).toHaveLength(21);
    expect(counted).toContain('target=node version=avalanchego/1.7.0: 2');
    expect(counted).toContain('target=node version=other: 980');
    expect(await series(watching, 'peers_newer_version')).toEqual(['target=node: 985']);
  });

  test('with a scheduled upgrade is kept in the state of the target', async () => {
    const { pollAfter } = await serving();
    const { sources } = await pollAfter(0);
    expect(lastValue(sources.info.upgrades)?.next).toEqual({ name: 'helicon', at: 1_893_456_000 });
  });
});
