// Keeps the pod's labels equal to the conditions: patches when one changes, confirms at intervals, and clears them at the end. The only
// permission it needs is to patch: the response to a patch shows the pod's labels.

import type { Targets } from '../conditions/condition.ts';
import { createFailureLog } from '../failure-log.ts';
import type { Log } from '../log.ts';
import { doublingWait } from '../pause.ts';
import { confirmedAt, labelsOf, sameLabels } from './labels.ts';
import { type PatchOutcome, type PatchPod, type PodPatch, patchOutcomes } from './outcome.ts';

export interface KeeperOptions {
  readonly onShutdown: 'clear' | 'keep';
  /** Seconds. */
  readonly confirmEvery: number;
}

export interface KeeperDependencies {
  readonly targets: () => Targets;
  readonly patch: PatchPod;
  /** Wall clock, for the time of a patch that is shown. */
  readonly now: () => number;
  /** Steady clock, the same as that of the targets. */
  readonly steadyNow: () => number;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** From 0 to 1. Spreads the retries of pods that lost the API server at the same moment. */
  readonly random?: () => number;
  readonly within?: Deadlines;
}

/** Timeouts of a patch in milliseconds. */
interface Deadlines {
  /** Short, because the network may have failed. Doubles with each timeout in a row, because the server may be slow. */
  readonly first: number;
  readonly longest: number;
  /** For the patch that clears the labels at the end. */
  readonly last: number;
}

/** A new object with each change. */
interface LabelTally {
  /** The pod has the labels that the conditions require, and the last patch succeeded. */
  readonly current: boolean;
  /** Time of the last successful patch. Undefined before the first. */
  readonly succeededAt?: number;
  /** Number of patches by outcome. */
  readonly patches: ReadonlyMap<PatchOutcome['kind'], number>;
}

type Labels = ReadonlyMap<string, string>;

const tickMs = 200;
/** The kubelet gives a sidecar two seconds to stop. */
export const deadlines: Deadlines = { first: 2000, longest: 5000, last: 1200 };

/**
 * Without a response from the server, each pod retries once per second: that is one packet, which nobody has to answer. When the network
 * recovers, each pod does one TLS handshake and one patch, spread over that second. The same holds if a proxy responds that the server is
 * down. If the server itself rejects the patch, the waits grow up to 30 seconds.
 */
const maxSeconds = (outcome: PatchOutcome['kind']): number => (outcome === 'unreachable' || outcome === 'timeout' ? 1 : 30);

/** Seconds until the next try after this many failures of one kind in a row, with 20 percent jitter. */
export const backOff = (outcome: PatchOutcome['kind'], failures: number, random: number): number =>
  doublingWait(failures, { first: 0.5, max: maxSeconds(outcome) }) * (0.8 + 0.4 * random);

