// Keeps the labels of the own pod equal to the verdicts: a patch when one changes, a confirmation from time to time, and a last
// one at the end. It may only patch, and needs no more: the answer to a patch shows the labels that the pod has.

import type { Log } from '../log.ts';
import type { Targets } from '../verdict/condition.ts';
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
}

/** Another object when anything of it changed. */
export interface LabelTally {
  /** The pod has the labels that the verdicts ask for, and the last patch was taken. */
  readonly current: boolean;
  /** When the last patch was taken; absent before the first. */
  readonly succeededAt?: number;
  /** By how they ended. */
  readonly patches: ReadonlyMap<PatchOutcome['kind'], number>;
}

export interface Keeper {
  readonly tally: () => LabelTally;
  /** Resolves after the signal, when the last patch has ended. */
  readonly finished: Promise<void>;
}

type Labels = ReadonlyMap<string, string>;

const lookMs = 200;
const deadlineMs = 5000;
/** The kubelet gives a sidecar two seconds. */
const lastDeadlineMs = 1200;

/** A way that is closed may open at any moment, and a try costs nobody anything; a server that says no is left in peace. */
const mostSeconds = (outcome: PatchOutcome['kind']): number => (outcome === 'unreachable' || outcome === 'timeout' ? 1 : 30);

/**
 * Seconds until the next try after so many failures of one kind in a row, a fifth more or less: from half a second up to a second
 * while there is no way to the server, and up to half a minute while it answers.
 */
export const backOff = (outcome: PatchOutcome['kind'], failures: number, random: number): number =>
  Math.min(mostSeconds(outcome), 0.5 * 2 ** Math.min(failures - 1, 10)) * (0.8 + 0.4 * random);

export const keepPodLabels = (
  { onShutdown, confirmEvery }: KeeperOptions,
  { targets, patch, now, steadyNow, log, signal, random = Math.random }: KeeperDependencies,
): Keeper => {
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
  let notBefore = Number.NEGATIVE_INFINITY;
  let working: Promise<void> | undefined;

  const isDue = (labels: Labels, at: number): boolean => {
    if (tally.succeededAt === undefined || failures > 0 || !sameLabels(onPod, labels)) return true;
    // A clock that was set back must not keep the confirmation from being renewed.
    return Math.abs(at - tally.succeededAt) >= confirmEvery;
  };
  const succeeded = (): void => {
    if (problem !== '') log.info({}, 'the labels of the own pod are kept again');
    [failures, failedBy, problem, notBefore] = [0, undefined, '', Number.NEGATIVE_INFINITY];
  };
  const failed = (outcome: PatchOutcome['kind'], reason: string, at: number): void => {
    // What comes after a long silence is another trouble: it begins with a short wait.
    failures = outcome === failedBy ? failures + 1 : 1;
    failedBy = outcome;
    notBefore = at + backOff(outcome, failures, random());
    if (problem !== `${outcome}: ${reason}`) log.warn({ outcome, reason }, 'the labels of the own pod cannot be kept');
    problem = `${outcome}: ${reason}`;
  };
  const take = (outcome: PatchOutcome, asked: Labels, at: number): void => {
    const patches = new Map(tally.patches).set(outcome.kind, (tally.patches.get(outcome.kind) ?? 0) + 1);
    if (outcome.kind !== 'ok') {
      failed(outcome.kind, outcome.reason, at);
      tally = { ...tally, current: false, patches };
      return;
    }
    const before = onPod;
    onPod = outcome.labels;
    for (const key of onPod.keys()) touched.add(key);
    tally = { current: sameLabels(onPod, wanted ?? asked), succeededAt: at, patches };
    // The first answer may show labels of an earlier configuration, which the next patch takes away; after that, somebody is at work.
    if (before === undefined || sameLabels(onPod, asked)) succeeded();
    else failed('ok', 'the pod does not have the labels that it was given: is there a webhook that takes them away?', at);
  };
  const attempt = async (labels: Labels): Promise<void> => {
    for (const key of labels.keys()) touched.add(key);
    const outcome = await patch(patchFor(labels, onPod?.keys() ?? [], now()), deadlineMs, signal);
    if (!signal.aborted) take(outcome, labels, now());
  };
  const look = (): void => {
    const at = now();
    const [target] = targets().values();
    const before = wanted;
    wanted = labelsOf(target, steadyNow()) ?? wanted;
    // What is new is worth a try at once, however long the old one was to wait.
    if (wanted !== undefined && !sameLabels(before, wanted)) [failures, notBefore] = [0, Number.NEGATIVE_INFINITY];
    if (wanted !== undefined && tally.current && !sameLabels(onPod, wanted)) tally = { ...tally, current: false };
    if (working !== undefined || wanted === undefined || !isDue(wanted, at)) return;
    if (at < notBefore && notBefore - at < 60) return;
    working = attempt(wanted).finally(() => {
      working = undefined;
    });
  };
  const end = async (): Promise<void> => {
    await working;
    // Where this process gave the pod no label, there is none that is its to take away.
    if (onShutdown === 'keep' || touched.size === 0) return;
    const outcome = await patch(patchFor(new Map(), touched, undefined), lastDeadlineMs, new AbortController().signal);
    if (outcome.kind === 'ok') log.info({}, 'the labels of the own pod are cleared');
    else log.warn({ outcome: outcome.kind, reason: outcome.reason }, 'the labels of the own pod could not be cleared');
  };

  const finished = new Promise<void>((resolve, reject) => {
    const timer = setInterval(look, lookMs);
    const stop = (): void => {
      clearInterval(timer);
      end().then(resolve, reject);
    };
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
  return { tally: () => tally, finished };
};

/** The whole set each time, so that what somebody else took away comes back; what is there and not wanted goes. */
const patchFor = (wanted: Labels, there: Iterable<string>, at: number | undefined): PodPatch => {
  const stray = [...there].filter((key) => !wanted.has(key));
  return {
    labels: { ...Object.fromEntries(wanted), ...Object.fromEntries(stray.map((key) => [key, null])) },
    annotations: { [confirmedAt]: at === undefined ? null : new Date(at * 1000).toISOString() },
  };
};
