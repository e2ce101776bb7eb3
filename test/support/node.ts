// An embedded node on a free port, with a clock that tests advance and check runs that they trigger.

import { onTestFinished } from 'vitest';
import { silentLog } from '../../src/log.ts';
import { type RunningNode, startNode } from '../../src/node/node.ts';
import { defaultNodeOptions, type NodeOptions } from '../../src/node/options.ts';
import { parseScenario, type Scenario } from '../../src/node/scenario.ts';
import { pause } from '../../src/pause.ts';
import { freePort } from './free-port.ts';

export interface TestNode extends RunningNode {
  /** Advances the node's clock; nothing runs until the next tick. */
  readonly advance: (seconds: number) => void;
  /** Runs the checks this many times, each after the chains have advanced as far as they can. */
  readonly ticks: (count: number) => Promise<void>;
}

export const scenarioFrom = async (yaml: string): Promise<Scenario> => {
  const parsed = await parseScenario(yaml);
  if (parsed.kind === 'ok') return parsed.value;
  throw new Error(JSON.stringify(parsed.errors));
};

/** Check runs until every chain has bootstrapped and each check has run since. */
export const roundsToSettle = 8;

/** `scenario` is YAML; `startsAt` is the initial clock in seconds. Stops after the test. */
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
      // A fault of the scenario may release the port for a while.
      { ...defaultNodeOptions, httpPort: await freePort(), ...options },
      { now: () => time, log: silentLog, signal: stop.signal, scenario: parsed, hasTimers: false },
    );
  const until = performance.now() + 280_000;
  const started = (): Promise<RunningNode> =>
    start().catch(async (error: unknown) => {
      // Another process may take the port before we listen. A released port also stays in use while a process that another test
      // spawns holds inherited descriptors.
      if (!String(error).includes('is taken') || performance.now() > until) throw error;
      await pause(0.02);
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
