// What other watched nodes saw of a node: over real sockets, with the exporter's own table and polls.

import { describe, expect, onTestFinished, test } from 'vitest';
import { createClient } from '../../../src/client/client.ts';
import { targetFrom } from '../../../src/config/target.ts';
import { silentLog } from '../../../src/log.ts';
import { createPage } from '../../../src/metrics/page.ts';
import { createTaskQueue } from '../../../src/pause.ts';
import { pollJob } from '../../../src/poll-job.ts';
import { primaryNetworkId } from '../../../src/protocol/id.ts';
import { pending } from '../../../src/snapshot/observed.ts';
import { neighboursOf, ringOf } from '../../../src/sources/neighbours.ts';
import type { Neighbour } from '../../../src/sources/source.ts';
import { sources } from '../../../src/sources/sources.ts';
import { newTarget, type TargetState } from '../../../src/sources/target-state.ts';
import type { SetMembership, ValidatorState } from '../../../src/sources/validator/state.ts';
import { otherIds } from '../../../src/sources/validator/witness.ts';
import { createTargetTable } from '../../../src/target-table.ts';
import { serveExporter } from '../../support/exporter-server.ts';
import { parseExposition } from '../../support/exposition-parser.ts';
import { bytesOf } from '../../support/metrics.ts';
import { roundsToSettle, startTestNode, type TestNode } from '../../support/node.ts';
import { valuesOf } from '../../support/watching.ts';

const at = 1_800_000_000;
const day = 86_400;
const pages = createPage({ version: 'test' });

/** The node with this seed, in the middle of a staking period of 360 days. */
const nodeOf = async (seed: number, { since = '4320h', networkId = 12_345 } = {}): Promise<TestNode> => {
  const others = [1, 2, 3].filter((one) => one !== seed);
  const scenario = `
peers: 30
networkId: ${networkId}
nodes: [${others}]
validator: { since: ${since}, period: 8640h, uptime: 1 }
`;
  const node = await startTestNode({ seed }, scenario, at);
  await node.ticks(roundsToSettle);
  return node;
};

const watchedTogether = async (nodes: Readonly<Record<string, Pick<TestNode, 'url' | 'advance' | 'tick'>>>) => {
  let now = at - 60;
  const clock = (): number => now;
  const table = createTargetTable({ table: sources, now: clock, log: silentLog, recall: undefined, forgetsRemoved: true });
  const given = Object.entries(nodes).map(([name, { url }]) => {
    const client = createClient({ baseUrl: url, timeoutMs: 60_000, maxBodyBytes: 65_536, userAgent: 'snowgauge/test' }, clock);
    onTestFinished(() => client.close());
    return { client, options: targetFrom({ name, url, healthCheckFrequency: '30s', indexes: [] }).options };
  });
  table.replace(given);
  const { signal } = new AbortController();
  const nobody = { listener: undefined, polled: undefined, eventHistory: undefined, tagSetsGone: () => undefined };
  const enqueue = createTaskQueue();
  const jobs = { ...table, ...nobody, table: sources, now: clock, wallOffset: () => 0, log: silentLog, signal, enqueue };
  const state = () => ({ targets: table.targets, version: table.version(), startedAt: at, stopping: false, wallOffset: 0 });
  return {
    /** Polls the targets `count` times, a minute and a run of the checks apart. */
    rounds: async (count: number, names: readonly string[] = Object.keys(nodes)): Promise<void> => {
      for (let round = 0; round < count; round += 1) {
        now += 60;
        for (const node of Object.values(nodes)) {
          node.advance(60);
          await node.tick();
        }
        for (const [key, entry] of table.entries) if (names.includes(key)) await pollJob(jobs, entry, now, 0).run(now, 'due');
      }
    },
    value: async (target: string, name: string): Promise<number | undefined> => {
      const reload = { successful: true, succeededAt: at };
      const { body } = await pages.at({ ...state(), reload }, now, undefined, undefined);
      const series = parseExposition(bytesOf(body).toString(), 'text').flatMap((family) => family.series);
      return valuesOf(series, `snowgauge_node_uptime_${name}`, { target })[0];
    },
    serve: () => serveExporter({ state, lastTick: clock, now: clock }),
  };
};

/** The uptime of node 1 as the others saw it; node 2 reports it to four decimals. */
const seenBy = async (two: TestNode, uptime: number): Promise<void> =>
  two.setFaults([{ fault: 'uptime-falls', to: uptime, node: 1 }]);

const pair = async (over: Parameters<typeof nodeOf>[1] = {}) => {
  const [one, two] = [await nodeOf(1), await nodeOf(2, over)];
  await one.setFaults([{ fault: 'uptime-falls', to: 0.9183 }]);
  await seenBy(two, 0.9183);
  return { one, two };
};

describe('two watched nodes of one network', () => {
  test('are witnesses of each other, which gives an exact uptime instead of whole percents', async () => {
    const { one, two } = await pair();
    const { rounds, value } = await watchedTogether({ one, two });
    await rounds(1);
    expect(await value('one', 'witness_ratio')).toBeUndefined();
    const budgetIn = (uptime: number): number => 0.2 * 360 - (1 - uptime) * 180;
    const budget = async (): Promise<number> => ((await value('one', 'budget_seconds')) ?? Number.NaN) / day;
    expect(await budget()).toBeLessThan(budgetIn(0.9182));
    await rounds(2);
    expect(await value('one', 'witness_ratio')).toBe(0.9183);
    expect(await value('two', 'witness_ratio')).toBe(1);
    expect(await budget()).toBeCloseTo(budgetIn(0.9183), 2);
  });

  test('are named as witnesses on the page and in the API', async () => {
    const { one, two } = await pair();
    const { rounds, serve } = await watchedTogether({ one, two });
    await rounds(3);
    const { url } = await serve();
    const answer = await fetch(`${url}/api/v1/status?target=one`);
    expect(await answer.json()).toMatchObject({
      targets: [{ name: 'one', validator: { witness: { target: 'two', uptime: 0.9183 } } }],
    });
    expect(await (await fetch(`${url}/?target=one`)).text()).toContain('two saw 91.83 %');
  });
});

