// Runs one drill from the first scrape to the end, and records what was observed when. judge.ts decides on the result.

import { greatest } from '../lists.ts';
import { pause } from '../pause.ts';
import { askText, hasLabels, query, samplesOf } from './ask.ts';
import type { Drill } from './drill.ts';
import { drillSubnets } from './nodes.ts';
import { pace } from './pace.ts';
import type { Arrival, Notification } from './receiver.ts';
import { exportersOf, openStage, type Stage, type StageDeps } from './stage.ts';
import { startWatchdog, type Watchdog } from './time.ts';
import type { Tools } from './tools.ts';

export interface Measured {
  /** Time of the first injection. Undefined if it was never injected, because there was no steady state before. */
  readonly faultAt?: number;
  /** When the exporter's page first showed the fault. */
  readonly detectedAt?: number;
  readonly arrivals: readonly Arrival[];
  /** Undefined without Alertmanager. */
  readonly notifications: readonly Notification[] | undefined;
  /** Of timers until detection, of timers and Prometheus until the end, and the ratio of the latter to the time of the drill. */
  readonly schedulingDelay: { readonly detectionSeconds: number; readonly totalSeconds: number; readonly ratio: number };
}

/** The current phase, for the progress line. */
type Phase =
  | 'starting'
  | 'waiting for a steady state'
  | 'waiting for the sign'
  | 'waiting for the alert'
  | 'waiting for other alerts and notifications';

/** Extra time for a slow machine: late results are judged by their timestamps. */
const patienceSeconds = 120;
const tickMs = 50;

export const runDrill = async (
  drill: Drill,
  tools: Tools,
  deps: StageDeps,
  onPhase: (phase: Phase) => void,
): Promise<Measured> => {
  onPhase('starting');
  const stage = await openStage(drill, tools, deps);
  const watchdog = startWatchdog(deps.now);
  const openedAt = deps.now();
  try {
    onPhase('waiting for a steady state');
    const isWell = await until(() => allIsWell(stage, drill, deps.signal), deps);
    await pause(pace.steady, deps.signal);
    const seconds = watchdog.delaySeconds();
    const schedulingDelay = { detectionSeconds: seconds, totalSeconds: seconds, ratio: seconds / (deps.now() - openedAt) };
    if (!isWell || deps.signal.aborted) return { ...received(stage, tools), schedulingDelay };
    return { ...(await measure(drill, stage, watchdog, deps, onPhase)), ...received(stage, tools) };
  } finally {
    watchdog.stop();
    await stage.close();
  }
};

const received = ({ receiver }: Stage, { alertmanager }: Tools): Pick<Measured, 'arrivals' | 'notifications'> => ({
  arrivals: receiver.arrivals(),
  notifications: alertmanager === undefined ? undefined : receiver.notifications(),
});

const measure = async (
  drill: Drill,
  stage: Stage,
  watchdog: Watchdog,
  deps: StageDeps,
  onPhase: (phase: Phase) => void,
): Promise<Omit<Measured, 'arrivals' | 'notifications'>> => {
  const { now, signal } = deps;
  const [first, ...others] = drill.injections;
  if (first === undefined) throw new Error(`drill ${drill.name} has no injection`);
  const before = { at: now(), delay: watchdog.delaySeconds() };
  await stage.inject(first);
  // For an injection that restarts something, the fault counts from its end; for all others from its beginning.
  const faultAt = first.kind === 'index-was-off' || first.kind === 'pod-moves' ? now() : before.at;
  const striking = (async () => {
    for (const injection of others) {
      await pause(faultAt + injection.after - now(), signal);
      if (!signal.aborted) await stage.inject(injection);
    }
  })();
  onPhase('waiting for the sign');
  const detectedAt = drill.sign === undefined ? undefined : await firstSeen(drill, stage, deps);
  const detectionSeconds = watchdog.delaySeconds() - before.delay;
  onPhase('waiting for the alert');
  await until(async () => stage.receiver.arrivals().some(({ labels }) => isMain(drill, labels)), deps, drill.waits?.seconds);
  await striking;
  onPhase('waiting for other alerts and notifications');
  await pause(pace.pending + pace.evaluation + pace.grouping + 1, signal);
  const totalSeconds = watchdog.delaySeconds() - before.delay + (await prometheusDelay(stage, signal));
  return {
    faultAt,
    ...(detectedAt !== undefined && { detectedAt }),
    schedulingDelay: { detectionSeconds, totalSeconds, ratio: totalSeconds / (now() - before.at) },
  };
};

/** Whether these are labels of the drill's alert, including those that the drill requires. */
export const isMain = ({ alert, labels = {} }: Drill, given: Arrival['labels']): boolean =>
  given.alertname === alert && Object.entries(labels).every(([name, value]) => given[name] === value);

/** Polls until `isSo`. False on timeout, or if the process is asked to stop. `waits`: seconds in addition to the patience. */
const until = async (isSo: () => Promise<boolean>, { now, signal }: StageDeps, waits = 0): Promise<boolean> => {
  const end = now() + patienceSeconds + waits;
  while (!signal.aborted && now() < end) {
    if (await isSo()) return true;
    await pause(tickMs / 1000, signal);
  }
  return false;
};

const firstSeen = async ({ sign }: Drill, stage: Stage, deps: StageDeps): Promise<number | undefined> => {
  const isSeen = await until(async () => {
    const url = stage.exporter();
    const page = url === undefined ? undefined : await askText(`${url}/metrics`, deps.signal);
    if (page === undefined || sign === undefined) return false;
    return samplesOf(page, sign.family).some((line) => hasLabels(line, sign.labels) && sign.is(line.value));
  }, deps);
  return isSeen ? deps.now() : undefined;
};

/** The node has bootstrapped and is ready, its indexes agree with the chains, and Prometheus has samples of all that. */
const allIsWell = async (stage: Stage, drill: Drill, signal: AbortSignal): Promise<boolean> => {
  const nodes = exportersOf(drill).flatMap((one) => one.nodes).length;
  // The tag sets of the subnets, `all`, which has no tag, and `primary`.
  const tagSets = drillSubnets.length + 2;
  const wanted = [
    `count(snowgauge_target_condition{condition="Ready", status="true"} == 1) == ${tagSets * nodes}`,
    `count(snowgauge_health_frozen == 0) == ${nodes}`,
    `count(snowgauge_health_healthy == 1) == ${tagSets * nodes}`,
    `count(snowgauge_tag_known == 1) == ${(tagSets - 1) * nodes}`,
    ...(drill.indexes?.length === 0 ? [] : [`count(snowgauge_index_agrees_with_chain == 1) == ${2 * nodes}`]),
  ];
  for (const promql of wanted) if ((await query(stage.prometheus, promql, signal)).length === 0) return false;
  return true;
};

/** Seconds by which the longest gap between two scrapes exceeds the scrape interval, plus the missed evaluations. */
const prometheusDelay = async (stage: Stage, signal: AbortSignal): Promise<number> => {
  const series = await query(stage.prometheus, 'up[5m]', signal);
  const gaps = series.flatMap(({ times }) => times.slice(1).map((time, at) => time - (times[at] ?? time) - pace.scrape));
  const page = (await askText(`${stage.prometheus}/metrics`, signal)) ?? '';
  const missed = samplesOf(page, 'prometheus_rule_group_iterations_missed_total').map(({ value }) => value);
  return Math.max(0, greatest(gaps)) + Math.max(0, greatest(missed)) * pace.evaluation;
};
