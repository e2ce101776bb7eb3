// Starts the exporter's server on port 0 with given targets, and closes it after the test.

import { onTestFinished } from 'vitest';
import type { Targets } from '../../src/conditions/condition.ts';
import { createEventHistory } from '../../src/events/event-history.ts';
import { silentLog } from '../../src/log.ts';
import type { ServerInputs, State } from '../../src/server/inputs.ts';
import { type Server, type ServerDependencies, type ServerOptions, startServer } from '../../src/server/listen.ts';
import type { MetricsReply } from '../../src/server/reply.ts';
import { noon, targetsOf } from './snapshot.ts';

export const metricsPage: MetricsReply = () => ({
  body: 'snowgauge_up 1\n',
  headers: { 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8' },
});

/** The state an hour after the start. */
export const stateOf = (targets: Targets = targetsOf(), over: Partial<State> = {}): State => ({
  targets,
  version: 1,
  startedAt: noon - 3600,
  stopping: false,
  wallOffset: 0,
  ...over,
});

export interface Given extends Partial<ServerInputs> {
  readonly targets?: Targets;
  readonly stopping?: boolean;
  readonly options?: Partial<ServerOptions>;
  readonly signal?: AbortSignal;
  readonly web?: ServerDependencies['web'];
  readonly arrivals?: NonNullable<ServerDependencies['arrivals']>;
  readonly clients?: NonNullable<ServerDependencies['clients']>;
  readonly routes?: NonNullable<ServerDependencies['routes']>;
}

/** Milliseconds. Longer than a busy machine stalls, for tests that are not about these limits. */
const patient = { handshakeMs: 300_000, requestMs: 300_000, stalledMs: 300_000, largeMs: 300_000 };

/** The clock is fixed at noon, and the scheduler has just ticked. */
export const serveExporter = async ({ targets, stopping = false, options, ...given }: Given = {}): Promise<Server> => {
  const known = stateOf(targets, { stopping });
  const started = await startServer(
    { host: '127.0.0.1', port: 0, drainMs: 0, ...patient, ...options },
    {
      state: () => known,
      lastTick: () => noon,
      metrics: metricsPage,
      eventHistory: createEventHistory({ run: 'test' }),
      now: () => noon,
      version: '0.0.0-test',
      log: silentLog,
      signal: new AbortController().signal,
      replies: { keptMs: 30_000 },
      ...given,
    },
  );
  if (started.kind !== 'ok') throw new Error(started.errors.map(({ message }) => message).join('\n'));
  const server = started.value;
  onTestFinished(() => server.close());
  return server;
};
