// The embedded nodes of a drill.

import { join } from 'node:path';
import type { Log } from '../log.ts';
import { type RunningNode, startNode } from '../node/node.ts';
import { defaultNodeOptions, type NodeOptions } from '../node/options.ts';
import type { FaultNow } from '../node/play.ts';
import { parseScenario, type Scenario } from '../node/scenario.ts';
import { pause } from '../pause.ts';
import { formatErrors } from '../yaml/parse.ts';
import { askText } from './ask.ts';
import type { Drill } from './drill.ts';
import { pace } from './pace.ts';

export type DrillNodes = Awaited<ReturnType<typeof startNodes>>;

export interface DrillNodeDeps {
  readonly now: () => number;
  readonly log: Log;
  readonly signal: AbortSignal;
}

export const drillSubnets = ['alpha', 'beta', 'gamma'] as const;

const network = `
chains:
  P: { history: 6, blockInterval: 1s }
  X: { history: 3, blockInterval: 2s }
  C: { history: 6, blockInterval: 1s }
subnets:
  - { name: alpha, l1: { validators: 4, weight: 100, balance: 5 }, chains: [{ alias: alpha-dex, history: 3, blockInterval: 2s }] }
  - { name: beta, chains: [{ alias: beta-game, history: 3, blockInterval: 2s }] }
  - { name: gamma, chains: [{ alias: gamma-art, history: 3, blockInterval: 2s }] }
faults:
  # Else it would be this machine's own, on which others write: an alert on it would be right, and no part of the drill.
  - { at: 0s, fault: disk-fills, availablePercentage: 60, availableBytes: 600000000000 }
`;

const scenarioOf = async (text: string): Promise<Scenario> => {
  const parsed = await parseScenario(text);
  if (parsed.kind === 'ok') return parsed.value;
  throw new Error(formatErrors('the scenario of the drills', parsed.errors));
};

export const startNodes = async (drill: Drill, folder: string, { now, log, signal }: DrillNodeDeps) => {
  const scenario = await scenarioOf(network);
  const start = (at: number, over: Partial<NodeOptions> = {}): Promise<RunningNode> => {
    const dataDir = drill.stored === true ? { dataDir: join(folder, `node-${at + 1}`) } : {};
    return startNode(
      { ...nodeOptions, ...dataDir, seed: drill.twins === true ? 1 : at + 1, ...over },
      { now, log, signal, scenario },
    );
  };
  const all = await Promise.all(Array.from({ length: drill.nodes ?? 1 }, (_, at) => start(at)));
  return {
    scenario,
    all,
    /** Sets the faults of all nodes, or of the one at index `of`. */
    setFaults: async (faults: readonly FaultNow[], of?: number): Promise<void> => {
      const isDiskSet = faults.some(({ fault }) => fault === 'disk-fills');
      const set = isDiskSet ? faults : [...faults, calmDisk];
      await Promise.all(all.filter((_, at) => of === undefined || at === of).map((node) => node.setFaults(set)));
    },
    /** For each node in turn: stops it, runs it without indexes until it has accepted blocks, stops it, and starts it with indexes. */
    runWithoutIndexes: (): Promise<void> => runWithoutIndexes(all, start, signal),
    close: async (): Promise<void> => {
      await Promise.all(all.map((node) => node.close()));
    },
  };
};

/** The disk of the scenario, which has no effect while faults are set. */
const calmDisk: FaultNow = { fault: 'disk-fills', availablePercentage: 60, availableBytes: 600_000_000_000 };

const nodeOptions: NodeOptions = {
  ...defaultNodeOptions,
  httpPort: 0,
  healthCheckFrequency: pace.interval,
  indexEnabled: true,
  dialect: 'avalanchego',
};

const bootstrapMs = 60_000;

type Start = (at: number, over: Partial<NodeOptions>) => Promise<RunningNode>;

const runWithoutIndexes = async (nodes: RunningNode[], start: Start, signal: AbortSignal): Promise<void> => {
  for (const [at, before] of nodes.entries()) {
    const again = { httpPort: before.port, indexAllowIncomplete: true };
    await before.close();
    const without = await start(at, { ...again, indexEnabled: false });
    nodes[at] = without;
    // If a node is not healthy in time, the drill continues, and its result shows the consequences.
    const inTime = AbortSignal.any([signal, AbortSignal.timeout(bootstrapMs)]);
    while (!inTime.aborted && (await askText(`${without.url}/ext/health`, inTime)) === undefined) await pause(0.2, inTime);
    // At least two blocks of every chain.
    await pause(3, signal);
    await without.close();
    const after = await start(at, again);
    nodes[at] = after;
  }
};
