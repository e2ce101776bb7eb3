// What the scheduler runs for a target: a poll, and what comes of it. Faults of ours end as an answer like any other.

import type { Target } from './conditions/condition.ts';
import type { Entry } from './entry.ts';
import type { EventHistory } from './events/event-history.ts';
import { addAll } from './lists.ts';
import type { Log } from './log.ts';
import { lull, type Turns } from './pause.ts';
import { type Applied, failAll } from './poller/apply.ts';
import type { SourceFault } from './poller/ask.ts';
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
  /** Of all polls: one is judged, or rendered, in a turn of the event loop. */
  readonly oneATurn: Turns;
  readonly listener: ((url: string) => Promise<string | undefined>) | undefined;
  readonly polled: ((target: Target) => void) | undefined;
  readonly eventHistory: Pick<EventHistory, 'add'> | undefined;
  /** After a poll that found that subnets of the node are gone. `was`: the target before. */
  readonly tagSetsGone: (entry: Entry, was: Target) => void;
}

/** `offset`: seconds by which it comes after others that are due with it. */
export const pollJob = (
  { table, now, wallOffset, log, signal, oneATurn, listener, polled, eventHistory, tagSetsGone, ...held }: PollJobDependencies,
  entry: Entry,
  firstDue: number,
  offset: number,
): Job => {
  let isNew = true;
  const queue = (): PollQueue => (!entry.isDiscovered ? 'configured' : isNew ? 'new' : 'discovered');
  const updated = (target: Target, state: TargetState): TargetUpdate => {
    const made = updateTarget(table, { target, memory: entry.lines }, state, now(), wallOffset());
    return entry.isRemoved ? { ...made, records: [], lines: [] } : made;
  };
  const failed = (before: TargetState, error: unknown): Applied => {
    const fault = { source: 'target', error };
    return { state: failAll(table, before, fault, now()), faults: [fault] };
  };
  const keep = (before: Target, made: TargetUpdate, faults: readonly SourceFault[]): TargetState => {
    entry.lines = made.memory;
    for (const fault of faults) logOnce(log, entry.logged, entry.name, fault);
    for (const { level, fields, message } of made.lines) log[level](fields, message);
    eventHistory?.add(made.records);
    held.set(entry, made.target);
    const [{ tagSets: were }, { tagSets }] = [before.state.options, made.target.state.options];
    if (were !== tagSets && were.some(({ name }) => !tagSets.some((one) => one.name === name))) tagSetsGone(entry, before);
    return made.target.state;
  };
  /** What was asked before a reload is of no use to anybody, and a poll that the end cut short says nothing of the node. */
  const isOver = (): boolean => !held.isCurrent(entry) || signal.aborted;
  const rendered = (made: TargetUpdate): TargetUpdate => {
    if (!entry.isRemoved) polled?.(made.target);
    return made;
  };
  /** Of many polls that ended together none waits for the others' in the same turn: probes and answers come in between. */
  const itsTurn = async (): Promise<void> => {
    await lull();
    await new Promise<void>((resolve) => oneATurn(resolve, { queue: queue() }));
  };
  /** Judged and rendered each in a turn of its own: of a large report each takes long. Undefined: nobody asks any more. */
  const take = async ({ state, faults }: Applied): Promise<TargetState | undefined> => {
    const found = [...faults];
    /** A reload may have changed what is known of it beside what was asked. */
    const stateOf = ({ state: { options } }: Target): TargetState => (options === state.options ? state : { ...state, options });
    await itsTurn();
    if (isOver()) return undefined;
    let before = held.targetOf(entry);
    let made: TargetUpdate;
    try {
      made = updated(before, stateOf(before));
      await itsTurn();
      if (isOver()) return undefined;
      const latest = held.targetOf(entry);
      // A maintenance window may have begun meanwhile.
      if (latest !== before) made = updated(latest, stateOf(latest));
      before = latest;
      rendered(made);
    } catch (error) {
      // One target's answers must not end the watch of all others.
      const instead = failed(before.state, error);
      addAll(found, instead.faults);
      made = rendered(updated(before, instead.state));
    }
    return keep(before, made, found);
  };
  return {
    firstDue,
    queue,
    run: async (lastDue, cause) => {
      const { client } = entry;
      const lastStart = now();
      entry.inUse = client;
      const last = held.targetOf(entry);
      const state = (): TargetState => (held.isCurrent(entry) ? held.targetOf(entry) : last).state;
      const listening = listener && (() => listener(last.state.options.url));
      const { watched } = held;
      const of = { table, state, client, now, cause, watched, ...(listening && { listener: listening }) };
      const applied = await poll(of).catch((error) => failed(state(), error));
      entry.inUse = undefined;
      if (client !== entry.client) held.closeUnused([client]);
      const taken = await take(applied);
      isNew = false;
      return taken === undefined ? lastDue : dueAfter(taken, { lastDue, lastStart, lastEnd: now(), offset, cause });
    },
  };
};
