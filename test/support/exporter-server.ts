// Starts the exporter's server on port 0 over a given snapshot, and ends it with the test.

import { onTestFinished } from 'vitest';
import { createEvidence } from '../../src/evidence/evidence.ts';
import { silentLog } from '../../src/log.ts';
import { type Server, type ServerOptions, startServer } from '../../src/server/listen.ts';
import type { Page, Sources } from '../../src/server/routes.ts';
import type { Snapshot } from '../../src/snapshot/snapshot.ts';
import { judgeAll } from '../../src/verdict/judge.ts';
import type { Verdicts } from '../../src/verdict/judgement.ts';
import { noon, snapshotOf } from './snapshot.ts';

export const metricsPage: Page = () => ({
  body: 'snowgauge_up 1\n',
  headers: { 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8' },
});

export interface Given extends Partial<Sources> {
  readonly snapshot?: Snapshot;
  /** Else judged from the snapshot alone. */
  readonly verdicts?: Verdicts;
  readonly stopping?: boolean;
  readonly options?: Partial<ServerOptions>;
  readonly signal?: AbortSignal;
}

/** The time stands at noon, and the poller's heart has just beaten. */
export const serveExporter = async ({
  snapshot = snapshotOf(),
  verdicts = judgeAll(snapshot, noon).verdicts,
  stopping = false,
  options,
  ...given
}: Given = {}): Promise<Server> => {
  const started = await startServer(
    { host: '127.0.0.1', port: 0, drainMs: 0, ...options },
    {
      state: () => ({ snapshot, verdicts, startedAt: noon - 3600, stopping }),
      lastBeat: () => noon,
      metrics: metricsPage,
      evidence: createEvidence({ log: silentLog, run: 'test' }),
      now: () => noon,
      version: '0.0.0-test',
      log: silentLog,
      signal: new AbortController().signal,
      ...given,
    },
  );
  if (started.kind !== 'ok') throw new Error(started.mistakes.map(({ message }) => message).join('\n'));
  const server = started.value;
  onTestFinished(() => server.close());
  return server;
};
