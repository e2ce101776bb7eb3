// The exporter with nodes in memory: its real scheduler, polls, page, state on disk and event history.

import { openRemembered } from '../../src/commands/remembered.ts';
import { targetFrom } from '../../src/config/target.ts';
import { type Exporter, type ExporterTarget, startExporter } from '../../src/exporter.ts';
import { createPage, type RenderedPage } from '../../src/metrics/page.ts';
import { yieldToEventLoop, yieldToProbes } from '../../src/pause.ts';
import type { Running, Surroundings, World } from './endure.ts';
import { inFile, type Settings } from './fleet-settings.ts';
import { memoryClient } from './memory-client.ts';
import { strictLog } from './strict-log.ts';

export const memoryWorld = async ({ nodes, time, stateDir, fault }: Surroundings): Promise<World> => {
  const { now } = time;
  const log = strictLog(fault);
  // One page for the process, because process metrics continue over restarts.
  const page = createPage({ version: 'test' });
  let polls = 0;

  const start = async (settings: readonly Settings[]): Promise<Running> => {
    const stopping = new AbortController();
    let exporter: Exporter | undefined;
    const names = settings.map(({ name }) => name);
    const remembered = await openRemembered(
      { stateDir, maintenance: undefined, targets: names, podInfoDir: undefined },
      { now, wallClock: now, sinceBoot: now, log, signal: stopping.signal, changed: () => exporter?.maintain() },
    );
    if (remembered.kind === 'invalid') throw new Error(JSON.stringify(remembered.errors));
    const { eventHistory, windows, recall } = remembered;
    let told = 0;
    const clients = new Map<string, ExporterTarget['client']>();
    const toTargets = (all: readonly Settings[]): readonly ExporterTarget[] =>
      all.flatMap((one) => {
        const node = nodes[one.nth];
        if (node === undefined) return [];
        const key = `${one.name} ${one.timeoutMs}`;
        const client = clients.get(key) ?? memoryClient(node, now, one.timeoutMs);
        clients.set(key, client);
        return [{ options: targetFrom(inFile(one)).options, client }];
      });
    const started = startExporter(toTargets(settings), {
      ...{ now, log, recall, signal: stopping.signal, maintenance: windows.openFor },
      eventHistory: {
        ...eventHistory,
        add: (drafts) => {
          told += drafts.length;
          eventHistory.add(drafts);
        },
      },
      polled: (target) => {
        polls += 1;
        page.prepare(target, now(), 0);
        remembered.keep(target);
      },
      onTick: () => windows.tick(),
    });
    exporter = started;
    const succeededAt = now();
    return {
      replace: async (next) => {
        const replaced = started.replace(toTargets(next));
        for (const name of replaced.removed) remembered.forget(name);
        return replaced;
      },
      scrape: async () => {
        const { targets, version } = started;
        const kept = { removedProbes: started.removed.probes(), eventHistory: eventHistory.tally() };
        const state = { ...kept, targets, version: version(), wallOffset: 0, reload: { successful: true, succeededAt } };
        return textOf(await page.at(state, now(), undefined, undefined));
      },
      written: async () => {
        const taken = ({ written, withheld } = eventHistory.tally() ?? { written: 0, withheld: 0 }): number => written + withheld;
        while (taken() < told) await yieldToEventLoop();
        return eventHistory.records().at(-1)?.id;
      },
      stop: async () => {
        stopping.abort();
        await started.finished;
        await remembered.close();
      },
    };
  };
  return {
    urls: nodes.map((_, nth) => `http://10.0.0.${nth}:9650`),
    start,
    // A poll starts in a turn of the event loop, and yields to probes before its conditions are evaluated and before it is rendered. If
    // several are due at once, the next one continues in the next step.
    settled: async () => {
      await yieldToEventLoop();
      await yieldToProbes();
      await yieldToProbes();
      await yieldToEventLoop();
    },
    polls: () => polls,
    listening: () => 0,
    connections: () => 0,
  };
};

const textOf = ({ body }: RenderedPage): string =>
  Buffer.concat('chunks' in body ? Array.from(body.chunks(), (chunk) => Buffer.from(chunk)) : [body]).toString();
