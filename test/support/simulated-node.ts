// A node in simulated time: reports as a real node's worker would leave them, and a poller that follows the snapshot's own due
// times. No socket and no clock, so that an hour of polling takes a moment.

import type { Answer } from '../../src/client/client.ts';
import type { Outcome } from '../../src/client/outcome.ts';
import type { CheckResult, HealthReport } from '../../src/protocol/health.ts';
import { type Answers, advance } from '../../src/snapshot/advance.ts';
import { nextDue } from '../../src/snapshot/due.ts';
import { newTarget, type TargetOptions, type TargetSnapshot } from '../../src/snapshot/snapshot.ts';

export interface SimulatedNode {
  /** Seconds between rounds, from a time of the node's clock on. */
  readonly period: (nodeTime: number) => number;
  /** When its first round started, node's clock. */
  readonly firstRound: number;
  /** Seconds that each check takes. */
  readonly durations: Readonly<Record<string, number>>;
  /** Node's clock − exporter's. */
  readonly skew: number;
  /** Does it answer at this time of the exporter's clock? */
  readonly answers?: (at: number) => boolean;
}

export const options = (over: Partial<TargetOptions> = {}): TargetOptions => ({
  name: 'node',
  url: 'http://127.0.0.1:9650',
  healthCheckFrequency: 30,
  tagSets: [{ name: 'all', tags: [] }],
  indexes: [],
  staleAfter: 3,
  ...over,
});

/** Starts of the last rounds up to a time of the node's clock, which must not go back between calls. */
export const roundsOf = (node: SimulatedNode): ((nodeTime: number) => readonly number[]) => {
  const starts = [node.firstRound];
  return (nodeTime) => {
    for (let last = starts.at(-1) ?? 0; last <= nodeTime; last = starts.at(-1) ?? 0) starts.push(last + node.period(last));
    starts.splice(0, Math.max(0, starts.length - 20));
    return starts.filter((at) => at <= nodeTime);
  };
};

const reportAt = (node: SimulatedNode, starts: readonly number[], nodeTime: number): HealthReport => {
  const checks = new Map<string, CheckResult>();
  for (const [name, duration] of Object.entries(node.durations)) {
    const start = starts.findLast((at) => at + duration <= nodeTime);
    if (start !== undefined) checks.set(name, { contiguousFailures: 0, timestamp: start + duration, duration });
  }
  return { checks, healthy: true };
};

const answer = <T>(outcome: Outcome<T>, sentAt: number, endedAt: number, date: number | undefined): Answer<T> => ({
  outcome,
  sentAt,
  endedAt,
  ...(date !== undefined && { date }),
});

export interface Polling {
  readonly target: TargetSnapshot;
  /** When each look was sent, exporter's clock. */
  readonly looks: readonly number[];
  /** The target after each look. */
  readonly history: readonly TargetSnapshot[];
}

/** Polls from `start` on for some seconds, each poll taking `roundTrip`. */
export const polling = (
  node: SimulatedNode,
  over: Partial<TargetOptions>,
  start: number,
  seconds: number,
  roundTrip = 0.004,
): Polling => {
  let target = newTarget(options(over));
  const rounds = roundsOf(node);
  const looks: number[] = [];
  const history: TargetSnapshot[] = [];
  for (let due = start; due < start + seconds; ) {
    const sentAt = due;
    const formed = sentAt + roundTrip / 2;
    const endedAt = sentAt + roundTrip;
    const answered = node.answers?.(sentAt) ?? true;
    const nodeTime = formed + node.skew;
    const outcome: Outcome<HealthReport> = answered
      ? { kind: 'ok', value: reportAt(node, rounds(nodeTime), nodeTime) }
      : { kind: 'timeout', afterMs: 1000 };
    const health = answer(outcome, sentAt, endedAt, answered ? Math.floor(nodeTime) : undefined);
    const answers: Answers = { health: new Map([['all', health]]), readiness: health, liveness: health, indexes: new Map() };
    target = advance(target, answers);
    looks.push(sentAt);
    history.push(target);
    const { cadence, clock } = target;
    due = nextDue({
      cadence,
      clock,
      configured: target.options.healthCheckFrequency,
      lastDue: due,
      lastEnd: endedAt,
      answered,
      offset: 0,
    });
  }
  return { target, looks, history };
};
