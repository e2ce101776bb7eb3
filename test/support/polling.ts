// Polls a simulated node at the due times that the scheduler computes.

import type { Answer } from '../../src/client/client.ts';
import type { Failure } from '../../src/client/outcome.ts';
import type { HealthReport } from '../../src/protocol/health.ts';
import { observeDate } from '../../src/snapshot/clock.ts';
import { nextDue } from '../../src/snapshot/due.ts';
import { followProcess, type NodeProcess, recoveryPollDelay } from '../../src/snapshot/process.ts';
import { followRestarts, noRestarts } from '../../src/snapshot/restart.ts';
import { newTracking, observeReport, type RunTracking, resetTracking } from '../../src/snapshot/run-tracking.ts';
import type { Stalling } from '../../src/snapshot/stall.ts';
import { type SimulatedNode, type Simulation, simulate } from './simulated-node.ts';

export interface Polling {
  /** The configured check interval. */
  readonly configured: number;
  readonly start: number;
  readonly seconds: number;
  readonly roundTrip?: number;
  readonly frozenAfter?: number;
}

/** A poll and the state after it. */
export interface Poll {
  readonly sentAt: number;
  readonly endedAt: number;
  /** The report, if the poll returned one. */
  readonly report?: HealthReport;
  readonly tracking: RunTracking;
  readonly missed: number;
  readonly delay?: number;
  readonly restarts: number;
  /** The detection of stalled checks. */
  readonly stalling: Stalling;
  /** Seconds after the end of a stall until a recovered node is reported. */
  readonly recoveryDelay: number | undefined;
  /** When the next poll is due. */
  readonly due: number;
}

const ready: HealthReport = { checks: new Map(), healthy: true };

/** Yields each poll from `start` on for some seconds as it happens, so that the simulation can be read at that time. */
export function* pollsOf(
  node: SimulatedNode,
  { configured, start, seconds, roundTrip = 0.004, frozenAfter = 3 }: Polling,
  simulation: Simulation = simulate(node),
): Generator<Poll, void, void> {
  let tracking = newTracking(configured);
  let restarts = noRestarts;
  let process: NodeProcess = { state: 'unseen' };
  let known: { readonly report: HealthReport; readonly at: number } | undefined;
  for (let due = start; due < start + seconds; ) {
    const [sentAt, formed, endedAt] = [due, due + roundTrip / 2, due + roundTrip];
    const answered = simulation.isUp(formed) && (node.answers?.(formed) ?? true);
    const failure: Failure = simulation.isUp(formed)
      ? { kind: 'timeout', afterMs: roundTrip * 1000 }
      : { kind: 'refused', reason: 'ECONNREFUSED' };
    const answer = (value: HealthReport): Answer<HealthReport> => ({
      outcome: answered ? { kind: 'ok', value } : failure,
      sentAt,
      endedAt,
      ...(answered && node.undated !== true && { date: Math.floor(simulation.clock(formed)) }),
    });
    const health = answer(answered ? simulation.reportAt(formed) : ready);
    const before = restarts.count;
    restarts = followRestarts(restarts, [health], answer(ready), endedAt);
    if (restarts.count > before) tracking = resetTracking(tracking, configured);
    const report = health.outcome.kind === 'ok' ? health.outcome.value : undefined;
    const observed =
      report === undefined
        ? { tracking: { ...tracking, clock: observeDate(tracking.clock, health) }, missed: 0 }
        : observeReport(tracking, { ...health, report, known: known?.report, configured });
    tracking = observed.tracking;
    if (report !== undefined) known = { report, at: endedAt };
    process = followProcess(process, {
      failures: answered ? [] : [failure],
      answered,
      reported: answered,
      replaced: restarts.count > before,
      afterClose: false,
      at: endedAt,
    });
    const { interval, clock, progress } = tracking;
    const recoveryDelay = recoveryPollDelay(process, interval.inferred ?? configured, endedAt);
    const next =
      recoveryDelay === undefined
        ? nextDue({ interval, clock, configured, lastDue: due, lastEnd: endedAt, answered, offset: 0 })
        : endedAt + recoveryDelay;
    yield {
      ...observed,
      sentAt,
      endedAt,
      ...(report !== undefined && { report }),
      restarts: restarts.count,
      stalling: { report, reportAt: endedAt, progress, interval, configured, frozenAfter },
      recoveryDelay,
      due: next,
    };
    due = next;
  }
}

/** All polls, the last one last. */
export const pollsOver = (node: SimulatedNode, polling: Polling): readonly [Poll, ...Poll[]] => {
  const [first, ...others] = pollsOf(node, polling);
  if (first === undefined) throw new Error('no time for a poll');
  return [first, ...others];
};
