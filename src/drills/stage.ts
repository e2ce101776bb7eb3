// What a drill is played on: embedded nodes, the exporter, a real Prometheus and a real Alertmanager, both of which send to us.

import { setMaxListeners } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Log } from '../log.ts';
import { type RunningNode, startNode } from '../node/node.ts';
import { defaultNodeOptions, type NodeOptions } from '../node/options.ts';
import type { FaultNow } from '../node/play.ts';
import { parseScenario, type Scenario, subnetIdOf } from '../node/scenario.ts';
import { pause } from '../pause.ts';
import { primaryNetworkId } from '../protocol/id.ts';
import { formatErrors } from '../yaml/parse.ts';
import { askText } from './ask.ts';
import type { Child } from './child.ts';
import type { Drill, Injection } from './drill.ts';
import { type StartExporter, startDrilled, type TagSetText } from './drilled.ts';
import { pace, settingsOf } from './pace.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import type { Tools } from './tools.ts';
import { startWatchers } from './watchers.ts';

export interface Stage {
  /** Where the exporter's page is; undefined while there is no exporter. */
  readonly exporter: () => string | undefined;
  readonly prometheus: string;
  readonly inject: (injection: Injection) => Promise<void>;
  readonly receiver: Pick<Receiver, 'arrivals' | 'notifications'>;
  /** Ends everything, children included. */
  readonly close: () => Promise<void>;
}

export interface StageDeps {
  readonly now: () => number;
  readonly signal: AbortSignal;
  /** Of the nodes. */
  readonly log: Log;
  readonly startExporter: StartExporter;
}

const network = `
chains:
  P: { history: 6, blockInterval: 1s }
  X: { history: 3, blockInterval: 2s }
  C: { history: 6, blockInterval: 1s }
subnets:
  - { name: alpha, chains: [{ alias: alpha-dex, history: 3, blockInterval: 2s }] }
  - { name: beta, chains: [{ alias: beta-game, history: 3, blockInterval: 2s }] }
faults:
  # Else it would be this machine's own, on which others write: an alert on it would be right, and no part of the drill.
  - { at: 0s, fault: disk-fills, availablePercentage: 60, availableBytes: 600000000000 }
`;

const scenarioOf = async (text: string): Promise<Scenario> => {
  const parsed = await parseScenario(text);
  if (parsed.kind === 'ok') return parsed.value;
  throw new Error(formatErrors('the scenario of the drills', parsed.errors));
};

export const openStage = async (drill: Drill, tools: Tools, { now, signal, log, startExporter }: StageDeps): Promise<Stage> => {
  // What is open so far, to be closed in the other order.
  const open: (() => Promise<void>)[] = [];
  const close = async (): Promise<void> => {
    for (const end of open.splice(0).reverse()) await end();
  };
  const keep = (child: Child): Child => {
    open.push(child.stop);
    return child;
  };
  const stop = new AbortController();
  setMaxListeners(0, stop.signal);
  try {
    const scenario = await scenarioOf(network);
    const folder = await mkdtemp(join(tmpdir(), 'snowgauge-drill-'));
    open.push(() => rm(folder, { recursive: true, force: true }));
    const receiver = await startReceiver(now);
    open.push(receiver.close);
    const start = (at: number, over: Partial<NodeOptions> = {}): Promise<RunningNode> => {
      const dataDir = drill.stored === true ? { dataDir: join(folder, `node-${at + 1}`) } : {};
      return startNode({ ...nodeOptions, ...dataDir, seed: at + 1, ...over }, { now, log, signal: stop.signal, scenario });
    };
    const nodes = await Promise.all(Array.from({ length: drill.nodes ?? 1 }, (_, at) => start(at)));
    open.push(async () => {
      stop.abort();
      await Promise.all(nodes.map((node) => node.close()));
    });
    const tagSets = tagSetsOf(scenario);
    const exporter = await startDrilled(
      { file: join(folder, 'snowgauge.yaml'), nodes, tagSets, indexes: drill.indexes },
      startExporter,
    );
    open.push(exporter.stop);

    const watchers = await startWatchers({ folder, tools, receiver: receiver.url, settings: settingsOf(drill.set) }, keep);
    await watchers.scrape(new URL(exporter.url() ?? '').host, signal);

    const inject = async (injection: Injection): Promise<void> => {
      switch (injection.kind) {
        case 'node':
          await setFaults(nodes, injection.faults);
          return;
        case 'exporter-stops':
          return exporter.stop();
        case 'tag-is-misspelt':
          return exporter.reconfigure([...tagSets, { name: 'misspelt', tags: [subnetIdOf(scenario, 'alpha').slice(0, -1)] }]);
        case 'configuration-has-an-error':
          return exporter.reconfigure([...tagSets, { name: 'Not a label' }]);
        case 'index-was-off':
          return runWithoutIndexes(nodes, start, signal);
        case 'nobody-is-scraped':
          return watchers.forget();
        default:
          return injection satisfies never;
      }
    };
    return {
      exporter: exporter.url,
      prometheus: watchers.prometheus,
      inject,
      receiver,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
};

const tagSetsOf = (scenario: Scenario): readonly TagSetText[] => [
  { name: 'all' },
  { name: 'primary', tags: [primaryNetworkId] },
  { name: 'alpha', tags: [subnetIdOf(scenario, 'alpha')] },
  { name: 'beta', tags: [subnetIdOf(scenario, 'beta')] },
];

/** As in the scenario, which has no say while faults are set. */
const calmDisk: FaultNow = { fault: 'disk-fills', availablePercentage: 60, availableBytes: 600_000_000_000 };

const setFaults = async (nodes: readonly RunningNode[], faults: readonly FaultNow[]): Promise<void> => {
  const ownDisk = faults.some(({ fault }) => fault === 'disk-fills');
  await Promise.all(nodes.map((node) => node.setFaults(ownDisk ? faults : [...faults, calmDisk])));
};

const nodeOptions: NodeOptions = {
  ...defaultNodeOptions,
  httpPort: 0,
  healthCheckFrequency: pace.interval,
  indexEnabled: true,
  dialect: 'avalanchego',
};

const bootstrapMs = 60_000;

type Start = (at: number, over: Partial<NodeOptions>) => Promise<RunningNode>;

/** Each node in turn: away, back without its indexes until it has accepted something, away, back with them. */
const runWithoutIndexes = async (nodes: RunningNode[], start: Start, signal: AbortSignal): Promise<void> => {
  for (const [at, before] of nodes.entries()) {
    const again = { httpPort: before.port, indexAllowIncomplete: true };
    await before.close();
    const without = await start(at, { ...again, indexEnabled: false });
    nodes[at] = without;
    // One that is not well in time is asked no longer: what follows of it shows in the drill.
    const inTime = AbortSignal.any([signal, AbortSignal.timeout(bootstrapMs)]);
    while (!inTime.aborted && (await askText(`${without.url}/ext/health`, inTime)) === undefined) await pause(0.2, inTime);
    // Two blocks of every chain, at least.
    await pause(3, signal);
    await without.close();
    const after = await start(at, again);
    nodes[at] = after;
  }
};
