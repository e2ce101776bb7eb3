// What the fuzzed exporter watches: one target in the same process, with honest responses except for those of a case.

import { onTestFinished } from 'vitest';
import * as z from 'zod/mini';
import { type Asker, askerOf, type Exchange } from '../../src/client/ask.ts';
import { type Client, createClient } from '../../src/client/client.ts';
import type { Question } from '../../src/client/transport.ts';
import type { Target } from '../../src/conditions/condition.ts';
import { judge } from '../../src/conditions/judge.ts';
import { targetFrom } from '../../src/config/target.ts';
import { type LineMemory, noLines } from '../../src/events/lines.ts';
import { poll } from '../../src/poller/poll.ts';
import type { TargetOptions } from '../../src/snapshot/options.ts';
import { sources } from '../../src/sources/sources.ts';
import { newTarget } from '../../src/sources/target-state.ts';
import { updateTarget } from '../../src/target-update.ts';
import { roundsToSettle, startTestNode } from '../support/node.ts';
import { sharedL1 } from '../support/validator-nodes.ts';

/** A response of the node, as stored in a case. The body is bytes, one per character. */
export interface CaseAnswer {
  readonly status: number;
  readonly date?: number | undefined;
  readonly nodeId?: string | undefined;
  readonly location?: string | undefined;
  readonly body: string;
}

export type Answers = ReadonlyMap<string, CaseAnswer>;

/** The state of a target at a moment. */
export interface Known {
  readonly target: Target;
  readonly memory: LineMemory;
  readonly at: number;
}

export interface World {
  readonly honest: Answers;
  /** Its reports with some failing checks. */
  readonly troubled: Answers;
  /** States before a case: never polled, and after honest polls. */
  readonly cold: Known;
  readonly warm: Known;
}

const startsAt = 1_800_000_000;

const scenario = `
networkId: 1
peers: 12
validators: 8
nodes: [1, 2]
validator: { stake: 2000, since: 2160h, period: 8760h, uptime: 1 }
subnets:
  - { name: mine, id: ${sharedL1}, l1: { validators: 3, weight: 100, balance: 5 }, chains: [{ alias: my-l1 }] }
`;

/** Identifies a request without its parameters, because these depend on responses that a case may have changed. */
export const questionKey = ({ path, body }: Question): string => {
  if (body === undefined) return path;
  const subnet = /"subnetID":"[^"]*"/.exec(body)?.[0] ?? '';
  return `${path} ${/"method":"([^"]*)"/.exec(body)?.[1] ?? ''} ${subnet}`.trimEnd();
};

const notFound: CaseAnswer = { status: 404, body: '404 page not found' };

const exchangeOf = ({ body, status, date, nodeId, location }: CaseAnswer): Exchange => ({
  head: { status, date, nodeId, location },
  end: Buffer.from(body, 'latin1'),
  trace: undefined,
  release: () => undefined,
});

/** A client without a socket. */
export const clientAnswering = (
  { options }: Pick<Target['state'], 'options'>,
  answerTo: (key: string) => CaseAnswer | undefined,
  now: () => number,
): Client => {
  const asker: Asker = {
    ask: async (question, isAnswer, { onSent } = {}) => {
      onSent?.();
      const answer = answerTo(questionKey(question)) ?? notFound;
      const exchange = exchangeOf(answer);
      return isAnswer(answer.status) || Buffer.isBuffer(exchange.end) ? exchange : { ...exchange, end: Buffer.alloc(0) };
    },
    keepsIdle: () => false,
    endWith: () => undefined,
  };
  const client = { baseUrl: options.url, timeoutMs: 5000, maxBodyBytes: 2 ** 20, userAgent: 'fuzz' };
  return createClient(client, now, {}, asker);
};

/** Runs one poll. */
export const polled = async ({ target, memory }: Known, client: Client, at: number) => {
  const applied = await poll({ table: sources, state: () => target.state, client, now: () => at });
  const made = updateTarget(sources, { target, memory }, applied.state, at);
  return { known: { target: made.target, memory: made.memory, at }, made, faults: applied.faults };
};

export const knownOf = (options: TargetOptions, at = startsAt): Known => {
  const state = newTarget(options);
  return { target: { state, conditions: judge(undefined, state, at) }, memory: noLines, at };
};

const recordOf = ({ head, end }: Exchange): CaseAnswer => {
  if (!Buffer.isBuffer(end) || head === undefined) throw new Error(`the honest node did not answer: ${JSON.stringify(end)}`);
  return { status: head.status, date: head.date, nodeId: head.nodeId, body: shortened(end.toString('latin1')) };
};

/** Shortens a range to two containers, which takes a hundredth of the time. */
const shortened = (body: string): string => {
  const second = body.indexOf('},{"id":', body.indexOf('},{"id":') + 1);
  return second < 0 || !body.startsWith('{"jsonrpc":"2.0","result":[') ? body : `${body.slice(0, second)}}],"id":1}\n`;
};

/** Polls an embedded node over sockets, and records its responses. */
export const createWorld = async (): Promise<World> => {
  const node = await startTestNode({ seed: 1, indexEnabled: true }, scenario, startsAt);
  await node.ticks(roundsToSettle);
  const url = `http://127.0.0.1:${node.port}`;
  const { options } = targetFrom({ url, tagSets: 'auto', validator: { expected: true }, labels: { region: 'eu-1' } });
  const client = { baseUrl: url, timeoutMs: 60_000, maxBodyBytes: 2 ** 20, userAgent: 'fuzz' };
  const asker = askerOf(client);
  onTestFinished(() => asker.endWith({ kind: 'network', reason: 'ended' }));
  const honest = new Map<string, CaseAnswer>();
  let time = startsAt;
  const recorder: Asker = {
    ...asker,
    ask: async (question, ...rest) => {
      const exchange = await asker.ask(question, ...rest);
      honest.set(questionKey(question), recordOf(exchange));
      return exchange;
    },
  };
  const recording = createClient(client, () => time, {}, recorder);
  const cold = knownOf(options);
  let warm = cold;
  // Far enough apart that each poll sends every request.
  for (let polls = 0; polls < 5; polls += 1) {
    ({ known: warm } = await polled(warm, recording, time));
    node.advance(30);
    await node.ticks(1);
    node.advance(770);
    time += 800;
  }
  return { honest, troubled: troubledOf(honest), cold, warm };
};

/** The fields of a failing check. */
const failure = { error: 'remaining available disk space (5%) is below the warning threshold (10%)', contiguousFailures: 3 };

/** Every second check has been failing for ten minutes. */
const troubledOf = (honest: Answers): Answers =>
  new Map(
    Array.from(honest).flatMap(([key, answer]) => {
      if (!key.startsWith('/ext/health')) return [];
      const { checks } = report.parse(JSON.parse(answer.body));
      const timeOfFirstFailure = new Date((startsAt + 3400) * 1000).toISOString();
      const failing = Object.entries(checks).map(([name, check], at) => [
        name,
        at % 2 === 0 ? { ...check, ...failure, timeOfFirstFailure } : check,
      ]);
      return [[key, { ...answer, status: 503, body: JSON.stringify({ checks: Object.fromEntries(failing), healthy: false }) }]];
    }),
  );

const report = z.object({ checks: z.record(z.string(), z.record(z.string(), z.unknown())) });
