// The interface's "Index rules" and its rules on states and starting, sentence by sentence, over real sockets, with nodes that
// are restarted on one data dir.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { silentLog } from '../../../src/log.ts';
import { openNode } from '../../../src/node/node.ts';
import { defaultNodeOptions, type NodeOptions } from '../../../src/node/options.ts';
import { plannedChains } from '../../../src/node/scenario.ts';
import { type IndexName, indexNames } from '../../../src/protocol/paths.ts';
import { networkRecord } from '../../support/crash-record.ts';
import { callIndex, failure } from '../../support/index-rpc.ts';
import { roundsToSettle, scenarioFrom, startTestNode, type TestNode } from '../../support/node.ts';

const yaml = `
chains:
  P: { history: 5, blockInterval: 1s }
  X: { history: 4, blockInterval: 1s }
  C: { history: 3, blockInterval: 1s }
`;
const history = { P: 5, X: 4, C: 3 } as const;
const epoch = 1_800_000_000;
const record = async () => networkRecord(1, plannedChains(await scenarioFrom(yaml)));

const newDataDir = async (): Promise<string> => {
  const dir = await mkdtemp(join(tmpdir(), 'snowgauge-rules-'));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  return dir;
};

const enabled = { indexEnabled: true } as const;
const disabled = { indexEnabled: false } as const;
const allowed = { indexAllowIncomplete: true } as const;

/** A node that has accepted everything that the network holds so many seconds after its epoch. */
const nodeAt = async (seconds: number, options: Partial<NodeOptions>): Promise<TestNode> => {
  const node = await startTestNode(options, yaml, epoch + seconds);
  await node.ticks(roundsToSettle);
  return node;
};

interface Shown {
  readonly id: string;
  readonly timestamp: string;
  readonly index: string;
}

const shown = async ({ port }: TestNode, name: IndexName): Promise<readonly Shown[]> => {
  const answer = await callIndex(port, name, 'getContainerRange', '{"startIndex":"0","numToFetch":"1024","encoding":"hex"}');
  return Object(answer).result;
};

const idsOf = async (node: TestNode, name: IndexName): Promise<readonly string[]> =>
  (await shown(node, name)).map(({ id }) => id);

/** The network's ids of an index, from one number to another (exclusive). */
const recorded = async (name: IndexName, from: number, to: number): Promise<readonly string[]> => {
  const { idAt } = await record();
  return Array.from({ length: to - from }, (_, at) => idAt(name, from + at));
};

const refusalOf = async (options: Partial<NodeOptions>): Promise<unknown> => {
  const start = await openNode(
    { ...defaultNodeOptions, httpPort: 0, ...options },
    { now: () => epoch + 60, log: silentLog, signal: new AbortController().signal, scenario: await scenarioFrom(yaml) },
  );
  if (start.kind === 'started') await start.node.close();
  return start;
};