export const keepPodLabels = (
  { onShutdown, confirmEvery }: KeeperOptions,
  { targets, patch, now, steadyNow, log, signal, random = Math.random, within = deadlines }: KeeperDependencies,
) => {
  let tally: LabelTally = { current: false, patches: new Map(patchOutcomes.map((kind) => [kind, 0])) };
  /** Labels of the pod in the last response. Undefined before the first. */
  let onPod: Labels | undefined;
  /** Labels that this process may have put on the pod. */
  const touched = new Set<string>();
  let wanted: Labels | undefined;
  /** Failures of one kind in a row. */
  let failures = 0;
  let failedBy: PatchOutcome['kind'] | undefined;
  /** Failures of any kind in a row. */
  let failuresInRow = 0;
  const failureLog = createFailureLog(steadyNow);
  /** Steady clock, like all times here that are not shown. */
  let notBefore = Number.NEGATIVE_INFINITY;
  let confirmBy = Number.NEGATIVE_INFINITY;
  let working: Promise<void> | undefined;

  const succeeded = (): void => {
    if (failureLog.reset()) log.info({}, 'pod label sync recovered');
    [failures, failedBy, failuresInRow, notBefore] = [0, undefined, 0, Number.NEGATIVE_INFINITY];
  };
  const failed = (outcome: PatchOutcome['kind'], reason: string, begunAt: number): void => {
    // Another kind of failure, as after a long outage, begins with a short wait again.
    failures = outcome === failedBy ? failures + 1 : 1;
    failedBy = outcome;
    notBefore = begunAt + backOff(outcome, failures, random());
    failuresInRow += 1;
    // The reason of a timeout contains the deadline, which changes.
    const cause = outcome === 'timeout' ? outcome : reason;
    const reasons = failureLog.toLog([{ reason, cause, isRepeated: failuresInRow > 1 }]);
    if (reasons.length > 0) log.warn({ outcome, reason }, 'pod label sync failed');
  };
  const take = (outcome: PatchOutcome, asked: Labels, begunAt: number): void => {
    const patches = new Map(tally.patches).set(outcome.kind, (tally.patches.get(outcome.kind) ?? 0) + 1);
    if (outcome.kind !== 'ok') {
      failed(outcome.kind, outcome.reason, begunAt);
      // The server may have applied the patch anyway: the pod's labels are unknown until the next response.
      tally = { ...tally, current: false, patches };
      return;
    }
    const before = onPod;
    onPod = outcome.labels;
    for (const key of onPod.keys()) touched.add(key);
    tally = { current: sameLabels(onPod, wanted ?? asked), succeededAt: now(), patches };
    confirmBy = begunAt + confirmEvery;
    // The first response may show labels of an earlier configuration, which the next patch removes. Later, others change them.
    if (before === undefined || sameLabels(onPod, asked)) succeeded();
    else failed('ok', 'the pod does not have the patched labels: does an admission webhook remove them?', begunAt);
  };
  const attempt = async (labels: Labels): Promise<void> => {
    for (const key of labels.keys()) touched.add(key);
    const begunAt = steadyNow();
    const timeouts = failedBy === 'timeout' ? failures : 0;
    const deadlineMs = doublingWait(timeouts + 1, { first: within.first, max: within.longest });
    const outcome = await patch(patchFor(labels, onPod?.keys() ?? [], now()), deadlineMs, signal);
    if (!signal.aborted) take(outcome, labels, begunAt);
  };
  const tick = (): void => {
    const at = steadyNow();
    const [target] = targets().values();
    const before = wanted;
    wanted = labelsOf(target, at) ?? wanted;
    // New labels are patched at once, even if a retry of the old ones would have to wait.
    if (wanted !== undefined && !sameLabels(before, wanted)) [failures, notBefore] = [0, Number.NEGATIVE_INFINITY];
    if (wanted !== undefined && tally.current && !sameLabels(onPod, wanted)) tally = { ...tally, current: false };
    if (working !== undefined || wanted === undefined || at < notBefore) return;
    if (tally.current && at < confirmBy) return;
    working = attempt(wanted).finally(() => {
      working = undefined;
    });
  };
  const end = async (): Promise<void> => {
    await working;
    // If this process has set no labels, there are none to clear.
    if (onShutdown === 'keep' || touched.size === 0) return;
    const outcome = await patch(patchFor(new Map(), touched, undefined), within.last, new AbortController().signal);
    if (outcome.kind === 'ok') log.info({}, 'pod labels cleared');
    else log.warn({ outcome: outcome.kind, reason: outcome.reason }, 'pod labels not cleared');
  };

  /** Resolves after the signal and the end of the last patch. */
  const finished = new Promise<void>((resolve, reject) => {
    const timer = setInterval(tick, tickMs);
    const stop = (): void => {
      clearInterval(timer);
      end().then(resolve, reject);
    };
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
  return { tally: (): LabelTally => tally, finished };
};

/** Sends all labels each time, which restores those that somebody removed, and removes labels that are not wanted. */
const patchFor = (wanted: Labels, there: Iterable<string>, at: number | undefined): PodPatch => {
  const stray = [...there].filter((key) => !wanted.has(key));
  return {
    labels: { ...Object.fromEntries(wanted), ...Object.fromEntries(stray.map((key) => [key, null])) },
    annotations: { [confirmedAt]: at === undefined ? null : new Date(at * 1000).toISOString() },
  };
};
