// Keeps the labels of the pod equal to the conditions: a patch when one changes, a confirmation from time to time, and a last
// one at the end. It may only patch, and needs no more: the answer to a patch shows the labels that the pod has.

import type { Targets } from '../conditions/condition.ts';
import type { Log } from '../log.ts';
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
  /** Wall clock: the time of a patch is shown. */
  readonly now: () => number;
  /** Steady clock, as that of the targets. */
  readonly steadyNow: () => number;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** From 0 to 1: spreads the pods that lost their API server at the same moment. */
  readonly random?: () => number;
  readonly within?: Deadlines;
}

/** Milliseconds that a patch has. */
interface Deadlines {
  /** Short, because the way may have closed under it; after each time-out in a row twice as long, because the server may be slow. */
  readonly first: number;
  readonly longest: number;
  /** Of the one that clears the labels. */
  readonly last: number;
}

/** Another object when anything of it changed. */
export interface LabelTally {
  /** The pod has the labels that the conditions ask for, and the last patch was taken. */
  readonly current: boolean;
  /** When the last patch was taken; absent before the first. */
  readonly succeededAt?: number;
  /** By how they ended. */
  readonly patches: ReadonlyMap<PatchOutcome['kind'], number>;
}

type Labels = ReadonlyMap<string, string>;

const tickMs = 200;
/** The kubelet gives a sidecar two seconds. */
export const deadlines: Deadlines = { first: 2000, longest: 5000, last: 1200 };

/**
 * Where nothing is heard, a try a second is one packet of each pod, which nobody has to answer; when the way opens, each pod shakes hands
 * and patches once, spread over that second; so where a proxy says that the server is away. A server that says no is left alone.
 */
const maxSeconds = (outcome: PatchOutcome['kind']): number => (outcome === 'unreachable' || outcome === 'timeout' ? 1 : 30);

/** Seconds from one try to the next after so many failures of one kind in a row, a fifth more or less. */
export const backOff = (outcome: PatchOutcome['kind'], failures: number, random: number): number =>
  Math.min(maxSeconds(outcome), 0.5 * 2 ** Math.min(failures - 1, 10)) * (0.8 + 0.4 * random);

export const keepPodLabels = (
  { onShutdown, confirmEvery }: KeeperOptions,
  { targets, patch, now, steadyNow, log, signal, random = Math.random, within = deadlines }: KeeperDependencies,
) => {
  let tally: LabelTally = { current: false, patches: new Map(patchOutcomes.map((kind) => [kind, 0])) };
  /** On the pod, as the last answer showed; undefined before the first. */
  let onPod: Labels | undefined;
  /** Labels that may be on the pod because of us. */
  const touched = new Set<string>();
  let wanted: Labels | undefined;
  /** Of one kind in a row. */
  let failures = 0;
  let failedBy: PatchOutcome['kind'] | undefined;
  let problem = '';
  /** Of the steady clock, as all here but what is shown. */
  let notBefore = Number.NEGATIVE_INFINITY;
  let confirmBy = Number.NEGATIVE_INFINITY;
  let working: Promise<void> | undefined;

  const succeeded = (): void => {
    if (problem !== '') log.info({}, 'pod label sync recovered');
    [failures, failedBy, problem, notBefore] = [0, undefined, '', Number.NEGATIVE_INFINITY];
  };
  const failed = (outcome: PatchOutcome['kind'], reason: string, begunAt: number): void => {
    // What comes after a long silence is another trouble: it begins with a short wait.
    failures = outcome === failedBy ? failures + 1 : 1;
    failedBy = outcome;
    notBefore = begunAt + backOff(outcome, failures, random());
    if (problem !== `${outcome}: ${reason}`) log.warn({ outcome, reason }, 'pod label sync failed');
    problem = `${outcome}: ${reason}`;
  };
  const take = (outcome: PatchOutcome, asked: Labels, begunAt: number): void => {
    const patches = new Map(tally.patches).set(outcome.kind, (tally.patches.get(outcome.kind) ?? 0) + 1);
    if (outcome.kind !== 'ok') {
      failed(outcome.kind, outcome.reason, begunAt);
      // The server may have taken it all the same: what the pod has is not known until the next answer.
      tally = { ...tally, current: false, patches };
      return;
    }
    const before = onPod;
    onPod = outcome.labels;
    for (const key of onPod.keys()) touched.add(key);
    tally = { current: sameLabels(onPod, wanted ?? asked), succeededAt: now(), patches };
    confirmBy = begunAt + confirmEvery;
    // The first answer may show labels of an earlier configuration, which the next patch takes away; after that, somebody is at work.
    if (before === undefined || sameLabels(onPod, asked)) succeeded();
    else failed('ok', 'the pod does not have the patched labels: does an admission webhook remove them?', begunAt);
  };
  const attempt = async (labels: Labels): Promise<void> => {
    for (const key of labels.keys()) touched.add(key);
    const begunAt = steadyNow();
    const timeouts = failedBy === 'timeout' ? failures : 0;
    const deadlineMs = Math.min(within.longest, within.first * 2 ** Math.min(timeouts, 10));
    const outcome = await patch(patchFor(labels, onPod?.keys() ?? [], now()), deadlineMs, signal);
    if (!signal.aborted) take(outcome, labels, begunAt);
  };
  const tick = (): void => {
    const at = steadyNow();
    const [target] = targets().values();
    const before = wanted;
    wanted = labelsOf(target, at) ?? wanted;
    // What is new is worth a try at once, however long the old one was to wait.
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
    // Where this process gave the pod no label, there is none that is its to take away.
    if (onShutdown === 'keep' || touched.size === 0) return;
    const outcome = await patch(patchFor(new Map(), touched, undefined), within.last, new AbortController().signal);
    if (outcome.kind === 'ok') log.info({}, 'pod labels cleared');
    else log.warn({ outcome: outcome.kind, reason: outcome.reason }, 'pod labels not cleared');
  };

  /** Resolves after the signal, when the last patch has ended. */
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

/** The whole set each time, so that what somebody else took away comes back; what is there and not wanted goes. */
const patchFor = (wanted: Labels, there: Iterable<string>, at: number | undefined): PodPatch => {
  const stray = [...there].filter((key) => !wanted.has(key));
  return {
    labels: { ...Object.fromEntries(wanted), ...Object.fromEntries(stray.map((key) => [key, null])) },
    annotations: { [confirmedAt]: at === undefined ? null : new Date(at * 1000).toISOString() },
  };
};
