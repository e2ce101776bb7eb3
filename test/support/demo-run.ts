// A demo scraped by a real Prometheus: a healthy node, a node in trouble, the exporter and the shipped rules.

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { serve } from '../../src/commands/serve.ts';
import { targetFrom } from '../../src/config/target.ts';
import { startChild } from '../../src/drills/child.ts';
import { podLabels, prometheusFile, targetsFile } from '../../src/drills/configuration.ts';
import { settingsOf } from '../../src/drills/pace.ts';
import { silentLog } from '../../src/log.ts';
import { type RunningNode, startNode } from '../../src/node/node.ts';
import { defaultNodeOptions } from '../../src/node/options.ts';
import type { FaultNow } from '../../src/node/play.ts';
import { subnetIdOf } from '../../src/node/scenario.ts';
import { pause } from '../../src/pause.ts';
import { primaryNetworkId } from '../../src/protocol/id.ts';
import { ruleGroups, rulesYaml } from '../../src/rules/file.ts';
import { scenarioFrom } from './node.ts';
import { until } from './until.ts';

export interface DemoRun {
  /** The URL of Prometheus. */
  readonly url: string;
  readonly close: () => Promise<void>;
}

const network = `
chains:
  P: { history: 6, blockInterval: 1s }
  C: { history: 6, blockInterval: 1s }
subnets:
  - { name: alpha, chains: [{ alias: alpha-dex, history: 3, blockInterval: 2s }] }
  - { name: beta, l1: {}, chains: [{ alias: beta-game, history: 3, blockInterval: 2s }] }
`;

const calm: FaultNow = { fault: 'disk-fills', availablePercentage: 25, availableBytes: 90_000_000_000 };
const lasting: readonly FaultNow[] = [
  { fault: 'chain-dead', chain: 'beta' },
  { fault: 'stake-disconnects', chain: 'alpha', percentConnected: 0.82 },
  {
    fault: 'check-fails',
    check: 'futureupgrade',
    error: 'imminent network upgrade',
    message: { modeUpgradeTime: '2100-01-01T00:00:00Z' },
  },
];
const fuller: FaultNow = { fault: 'disk-fills', availablePercentage: 20, availableBytes: 80_000_000_000 };
const fullest: FaultNow = { fault: 'disk-fills', availablePercentage: 15, availableBytes: 70_000_000_000 };
const lost: FaultNow = { fault: 'index-loses-container', index: 'P/block' };
const silent: FaultNow = { fault: 'api-silent', path: '/ext/index' };

/**
 * A fault for each thing that a dashboard shows, by the second at which it starts: the VM fails, stake drops, the disk fills, an
 * upgrade approaches, an index loses a container, calls are not answered, and the node restarts. Starts after Prometheus has seen
 * it healthy.
 */
const trouble: readonly { readonly at: number; readonly faults: readonly FaultNow[] }[] = [
  { at: 14, faults: [calm, { fault: 'node-restarts' }] },
  { at: 16, faults: [calm] },
  { at: 22, faults: [...lasting, fuller] },
  { at: 24, faults: [...lasting, fuller, silent] },
  { at: 27, faults: [...lasting, fullest, lost] },
  // Some unanswered calls throughout.
  ...Array.from({ length: 100 }, (_, nth) => [
    { at: 44 + 20 * nth, faults: [...lasting, fullest, lost, silent] },
    { at: 47 + 20 * nth, faults: [...lasting, fullest, lost] },
  ]).flat(),
];

const now = (): number => Date.now() / 1000;

