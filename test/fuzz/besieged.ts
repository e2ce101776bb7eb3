// Who hostile requests are sent to: an exporter that serves all its paths of a target, and an embedded node with all of its own.

import { onTestFinished } from 'vitest';
import { createLookups } from '../../src/client/lookup.ts';
import type { Targets } from '../../src/conditions/condition.ts';
import { silentLog } from '../../src/log.ts';
import { createWindows } from '../../src/maintenance/windows.ts';
import { createPage } from '../../src/metrics/page.ts';
import { createProber } from '../../src/probe/prober.ts';
import type { ServerInputs } from '../../src/server/routes.ts';
import { serveExporter, stateOf } from '../support/exporter-server.ts';
import { build, reload } from '../support/metrics.ts';
import { roundsToSettle, startTestNode } from '../support/node.ts';
import { probeConfig } from '../support/probing.ts';
import type { RawCase } from './requests.ts';
import type { World } from './world.ts';

export interface Besieged {
  readonly ports: Readonly<Record<RawCase['to'], number>>;
  /** What nobody caught, which would have ended the process. */
  readonly faults: readonly unknown[];
}

/** The port of an exporter that knows these targets, by their names. Ends with the test. */
export const serveKnown = async (targets: Targets, at: number, stop: AbortSignal): Promise<number> => {
  const page = createPage(build);
  const state = { targets, version: 1, wallOffset: 0, reload };
  const prober = createProber(await probeConfig('{ allow: [{ cidr: 127.0.0.1, ports: [1] }] }'), {
    resolve: createLookups().resolve,
    userAgent: 'fuzz',
    now: () => at,
    wallOffset: () => 0,
    onFault: (_, { error }) => {
      throw error;
    },
    signal: stop,
  });
  const windows = createWindows({
    ...{ saved: [], configured: [], now: () => at, steadyNow: () => at, log: silentLog },
    save: async () => true,
    changed: () => undefined,
  });
  const inputs: Partial<ServerInputs> = {
    state: () => stateOf(targets, { startedAt: at - 3600 }),
    lastTick: () => at,
    now: () => at,
    metrics: (accept, encoding, part) => page.at(state, at, accept, encoding, part),
    probe: prober.answer,
    maintenance: { windows, token: () => undefined },
  };
  // A browser that looks at many pages in a moment may end the streams of those before later.
  return (await serveExporter({ ...inputs, options: { events: { maxOfAddress: 64 } } })).port;
};

export const besiege = async (world: World, stop: AbortSignal): Promise<Besieged> => {
  const node = await startTestNode({ indexEnabled: true });
  await node.ticks(roundsToSettle);
  const { target, at } = world.warm;
  const exporter = await serveKnown(new Map([[target.state.options.name, target]]), at, stop);
  const faults: unknown[] = [];
  const found = (fault: unknown): void => void faults.push(fault);
  for (const event of ['uncaughtException', 'unhandledRejection']) process.on(event, found);
  onTestFinished(() => {
    for (const event of ['uncaughtException', 'unhandledRejection']) process.off(event, found);
  });
  return { ports: { exporter, node: node.port }, faults };
};
