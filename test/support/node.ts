// An embedded node for a test: on a free port, with a clock that the test moves and rounds that it runs by hand.

import { onTestFinished } from 'vitest';
import { silentLog } from '../../src/log.ts';
import { type RunningNode, startNode } from '../../src/node/node.ts';
import { defaultNodeOptions, type NodeOptions } from '../../src/node/options.ts';
import { parseScenario, type Scenario } from '../../src/node/scenario.ts';
import { nextTurn } from '../../src/pause.ts';
import { freePort } from './free-port.ts';

export interface TestNode extends RunningNode {
  /** Seconds go by for the node; nothing runs until the next tick. */
  readonly advance: (seconds: number) => void;
  /** So many rounds, with the chains going on as far as they can first in each. */
  readonly ticks: (count: number) => Promise<void>;
}

export const scenarioFrom = async (yaml: string): Promise<Scenario> => {
  const parsed = await parseScenario(yaml);
  if (parsed.kind === 'ok') return parsed.value;
  throw new Error(JSON.stringify(parsed.errors));
};

/** Rounds until every chain of the node has bootstrapped and each of its checks has run since. */
export const roundsToSettle = 8;

/** `scenario` is YAML, `startsAt` what the clock says, in seconds. Ends with the test. */
export const startTestNode = async (
  options: Partial<NodeOptions> = {},
  scenario = '',
  startsAt = 1_800_000_000,
): Promise<TestNode> => {
  let time = startsAt;
  const stop = new AbortController();
  const parsed = await scenarioFrom(scenario);
  const start = async (): Promise<RunningNode> =>
    startNode(
      // A fault of the scenario may give the port up for a while.
      { ...defaultNodeOptions, httpPort: await freePort(), ...options },
      { now: () => time, log: silentLog, signal: stop.signal, scenario: parsed, hasTimers: false },
    );
  const until = performance.now() + 60_000;
  const started = (): Promise<RunningNode> =>
    start().catch(async (error: unknown) => {
      // Whoever is no test of ours may take the port between the look and the listening. And one that was given up is taken for as long as
      // a process that another test begins has not let go of what it inherits.
      if (!String(error).includes('is taken') || performance.now() > until) throw error;
      await nextTurn();
      return started();
    });
  const node = await started();
  onTestFinished(() => node.close());
  await node.firstRun;
  return {
    ...node,
    advance: (seconds) => {
      time += seconds;
    },
    ticks: async (count) => {
      for (let round = 0; round < count; round += 1) await node.tick();
    },
  };
};
