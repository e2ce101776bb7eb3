// Baselines of the fleet bench: an idle server, and the exporter's own server with static bytes.

import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { silentLog } from '../../src/log.ts';
import { startServer } from '../../src/server/listen.ts';
import type { MetricsReply } from '../../src/server/reply.ts';

/** Listens on a free port, and prints it. */
export const announce = (server: Server): void => {
  server.keepAliveTimeout = 120_000;
  server.listen(0, '127.0.0.1', () => {
    const address = server.address();
    console.log(typeof address === 'object' ? address?.port : '');
  });
};

export const serveIdle = (): void => announce(createServer((_, response) => response.end('ok\n')));

/** The exporter's own server with another page. */
export const serveMetrics = async (metrics: MetricsReply) => {
  const now = (): number => performance.now() / 1000;
  const started = await startServer(
    { host: '127.0.0.1', port: 0, drainMs: 0 },
    {
      state: () => ({ targets: new Map(), version: 0, startedAt: now(), stopping: false, wallOffset: 0 }),
      lastTick: now,
      metrics,
      now,
      version: 'bench',
      log: silentLog,
      signal: new AbortController().signal,
    },
  );
  if (started.kind !== 'ok') throw new Error('the server did not start');
  return started.value;
};

/** Serves the current content of the file. */
export const serveStatic = async (file: string): Promise<void> => {
  const { port } = await serveMetrics(() => ({ body: readFileSync(file), headers: { 'Content-Encoding': 'gzip' } }));
  console.log(port);
};
