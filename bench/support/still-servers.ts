// Baselines of the fleet bench: an idle server, and the exporter's own server with static bytes.

import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { silentLog } from '../../src/log.ts';
import { startServer } from '../../src/server/listen.ts';

export const serveIdle = (): void => {
  const server = createServer((_, response) => response.end('ok\n'));
  server.keepAliveTimeout = 120_000;
  server.listen(0, '127.0.0.1', () => {
    const address = server.address();
    console.log(typeof address === 'object' ? address?.port : '');
  });
};

/** Serves the current content of the file. */
export const serveStatic = async (file: string): Promise<void> => {
  const now = (): number => performance.now() / 1000;
  const started = await startServer(
    { host: '127.0.0.1', port: 0, drainMs: 0 },
    {
      state: () => ({ targets: new Map(), version: 0, startedAt: now(), stopping: false, wallOffset: 0 }),
      lastTick: now,
      metrics: () => ({ body: readFileSync(file), headers: { 'Content-Encoding': 'gzip' } }),
      now,
      version: 'bench',
      log: silentLog,
      signal: new AbortController().signal,
    },
  );
  if (started.kind !== 'ok') throw new Error('the server did not start');
  console.log(started.value.port);
};
