// The whole exporter over sockets: its clients, polls, state on disk, event history and server, as `snowgauge run` starts them.

import { subscribe } from 'node:diagnostics_channel';
import type { ClientRequest } from 'node:http';
import { Agent, get } from 'node:http';
import { text } from 'node:stream/consumers';
import { serve } from '../../src/commands/serve.ts';
import { parseConfig } from '../../src/config/load.ts';
import type { Config } from '../../src/config/types.ts';
import { yieldToEventLoop } from '../../src/pause.ts';
import type { Running, Surroundings, World } from './endure.ts';
import { inFile, type Settings } from './fleet-settings.ts';
import { modelServer } from './model-server.ts';
import { strictLog } from './strict-log.ts';

/** Idle turns of the event loop after which all responses have been processed. */
const quietTurns = 12;

/** Node.js's names of pending operations on files and connections: opening, reading, closing, connecting. */
const underWayKinds = /Req|ConnectWrap/;

/** Resolves after the next event: an unreferenced immediate does not keep the event loop from waiting. */
const nextEvent = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve).unref();
  });

export const socketWorld = async ({ nodes, time, stateDir, fault }: Surroundings): Promise<World> => {
  const { now } = time;
  const log = strictLog(fault);
  const servers = await Promise.all(nodes.map((node) => modelServer(node, now)));
  const underWay = new Set<ClientRequest>();
  let requests = 0;
  subscribe('http.client.request.start', (message) => {
    // The type that the channel publishes.
    const { request } = message as { readonly request: ClientRequest };
    requests += 1;
    underWay.add(request);
    request.once('close', () => underWay.delete(request));
  });
  const held = (): number => servers.reduce((sum, one) => sum + one.held(), 0);
  const isQuiet = (): boolean =>
    underWay.size === held() && !process.getActiveResourcesInfo().some((kind) => underWayKinds.test(kind));

  const settled = async (): Promise<void> => {
    for (const server of servers) await server.follow();
    let quiet = 0;
    while (quiet < quietTurns) {
      if (isQuiet()) {
        quiet += 1;
        await yieldToEventLoop();
      } else {
        quiet = 0;
        await nextEvent();
      }
    }
  };
  const configOf = async (settings: readonly Settings[]): Promise<Config> => {
    const parsed = await parseConfig(JSON.stringify({ stateDir, targets: settings.map(inFile) }), {});
    if (parsed.kind === 'invalid') throw new Error(JSON.stringify(parsed.errors));
    return parsed.value;
  };

  const start = async (settings: readonly Settings[]): Promise<Running> => {
    const stopping = new AbortController();
    const serving = await serve(
      { ...(await configOf(settings)), source: 'test', listen: { host: '127.0.0.1', port: 0 }, podLabels: undefined },
      { now, wallClock: now, sinceBoot: now, log, version: 'test', signal: stopping.signal },
    );
    if (serving.kind === 'invalid') throw new Error(JSON.stringify(serving.errors));
    const scraper = new Agent({ keepAlive: true });
    const fetched = (path: string): Promise<string> =>
      new Promise((resolve, reject) => {
        get(serving.url + path, { agent: scraper }, (response) => resolve(text(response))).on('error', reject);
      });
    return {
      replace: async (next) => {
        const replaced = serving.replace(await configOf(next));
        if (replaced.kind === 'invalid') throw new Error(JSON.stringify(replaced.errors));
        return replaced.value;
      },
      scrape: () => fetched('/metrics'),
      written: async () => {
        await settled();
        return JSON.parse(await fetched('/api/v1/history?limit=1')).cursor;
      },
      stop: async () => {
        scraper.destroy();
        stopping.abort();
        await serving.finished;
      },
    };
  };
  const listening = (): number => servers.filter((one) => one.isListening()).length;
  const connections = (): number => servers.reduce((sum, one) => sum + one.connections(), 0);
  return { urls: servers.map(({ url }) => url), start, settled, polls: () => requests, listening, connections };
};
