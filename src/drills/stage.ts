// The environment of a drill: embedded nodes, exporters, a real Prometheus and a real Alertmanager, which both send to our receiver.

import { setMaxListeners } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Scenario, subnetIdOf } from '../node/scenario.ts';
import { primaryNetworkId } from '../protocol/id.ts';
import type { Child } from './child.ts';
import { podLabels, type Scraped } from './configuration.ts';
import type { Drill, DrillExporter, Injection } from './drill.ts';
import { type Drilled, type StartExporter, startDrilled, type TagSetText } from './drilled.ts';
import { startLossy } from './lossy.ts';
import { type DrillNodeDeps, type DrillNodes, drillSubnets, startNodes } from './nodes.ts';
import { settingsOf } from './pace.ts';
import { startReceiver } from './receiver.ts';
import type { Tools } from './tools.ts';
import { startWatchers, type Watchers } from './watchers.ts';

export type Stage = Awaited<ReturnType<typeof openStage>>;

export interface StageDeps extends DrillNodeDeps {
  readonly startExporter: StartExporter;
}

export const exportersOf = ({ exporters, nodes = 1 }: Drill): readonly DrillExporter[] =>
  exporters ?? [{ labels: podLabels, nodes: Array.from({ length: nodes }, (_, at) => at) }];

interface Scraper {
  readonly exporter: Drilled;
  readonly scraped: () => Scraped;
}

export const openStage = async (drill: Drill, tools: Tools, deps: StageDeps) => {
  // What has been opened so far. It is closed in reverse order.
  const open: (() => Promise<void>)[] = [];
  /** Closes everything, including child processes. */
  const close = async (): Promise<void> => {
    for (const end of open.splice(0).reverse()) await end();
  };
  const keep = (child: Child): Child => {
    open.push(child.stop);
    return child;
  };
  const stop = new AbortController();
  const signal = AbortSignal.any([deps.signal, stop.signal]);
  setMaxListeners(0, signal);
  try {
    const folder = await mkdtemp(join(tmpdir(), 'snowgauge-drill-'));
    open.push(() => rm(folder, { recursive: true, force: true }));
    const receiver = await startReceiver(deps.now);
    open.push(receiver.close);
    const nodes = await startNodes(drill, folder, { ...deps, signal });
    open.push(async () => {
      stop.abort();
      await nodes.close();
    });
    const tagSets = tagSetsOf(nodes.scenario);
    const scrapers: Scraper[] = [];
    for (const [at, one] of exportersOf(drill).entries()) {
      const file = join(folder, `snowgauge-${at}.yaml`);
      const watched = nodes.all.filter((_, nth) => one.nodes.includes(nth));
      const exporter = await startDrilled(
        { ...drill, file, nodes: watched, tagSets, indexes: drill.indexes },
        deps.startExporter,
      );
      open.push(exporter.stop);
      const lossy = drill.loses === undefined ? undefined : await startLossy(exporter.url, drill.loses);
      if (lossy !== undefined) open.push(lossy.close);
      const host = (): string => lossy?.host ?? new URL(exporter.url() ?? '').host;
      scrapers.push({ exporter, scraped: () => ({ host: host(), labels: one.labels }) });
    }
    const watchers = await startWatchers({ folder, tools, receiver: receiver.url, settings: settingsOf(drill.set) }, keep);
    const hosts = scrapers.map(({ scraped }) => scraped());
    await watchers.scrape(hosts, deps.signal);
    const [first] = scrapers;
    if (first === undefined) throw new Error(`drill ${drill.name} has no exporter`);
    return {
      /** The URL of the first exporter's page. Undefined while it is stopped. */
      exporter: first.exporter.url,
      prometheus: watchers.prometheus,
      inject: (injection: Injection): Promise<void> =>
        inject(injection, { nodes, first, others: hosts.slice(1), tagSets, watchers, signal }),
      receiver,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
};

interface Scene {
  readonly nodes: DrillNodes;
  readonly first: Scraper;
  readonly others: readonly Scraped[];
  readonly tagSets: readonly TagSetText[];
  readonly watchers: Watchers;
  readonly signal: AbortSignal;
}

const inject = async (injection: Injection, { nodes, first, others, tagSets, watchers, signal }: Scene): Promise<void> => {
  const { exporter, scraped } = first;
  const instance = (): string => `up{instance="${scraped().host}"}`;
  switch (injection.kind) {
    case 'node':
      return nodes.setFaults(injection.faults, injection.of);
    case 'exporter-stops':
      return exporter.stop();
    case 'tag-is-misspelt': {
      const tags = [subnetIdOf(nodes.scenario, 'alpha').slice(0, -1)];
      return exporter.reconfigure([...tagSets, { name: 'misspelt', tags }]);
    }
    case 'configuration-has-an-error':
      return exporter.reconfigure([...tagSets, { name: 'Not a label' }]);
    case 'index-was-off':
      return nodes.runWithoutIndexes();
    case 'nobody-is-scraped':
      return watchers.scrapeOnly([]);
    case 'pod-vanishes':
      await watchers.scrapeOnly(others);
      // Discovery drops its address first, as for a deleted pod: a failed scrape is another drill.
      await watchers.gone(instance(), signal);
      return exporter.stop();
    case 'pod-moves': {
      const before = instance();
      const stop = await exporter.replace();
      await watchers.scrapeOnly([scraped(), ...others]);
      await watchers.gone(before, signal);
      return stop();
    }
    default:
      return injection satisfies never;
  }
};

const tagSetsOf = (scenario: Scenario): readonly TagSetText[] => [
  { name: 'all' },
  { name: 'primary', tags: [primaryNetworkId] },
  ...drillSubnets.map((name) => ({ name, tags: [subnetIdOf(scenario, name)] })),
];
