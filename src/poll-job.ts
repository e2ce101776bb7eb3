// The job that the scheduler runs for a target. It polls the node, evaluates and renders the result, and stores it. An error in our own
// code counts as a failed poll.

import type { Target } from './conditions/condition.ts';
import type { Entry } from './entry.ts';
import type { EventHistory } from './events/event-history.ts';
import type { Log } from './log.ts';
import { type TaskQueue, yieldToProbes } from './pause.ts';
import { type Applied, failAll } from './poller/apply.ts';
import type { PollCause, SourceFault } from './poller/ask.ts';
import { dueAfter, poll } from './poller/poll.ts';
import type { Job, PollQueue } from './poller/scheduler.ts';
import type { Sources } from './sources/sources.ts';
import type { TargetState } from './sources/target-state.ts';
import type { TargetTable } from './target-table.ts';
import { logOnce, type TargetUpdate, updateTarget } from './target-update.ts';

export interface PollJobDependencies extends Pick<TargetTable, 'watched' | 'targetOf' | 'isCurrent' | 'set' | 'closeUnused'> {
  readonly table: Sources;
  /** As in ExporterDependencies. */
  readonly now: () => number;
  readonly wallOffset: () => number;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** Shared by all targets: one result is evaluated, or rendered, per iteration of the event loop. */
  readonly enqueue: TaskQueue;
  readonly listener: ((url: string) => Promise<string | undefined>) | undefined;
  readonly polled: ((target: Target) => void) | undefined;
  readonly eventHistory: Pick<EventHistory, 'add'> | undefined;
  /** Called after a poll that found that subnets of the node are gone. `was`: the target before the poll. */
  readonly tagSetsGone: (entry: Entry, was: Target) => void;
}

/** `offset`: seconds by which the target is polled later than others that are due at the same time. */
export const pollJob = (dependencies: PollJobDependencies, entry: Entry, firstDue: number, offset: number): Job => {
  let isNew = true;
  const queue = (): PollQueue => (!entry.isDiscovered ? 'configured' : isNew ? 'new' : 'discovered');
  return {
    firstDue,
    queue,
    run: async (lastDue, cause) => {
      const { now } = dependencies;
      const lastStart = now();
      const result = await pollNode(dependencies, entry, cause);
      const state = await apply(dependencies, entry, queue, result);
      isNew = false;
      return state === undefined ? lastDue : dueAfter(state, { lastDue, lastStart, lastEnd: now(), offset, cause });
    },
  };
};

/** A reload may replace the client during the poll. The old client is then closed when the poll ends. */
const pollNode = async (dependencies: PollJobDependencies, entry: Entry, cause: PollCause): Promise<Applied> => {
  const { table, now, watched, listener, targetOf, isCurrent, closeUnused } = dependencies;
  const { client } = entry;
  entry.inUse = client;
  const last = targetOf(entry);
  const state = (): TargetState => (isCurrent(entry) ? targetOf(entry) : last).state;
  const listening = listener && (() => listener(last.state.options.url));
  const request = { table, state, client, now, cause, watched, ...(listening && { listener: listening }) };
  const result = await poll(request).catch((error) => failedPoll(dependencies, state(), error));
  entry.inUse = undefined;
  if (client !== entry.client) closeUnused([client]);
  return result;
};

const failedPoll = ({ table, now }: PollJobDependencies, before: TargetState, error: unknown): Applied => {
  const fault = { source: 'target', error };
  return { state: failAll(table, before, fault, now()), faults: [fault] };
};

/**
 * Updates the target with the result of a poll, and returns its new state; undefined if the result is discarded. Evaluation and rendering
 * run in separate iterations of the event loop, because each of them takes long for a large report.
 */
const apply = async (
  dependencies: PollJobDependencies,
  entry: Entry,
  queue: () => PollQueue,
  result: Applied,
): Promise<TargetState | undefined> => {
  const { targetOf } = dependencies;
  await waitForTurn(dependencies, queue);
  if (isObsolete(dependencies, entry)) return undefined;
  let before = targetOf(entry);
  let { faults } = result;
  let update: TargetUpdate;
  try {
    update = evaluate(dependencies, entry, before, withOptionsOf(before, result.state));
    await waitForTurn(dependencies, queue);
    if (isObsolete(dependencies, entry)) return undefined;
    const latest = targetOf(entry);
    // A maintenance window may have opened meanwhile.
    if (latest !== before) update = evaluate(dependencies, entry, latest, withOptionsOf(latest, result.state));
    before = latest;
    render(dependencies, entry, update);
  } catch (error) {
    // A response that our code cannot process must not stop the polls of all other targets.
    const failed = failedPoll(dependencies, before.state, error);
    faults = [...faults, ...failed.faults];
    update = evaluate(dependencies, entry, before, failed.state);
    render(dependencies, entry, update);
  }
  store(dependencies, entry, before, update, faults);
  return update.target.state;
};

/** Many polls may end at the same time: probes and requests are answered between them. */
const waitForTurn = async ({ enqueue }: PollJobDependencies, queue: () => PollQueue): Promise<void> => {
  await yieldToProbes();
  await new Promise<void>((resolve) => enqueue(resolve, { queue: queue() }));
};

/** A reload removed or reset the target, or the exporter is stopping: a poll that was cut short says nothing about the node. */
const isObsolete = ({ isCurrent, signal }: PollJobDependencies, entry: Entry): boolean => !isCurrent(entry) || signal.aborted;

/** A reload may have changed options that do not change what is requested: the result is used with the new ones. */
const withOptionsOf = ({ state: { options } }: Target, state: TargetState): TargetState =>
  options === state.options ? state : { ...state, options };

/** Removed targets are polled only for their probe paths: they have no events and no log lines. */
const evaluate = (
  { table, now, wallOffset }: PollJobDependencies,
  entry: Entry,
  target: Target,
  state: TargetState,
): TargetUpdate => {
  const update = updateTarget(table, { target, memory: entry.lines }, state, now(), wallOffset());
  return entry.isRemoved ? { ...update, records: [], lines: [] } : update;
};

const render = ({ polled }: PollJobDependencies, entry: Entry, update: TargetUpdate): void => {
  if (!entry.isRemoved) polled?.(update.target);
};

const store = (
  { log, eventHistory, set, tagSetsGone }: PollJobDependencies,
  entry: Entry,
  before: Target,
  update: TargetUpdate,
  faults: readonly SourceFault[],
): void => {
  entry.lines = update.memory;
  for (const fault of faults) logOnce(log, entry.logged, entry.name, fault);
  for (const { level, fields, message } of update.lines) log[level](fields, message);
  eventHistory?.add(update.records);
  set(entry, update.target);
  const { tagSets } = update.target.state.options;
  const previous = before.state.options.tagSets;
  const isOneGone = previous !== tagSets && previous.some(({ name }) => !tagSets.some((one) => one.name === name));
  if (isOneGone) tagSetsGone(entry, before);
};