describe('Index rules', () => {
  it.each(indexNames)(
    'the node saves every container that it accepts: %s holds those of the network in their order',
    async (name) => {
      const node = await nodeAt(7, enabled);
      const { countAt } = await record();
      const height = history[name.startsWith('P') ? 'P' : name.startsWith('X') ? 'X' : 'C'];
      expect(await idsOf(node, name)).toEqual(await recorded(name, 0, countAt(name, height)));
      node.advance(5);
      await node.tick();
      expect(await idsOf(node, name)).toEqual(await recorded(name, 0, countAt(name, height + 5)));
    },
  );

  it('1. only containers accepted while --index-enabled is true are indexed', async () => {
    const dataDir = await newDataDir();
    await (await nodeAt(0, { ...disabled, dataDir })).close();
    const node = await nodeAt(4, { ...enabled, ...allowed, dataDir });
    expect(await idsOf(node, 'P/block')).toEqual(await recorded('P/block', 5, 9));
    const [before] = await recorded('P/block', 4, 5);
    expect(await callIndex(node.port, 'P/block', 'isAccepted', `{"id":"${before}","encoding":"hex"}`)).toMatchObject({
      result: { isAccepted: false },
    });
  });

  it('2. a fresh database and --index-enabled give a complete index: the whole history, accepted while bootstrapping', async () => {
    const node = await nodeAt(0, { ...enabled, dataDir: await newDataDir() });
    expect(await idsOf(node, 'P/block')).toEqual(await recorded('P/block', 0, 5));
    expect(await idsOf(node, 'X/block')).toEqual(await recorded('X/block', 0, 4));
    expect(await idsOf(node, 'C/block')).toEqual(await recorded('C/block', 0, 3));
  });

  it('3. after a restart with indexing still enabled, the index has every container accepted while the node was offline', async () => {
    const dataDir = await newDataDir();
    const first = await nodeAt(2, { ...enabled, dataDir });
    const before = await shown(first, 'P/block');
    await first.close();
    const second = await nodeAt(30, { ...enabled, dataDir });
    const after = await shown(second, 'P/block');
    expect(after.map(({ id }) => id)).toEqual(await recorded('P/block', 0, 33));
    expect(after.slice(0, before.length)).toEqual(before);
  });

  it('4. a container’s timestamp is the time this node accepted it, while bootstrapping the time it bootstrapped', async () => {
    const node = await nodeAt(0, enabled);
    node.advance(3);
    await node.tick();
    node.advance(1);
    await node.tick();
    expect((await shown(node, 'C/block')).map(({ timestamp }) => Date.parse(timestamp) / 1000 - epoch)).toEqual([
      0, 0, 0, 3, 3, 3, 4,
    ]);
  });

  it('5. changed from true to false, the node refuses to start with exit code 1 and leaves the index intact', async () => {
    const dataDir = await newDataDir();
    await (await nodeAt(0, { ...enabled, dataDir })).close();
    expect(await refusalOf({ ...disabled, dataDir })).toMatchObject({
      kind: 'refused',
      message: `running would cause index to become incomplete but incomplete indices are disabled: start with --index-allow-incomplete, or choose another data dir than ${dataDir} with --data-dir`,
      exitCode: 1,
    });
    expect(await idsOf(await nodeAt(1, { ...enabled, dataDir }), 'P/block')).toEqual(await recorded('P/block', 0, 6));
  });

  it('5. … unless --index-allow-incomplete is given explicitly: then it runs, and has no index', async () => {
    const dataDir = await newDataDir();
    await (await nodeAt(0, { ...enabled, dataDir })).close();
    const node = await nodeAt(1, { ...disabled, ...allowed, dataDir });
    await expect(callIndex(node.port, 'P/block', 'getLastAccepted')).rejects.toThrow('404');
  });

  it('the avalanchego dialect refuses an incomplete index with exit code 0, as a real node does', async () => {
    const dataDir = await newDataDir();
    const dialect = 'avalanchego';
    await (await nodeAt(0, { ...disabled, dialect, dataDir })).close();
    expect(await refusalOf({ ...enabled, dialect, dataDir })).toMatchObject({
      kind: 'refused',
      message: 'index is incomplete but incomplete indices are disabled. Shutting down',
      exitCode: 0,
    });
  });
});

describe('States', () => {
  it('a container is added at the next free number, and a number is never reassigned, restarts included', async () => {
    const dataDir = await newDataDir();
    let before: readonly Shown[] = [];
    for (const seconds of [0, 3, 9]) {
      const node = await nodeAt(seconds, { ...enabled, dataDir });
      const now = await shown(node, 'X/tx');
      expect(now.slice(0, before.length)).toEqual(before);
      expect(now.map(({ index }) => index)).toEqual(now.map((_, at) => `${at}`));
      expect(now.length).toBeGreaterThan(before.length);
      before = now;
      await node.close();
    }
  });

  it('getContainerByIndex with 0, 1, 2 and so on returns all transactions of the X-Chain, then an error', async () => {
    const node = await nodeAt(0, enabled);
    const { countAt } = await record();
    const count = countAt('X/tx', 4);
    const ids: unknown[] = [];
    for (let index = 0; index < count; index += 1)
      ids.push(Object(await callIndex(node.port, 'X/tx', 'getContainerByIndex', `{"index":"${index}"}`)).result.id);
    expect(ids).toEqual(await recorded('X/tx', 0, count));
    expect(await callIndex(node.port, 'X/tx', 'getContainerByIndex', `{"index":"${count}"}`)).toEqual(
      failure(`no container at index ${count}`),
    );
  });
});
