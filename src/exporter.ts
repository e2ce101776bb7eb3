// Wires the exporter together: the targets, their scheduled polls, and the polls that probes and closed connections trigger in between.

import type { Target } from './conditions/condition.ts';
import { clientsOf, type Entry, removedKey } from './entry.ts';
import { conditionRecords } from './events/condition-records.ts';
import type { EventHistory } from './events/event-history.ts';
import { endedUnwatched, maintenanceRecords } from './events/maintenance-records.ts';
import { listenerWatch } from './listener-watch.ts';
import type { Log } from './log.ts';
import type { MaintenanceWindow } from './maintenance/window.ts';
import { createTaskQueue } from './pause.ts';
import { pollJob } from './poll-job.ts';
import { spread } from './poller/poll.ts';
import { createScheduler } from './poller/scheduler.ts';
import type { Recall, Replaced } from './replaced.ts';
import type { RemovedProbe } from './server/removed-probes.ts';
import { type Sources, sources } from './sources/sources.ts';
import { effectiveInterval, type TargetState } from './sources/target-state.ts';
import { createTargetTable, type ExporterTarget } from './target-table.ts';

export type { ExporterTarget } from './target-table.ts';

export type Exporter = ReturnType<typeof startExporter>;

export interface ExporterDependencies {
  /** Steady clock, seconds. */
  readonly now: () => number;
  /** Wall clock − steady clock in seconds. Events have times of the wall clock. */
  readonly wallOffset?: () => number;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** Receives the records of all events; without it, they are dropped. */
  readonly eventHistory?: Pick<EventHistory, 'add' | 'records'>;
  /** The maintenance window of a target that is open now. */
  readonly maintenance?: (target: string) => MaintenanceWindow | undefined;
  /** Identifies the socket that listens at the URL of a target; undefined if that cannot be determined. */
  readonly listener?: (url: string) => Promise<string | undefined>;
  /** What a previous run has saved about an added target. */
  readonly recall?: Recall;
  /** Called after each poll with the new state of the target. */
  readonly polled?: (target: Target) => void;
  /** Called once a second. */
  readonly onTick?: () => void;
  /** True if another instance takes over removed targets: then they are not polled for their probe paths. */
  readonly forgetsRemoved?: boolean;
  /** What is requested from the nodes; all sources by default. */
  readonly table?: Sources;
}

export const startExporter = (
  targets: readonly ExporterTarget[],
  { now, log, signal, wallOffset = () => 0, table = sources, ...given }: ExporterDependencies,
) => {
  const { eventHistory, maintenance = () => undefined, listener, recall, polled, onTick } = given;
  const targetTable = createTargetTable({ table, now, log, recall, forgetsRemoved: given.forgetsRemoved === true });
  const { removed, entries, targetOf } = targetTable;
  /** Keeps serving the probe paths of tag sets that are gone, as after a reload. */
  const tagSetsGone = (entry: Entry, was: Target): void => {
    const key = removedKey(entry.name);
    const before = entries.get(key);
    targetTable.dropTagSets(entry, was);
    const after = entries.get(key);
    if (after !== undefined && after !== before) scheduler.add(key, pollJob(jobs, after, now(), 0));
  };
  const enqueue = createTaskQueue();
  const jobs = { ...targetTable, table, now, wallOffset, log, signal, enqueue, listener, polled, eventHistory, tagSetsGone };

  /** Replaces the targets. Clients that are no longer used are closed after their current poll. */
  const replace = (next: readonly ExporterTarget[]): Replaced => {
    const [before, targetsBefore, at] = [new Map(entries), new Map(targetTable.targets), now()];
    const replaced = targetTable.replace(next);
    const started = [...entries].filter(([key, entry]) => before.get(key) !== entry);
    started.forEach(([key, entry], position) => {
      const { firstDue, offset } = spread(targetOf(entry).state.options, position, started.length);
      scheduler.add(key, pollJob(jobs, entry, at + firstDue, offset));
    });
    for (const key of before.keys()) if (!entries.has(key)) scheduler.remove(key);
    // At another address, the conditions are unknown until it is polled. A name of a tag set may have the tags of another one now.
    for (const [name, target] of targetTable.targets) {
      const was = targetsBefore.get(name);
      if (was === undefined || was === target) continue;
      const changed = conditionRecords(was, target);
      eventHistory?.add(changed.map((one) => ({ ...one, at: at + wallOffset() })));
    }
    maintain();
    recordEvents(
      [...replaced.added, ...replaced.reset].flatMap((name) => targetTable.targets.get(name) ?? []),
      endedUnwatched,
    );
    return replaced;
  };
  /** Updates the open maintenance windows. */
  const maintain = (): void => recordEvents(targetTable.maintain(maintenance), maintenanceRecords);
  const recordEvents = (of: readonly Target[], recordsOf: typeof maintenanceRecords): void => {
    for (const target of of)
      eventHistory?.add(recordsOf(target, eventHistory.records(target.state.options.name), now() + wallOffset()));
  };
  /** The node closed a kept-alive connection: polls it at once to see whether its process still runs. */
  const connectionClosed = (name: string): void => {
    if (targetTable.targets.get(name)?.state.process.state === 'reported') scheduler.runNow(name, 'closed');
    if (removed.targets.get(name)?.state.process.state === 'reported') scheduler.runNow(removedKey(name), 'closed');
  };
  const readListener =
    listener && listenerWatch({ targets: targetTable.targets, entries, listener, onChanged: connectionClosed });
  const scheduler = createScheduler({
    now,
    log,
    signal,
    onTick: () => {
      for (const key of targetTable.expire()) scheduler.remove(key);
      readListener?.();
      onTick?.();
      maintain();
      void targetTable.judgeRestarts();
    },
  });

  replace(targets);
  // One listener for all clients: one for each would cost more than closing them.
  const closeAll = (): void => {
    for (const client of clientsOf(entries.values())) client.close();
  };
  const pollIfOld = (key: string, state: TargetState | undefined): void => {
    const at = state?.lastPoll?.at;
    if (state !== undefined && at !== undefined && now() - at > effectiveInterval(state)) scheduler.runNow(key, 'probed');
  };
  if (signal.aborted) closeAll();
  else signal.addEventListener('abort', closeAll, { once: true });
  return {
    /** The map changes in place: a new `version` means that it has changed. */
    targets: targetTable.targets,
    version: targetTable.version,
    lastTick: scheduler.lastTick,
    replace,
    connectionClosed,
    maintain,
    /** Called for each probe of the target: polls it if the last poll is older than a check interval. */
    probed: (name: string): void => pollIfOld(name, targetTable.targets.get(name)?.state),
    /** For the probe paths that a reload has removed. */
    removed: {
      targets: removed.targets,
      probes: removed.probes,
      probed: (probe: RemovedProbe): void => {
        removed.probed(probe);
        pollIfOld(removedKey(probe.target), removed.targets.get(probe.target)?.state);
      },
    },
    /** Resolves when the signal is aborted and the last poll has ended; rejects on a bug of the exporter. */
    finished: scheduler.finished,
  };
};
