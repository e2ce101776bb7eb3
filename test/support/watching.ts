// The exporter's path from the node's socket to the page, one poll at a time, with a clock that tests advance.

import { onTestFinished } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import type { ClientOptions } from '../../src/client/options.ts';
import type { Conditions, Target, Targets } from '../../src/conditions/condition.ts';
import { judge } from '../../src/conditions/judge.ts';
import type { LiveMemory } from '../../src/conditions/memory.ts';
import { targetFrom } from '../../src/config/target.ts';
import { createEventHistory, type EventHistory } from '../../src/events/event-history.ts';
import { noLines } from '../../src/events/lines.ts';
import type { TransitionRecord } from '../../src/events/record.ts';
import { type Log, silentLog } from '../../src/log.ts';
import { createPage } from '../../src/metrics/page.ts';
import type { PollCause } from '../../src/poller/ask.ts';
import { poll } from '../../src/poller/poll.ts';
import type { Server } from '../../src/server/listen.ts';
import type { TargetOptions } from '../../src/snapshot/options.ts';
import { sources } from '../../src/sources/sources.ts';
import { newTarget, type TargetState } from '../../src/sources/target-state.ts';
import { updateTarget } from '../../src/target-update.ts';
import { ringWith } from './events.ts';
import { serveExporter } from './exporter-server.ts';
import { parseExposition, type Series } from './exposition-parser.ts';
import { bytesOf } from './metrics.ts';

export interface Watching {
  /** One poll over real sockets; an impatient one waits only briefly, for when no response will come. */
  readonly poll: (patience?: 'patient' | 'impatient', cause?: PollCause) => Promise<TargetState>;
  readonly target: () => TargetState;
  readonly conditions: () => Conditions;
  /** The series on the page at the current test time. */
  readonly page: () => Promise<readonly Series[]>;
  /** Every event since the exporter started. */
  readonly eventHistory: EventHistory;
  /** Serves the state on a port: page, metrics, probes and events. */
  readonly serve: () => Promise<Server>;
}

/** The exporter's dependencies besides its clock. */
export interface Surroundings {
  /** Records of earlier runs, oldest first. */
  readonly history?: readonly TransitionRecord[];
  readonly log?: Log;
  /** Called when the node closes an idle connection. */
  readonly onClosed?: () => void;
  /** The socket that listens on the node's address. */
  readonly listener?: () => Promise<string | undefined>;
  /** The liveness state of an earlier run. */
  readonly recalled?: LiveMemory | undefined;
}

const pages = createPage({ version: 'test' });

export const watch = (
  url: string,
  now: () => number,
  over: Partial<TargetOptions> = {},
  client: Partial<ClientOptions> = {},
  { history = [], log = silentLog, onClosed = () => undefined, listener, recalled }: Surroundings = {},
): Watching => {
  const options: TargetOptions = {
    ...targetFrom({ url, healthCheckFrequency: '5s', indexes: ['P/block'] }).options,
    ...over,
  };
  const asking = createClient(
    { baseUrl: url, timeoutMs: 60_000, maxBodyBytes: 65_536, userAgent: 'snowgauge/test', ...client },
    now,
    { onClosed },
  );
  const impatient = createClient({ baseUrl: url, timeoutMs: 30, maxBodyBytes: 65_536, userAgent: 'snowgauge/test' }, now);
  onTestFinished(() => {
    asking.close();
    impatient.close();
  });
  const state = newTarget(options);
  let target: Target = { state, conditions: judge(undefined, state, now(), recalled) };
  let version = 0;
  const reload = { successful: true, succeededAt: now() };
  const startedAt = now();
  let memory = noLines;
  const eventHistory = createEventHistory({ run: `run${history.length}`, ring: ringWith(history) });
  const known = (): { readonly targets: Targets; readonly version: number; readonly wallOffset: number } => ({
    targets: new Map([[options.name, target]]),
    version,
    wallOffset: 0,
  });
  return {
    poll: async (patience = 'patient', cause = 'due') => {
      const client = patience === 'patient' ? asking : impatient;
      const applied = await poll({
        table: sources,
        state: () => target.state,
        client,
        now,
        cause,
        // Long enough for a busy machine.
        contactMs: 60_000,
        ...(listener && { listener }),
      });
      for (const { error } of applied.faults) throw error;
      const updated = updateTarget(sources, { target, memory }, applied.state, now());
      ({ target, memory } = updated);
      for (const { level, fields, message } of updated.lines) log[level](fields, message);
      version += 1;
      eventHistory.add(updated.records);
      return target.state;
    },
    target: () => target.state,
    conditions: () => target.conditions,
    page: async () => {
      const { body } = await pages.at({ ...known(), reload }, now(), undefined, undefined);
      return parseExposition(bytesOf(body).toString(), 'text').flatMap(({ series }) => series);
    },
    eventHistory,
    serve: () =>
      serveExporter({
        state: () => ({ ...known(), startedAt, stopping: false }),
        metrics: (accept, encoding) => pages.at({ ...known(), reload }, now(), accept, encoding),
        lastTick: now,
        eventHistory,
        now,
      }),
  };
};

/** The values of the series of a family with at least these labels. */
export const valuesOf = (
  series: readonly Series[],
  name: string,
  labels: Readonly<Record<string, string>> = {},
): readonly number[] =>
  series
    .filter((one) => one.name === name && Object.entries(labels).every(([label, value]) => one.labels.get(label) === value))
    .map(({ value }) => value);