describe('not used as a witness', () => {
  test.each<readonly [string, (nodes: Awaited<ReturnType<typeof pair>>) => Promise<unknown>]>([
    [
      'a node with too little connected stake itself',
      ({ two }) =>
        two.setFaults([
          { fault: 'uptime-falls', to: 0.9183, node: 1 },
          { fault: 'stake-disconnects', chain: 'P', percentConnected: 0.79 },
        ]),
    ],
    ['a node whose P-Chain bootstraps', ({ two }) => two.setFaults([{ fault: 'subnet-bootstraps', subnet: 'primary' }])],
  ])('%s', async (_who, fault) => {
    const { one, two } = await pair();
    const { rounds, value } = await watchedTogether({ one, two });
    await rounds(3);
    expect(await value('one', 'witness_ratio')).toBe(0.9183);
    await fault({ one, two });
    await two.ticks(2);
    await rounds(2);
    expect(await value('one', 'witness_ratio')).toBeUndefined();
    expect(await value('one', 'projected_ratio')).toBeGreaterThan(0.9);
  });

  test('a node of another network', async () => {
    const { one, two } = await pair({ networkId: 5 });
    const { rounds, value } = await watchedTogether({ one, two });
    await rounds(3);
    expect(await value('one', 'witness_ratio')).toBeUndefined();
  });

  test('the same node under another URL', async () => {
    const one = await nodeOf(1);
    const again = { url: one.url.replace('127.0.0.1', 'localhost'), advance: () => undefined, tick: async () => undefined };
    const { rounds, value } = await watchedTogether({ one, again });
    await rounds(3);
    expect([await value('one', 'witness_ratio'), await value('again', 'witness_ratio')]).toEqual([undefined, undefined]);
    expect(await value('again', 'projected_ratio')).toBeDefined();
  });

  test('a node that saw another staking period', async () => {
    const { one, two } = await pair({ since: '2160h' });
    const { rounds, value } = await watchedTogether({ one, two });
    await rounds(3);
    expect(await value('one', 'witness_ratio')).toBeUndefined();
  });

  test('a node that stopped answering, once its answer is three minutes old', async () => {
    const { one, two } = await pair();
    const { rounds, value } = await watchedTogether({ one, two });
    await rounds(3);
    await rounds(3, ['one']);
    expect(await value('one', 'witness_ratio')).toBe(0.9183);
    await rounds(1, ['one']);
    expect(await value('one', 'witness_ratio')).toBeUndefined();
  });
});

test('of several witnesses the one with the lowest uptime counts', async () => {
  const { one, two } = await pair();
  const three = await nodeOf(3);
  await seenBy(three, 0.9151);
  const { rounds, value } = await watchedTogether({ one, two, three });
  await rounds(3);
  expect(await value('one', 'witness_ratio')).toBe(0.9151);
});

describe('a node is asked about', () => {
  const neighbour = (nodeId: string | undefined, own: SetMembership['state'] = 'bootstrapping'): Neighbour<ValidatorState> => ({
    target: 'any',
    maxAge: 180,
    state: {
      ...sources.validator.start(targetFrom({ url: 'http://a' }).options),
      ...(nodeId !== undefined && { nodeId }),
      memberships: new Map([[primaryNetworkId, own === 'validator' ? pending : { state: 'fresh', value: { state: own }, at }]]),
    },
  });

  test('the other nodes, each once, but not itself and not nodes that validate nothing', () => {
    const all = [
      neighbour('own'),
      neighbour(undefined),
      neighbour('none', 'none'),
      neighbour('a'),
      neighbour('b'),
      neighbour('a'),
    ];
    expect(otherIds(all, 'own')).toEqual(['a', 'b']);
  });

  test('the twenty nodes of its network that follow it in the ring, so each node has twenty witnesses', () => {
    const row = ['validator', sources.validator] as unknown as Parameters<typeof neighboursOf>[0];
    const network = { state: 'fresh', value: 'fuji', at } as const;
    const named = (name: string): TargetState => {
      const state = newTarget(targetFrom({ name, url: 'http://a' }).options);
      return { ...state, sources: { ...state.sources, info: { ...state.sources.info, network } } };
    };
    const targets = new Map(Array.from({ length: 50 }, (_, nth) => [`${nth}`, named(`${nth}`)]));
    targets.set('7', newTarget(targetFrom({ name: '7', url: 'http://a' }).options));
    const watched = { ring: () => ringOf(targets.keys()), stateOf: (name: string) => targets.get(name) };
    const of = (name: string) => neighboursOf(row, named(name), watched);
    const names = (some: readonly { readonly target: string }[]) => some.map(({ target }) => target);
    const range = (from: number, to: number) => Array.from({ length: to - from }, (_, nth) => `${from + nth}`);
    expect(names(of('40').after)).toEqual([...range(41, 50), ...range(0, 7), ...range(8, 12)]);
    for (const one of targets.keys()) {
      if (one === '7') continue;
      for (const { target } of of(one).after) expect(names(of(target).before)).toContain(one);
    }
    expect(neighboursOf(row, targets.get('7') as TargetState, watched)).toEqual({ before: [], after: [] });
  });
});
