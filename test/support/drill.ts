// An embedded node and the exporter beside it, over real sockets with one simulated clock: checks run at the node's period, polls
// when the poller schedules them.

import { expect } from 'vitest';
import * as z from 'zod/mini';
import type { Conditions } from '../../src/conditions/condition.ts';
import type { NodeOptions } from '../../src/node/options.ts';
import type { FaultNow } from '../../src/node/play.ts';
import { subnetIdOf } from '../../src/node/scenario.ts';
import { scenarioSchema } from '../../src/node/scenario-grammar.ts';
import { dueAfter } from '../../src/poller/poll.ts';
import { primaryNetworkId } from '../../src/protocol/id.ts';
import type { TargetOptions } from '../../src/snapshot/options.ts';
import type { TargetState } from '../../src/sources/target-state.ts';
import { roundsToSettle, startTestNode, type TestNode } from './node.ts';
import { type Watching, watch } from './watching.ts';

export const start = 1_800_000_000;

/** Two subnets with one chain each. */
const subnets = `
subnets:
  - { name: alpha, chains: [{ alias: alpha-dex, history: 3, blockInterval: 30s }] }
  - { name: beta, chains: [{ alias: beta-game, history: 3, blockInterval: 30s }] }
`;

const scenario = scenarioSchema.parse({ subnets: [{ name: 'alpha' }, { name: 'beta' }] });

export const tagSets = [
  { name: 'all', tags: [] },
  { name: 'primary', tags: [primaryNetworkId] },
  { name: 'alpha', tags: [subnetIdOf(scenario, 'alpha')] },
  { name: 'beta', tags: [subnetIdOf(scenario, 'beta')] },
];

export interface Drill {
  readonly node: TestNode;
  /** The exporter; a different one after `restartExporter`. */
  readonly watching: () => Watching;
  readonly now: () => number;
  /** Advances the simulated clock, with all check runs and polls in that time. */
  readonly run: (seconds: number) => Promise<void>;
  /** Advances only the node. */
  readonly runNodeAlone: (seconds: number) => Promise<void>;
  readonly setFaults: (faults: readonly FaultNow[]) => Promise<void>;
  /** Starts a new exporter that knows only the event history on disk. */
  readonly restartExporter: () => void;
  /** The conditions after each poll. */
  readonly history: readonly Conditions[];
}

export interface Given {
  /** Seconds between two check runs of the node. */
  readonly period?: number;
  readonly target?: Partial<TargetOptions>;
  /** YAML. */
  readonly scenario?: string;
  /** The subnets as YAML; two by default. */
  readonly network?: string;
  readonly node?: Partial<NodeOptions>;
  /** The number of check runs before the exporter starts. */
  readonly rounds?: number;
}

export const startDrill = async ({
  period = 30,
  target,
  scenario: yaml = '',
  network = subnets,
  node: nodeOptions,
  rounds = roundsToSettle,
}: Given = {}): Promise<Drill> => {
  let now = start;
  const node = await startTestNode(
    { healthCheckFrequency: period, dialect: 'avalanchego', ...nodeOptions },
    `${network}${yaml}`,
    start,
  );
  const options = { healthCheckFrequency: period, tagSets, indexes: [], ...target };
  const begin = (earlier?: Watching): Watching =>
    watch(node.url, () => now, options, {}, { history: earlier?.eventHistory.records() ?? [] });
  let watching = begin();
  let faults: readonly FaultNow[] = [];
  let roundAt = start + period;
  let pollAt = start;
  let hanging: Promise<void> | undefined;
  const history: Conditions[] = [];

  const move = (to: number): void => {
    node.advance(to - now);
    now = to;
  };
  const round = async (): Promise<void> => {
    roundAt += period;
    // Like Go's ticker: a hanging run delays the following ones.
    if (hanging !== undefined) return;
    const ended = node.tick();
    const held = faults.flatMap((fault) => (fault.fault === 'check-hangs' ? fault.check : []));
    if (held.length === 0) return ended;
    hanging = ended.finally(() => {
      hanging = undefined;
    });
    await expect.poll(() => othersHaveRun(node, held, now)).toBe(true);
  };
  const poll = async (): Promise<void> => {
    const silent = faults.some((fault) => fault.fault === 'api-silent');
    const state = await watching.poll(silent ? 'impatient' : 'patient');
    history.push(watching.conditions());
    pollAt = dueAfter(state, { lastDue: pollAt, lastStart: now, lastEnd: now, offset: 0, cause: 'due' });
  };
  const run = async (seconds: number, polls: boolean): Promise<void> => {
    const end = now + seconds;
    for (let next = Math.min(roundAt, polls ? pollAt : end); next < end; next = Math.min(roundAt, polls ? pollAt : end)) {
      move(Math.max(now, next));
      if (roundAt <= next) await round();
      else await poll();
    }
    move(end);
  };

  for (let done = 1; done < rounds; done += 1) await run(period, false);
  pollAt = now;
  return {
    node,
    watching: () => watching,
    now: () => now,
    run: (seconds) => run(seconds, true),
    runNodeAlone: (seconds) => run(seconds, false),
    setFaults: async (given) => {
      faults = given;
      await node.setFaults(given);
      await hangsNoMore(given, hanging);
    },
    restartExporter: () => {
      watching = begin(watching);
      pollAt = now;
    },
    history,
  };
};

const hangsNoMore = async (faults: readonly FaultNow[], hanging: Promise<void> | undefined): Promise<void> => {
  if (!faults.some((fault) => fault.fault === 'check-hangs')) await hanging;
};

const timestamps = z.object({ checks: z.record(z.string(), z.object({ timestamp: z.string() })) });

/** Waits until every check that does not hang has a current result. */
const othersHaveRun = async (node: TestNode, held: readonly string[], now: number): Promise<boolean> => {
  const response = await fetch(`${node.url}/ext/health`);
  const { checks } = z.parse(timestamps, await response.json());
  return Object.entries(checks)
    .filter(([name]) => !held.includes(name))
    .every(([, { timestamp }]) => Math.abs(Date.parse(timestamp) / 1000 - now) < 0.5);
};

/** The conditions Started, Ready by tag set and Live, as the probe paths report them. */
export const saidBy = ({ started, ready, live }: Conditions): Readonly<Record<string, string>> => ({
  started: started.status,
  ...Object.fromEntries([...ready].map(([name, { status }]) => [name, status])),
  live: live.status,
});

export const targetOf = (drill: Drill): TargetState => drill.watching().target();