export const startDemoRun = async (prometheus: string): Promise<DemoRun> => {
  const stop = new AbortController();
  const folder = await mkdtemp(join(tmpdir(), 'snowgauge-demo-'));
  const file = (name: string): string => join(folder, name);
  const node = async (yaml: string, seed: number): Promise<RunningNode> =>
    startNode(
      {
        ...defaultNodeOptions,
        httpPort: 0,
        healthCheckFrequency: 1,
        indexEnabled: true,
        indexAllowIncomplete: true,
        dialect: 'avalanchego',
        seed,
      },
      { now, log: silentLog, signal: stop.signal, scenario: await scenarioFrom(yaml) },
    );
  const nodes = [await node(network, 1), await node(network, 2)];
  await nodes[1]?.setFaults([calm]);
  const scenario = await scenarioFrom(network);
  const tagSets = [
    { name: 'all', tags: [] },
    { name: 'primary', tags: [primaryNetworkId] },
    ...['alpha', 'beta'].map((name) => ({ name, tags: [subnetIdOf(scenario, name)] })),
  ];
  const serving = await serve(
    {
      listen: { host: '127.0.0.1', port: 0 },
      source: 'the demo run',
      stateDir: file('state'),
      targets: nodes.map(({ url, nodeId }, at) =>
        targetFrom({
          name: `node-${at + 1}`,
          url,
          nodeId,
          healthCheckFrequency: '1s',
          timeout: '900ms',
          tagSets,
          indexes: ['P/block', 'C/block', 'X/vtx'],
        }),
      ),
    },
    { now, log: silentLog, version: '0.0.0', signal: stop.signal },
  );
  if (serving.kind === 'invalid') throw new Error(JSON.stringify(serving.errors));
  await writeFile(file('targets.json'), targetsFile([{ host: new URL(serving.url).host, labels: podLabels }]));
  // The same interval for all groups, so that no objective takes two minutes.
  const groups = ruleGroups(settingsOf(), 'main', ['SnowgaugeWatchdog']).map(({ name, rules }) => ({ name, rules }));
  await writeFile(file('rules.yaml'), rulesYaml(groups));
  await writeFile(file('prometheus.yml'), prometheusFile(file('targets.json'), file('rules.yaml'), []));
  const child = startChild('Prometheus', prometheus, [
    `--config.file=${file('prometheus.yml')}`,
    `--storage.tsdb.path=${file('data')}`,
    '--web.listen-address=127.0.0.1:0',
  ]);
  const url = `http://127.0.0.1:${await child.port}`;
  await until('Prometheus has seen both well', async () => {
    const answer = await answerOf(url, 'snowgauge_up == 1', 'now');
    return 'series' in answer && answer.series === 2;
  });
  const troubles = async (): Promise<void> => {
    const since = now();
    for (const { at, faults } of trouble) {
      await pause(since + at - now(), stop.signal);
      if (stop.signal.aborted) return;
      await nodes[1]?.setFaults(faults);
    }
  };
  const troubled = troubles();
  return {
    url,
    close: async () => {
      stop.abort();
      await troubled;
      await child.stop();
      await Promise.all([serving.finished, ...nodes.map((one) => one.close())]);
      await rm(folder, { recursive: true });
    },
  };
};

const said = z.object({ status: z.string(), error: z.optional(z.string()), data: z.optional(z.unknown()) });
const results = z.object({ result: z.array(z.unknown()) });

export type Answer = { readonly error: string } | { readonly series: number };

const ask = async (url: string): Promise<z.output<typeof said>> =>
  said.parse(await (await fetch(url, { signal: AbortSignal.timeout(280_000) })).json());

/** The number of series of a query, now or at any time of the run. */
export const answerOf = async (prometheus: string, expr: string, when: 'now' | 'run'): Promise<Answer> => {
  const at = now();
  const range = { start: `${at - 300}`, end: `${at}`, step: '2' };
  const params = new URLSearchParams({ query: expr, ...(when === 'run' && range) });
  const { error, data } = await ask(`${prometheus}/api/v1/query${when === 'run' ? '_range' : ''}?${params}`);
  return error === undefined ? { series: results.parse(data).result.length } : { error };
};

/** The values of Grafana's `label_values(series, label)`. */
export const labelValues = async (prometheus: string, series: string, label: string): Promise<readonly string[]> => {
  const { data } = await ask(`${prometheus}/api/v1/label/${label}/values?${new URLSearchParams({ 'match[]': series })}`);
  return z.array(z.string()).parse(data);
};

/** The label of the first series, as Grafana's `query_result` returns it. */
export const firstLabel = async (prometheus: string, query: string, label: string): Promise<string | undefined> => {
  const { data } = await ask(`${prometheus}/api/v1/query?${new URLSearchParams({ query })}`);
  const { result } = z.object({ result: z.array(z.object({ metric: z.record(z.string(), z.string()) })) }).parse(data);
  return result[0]?.metric[label];
};
