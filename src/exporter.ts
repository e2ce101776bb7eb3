// Wires the exporter together and holds what is known, snapshot and verdicts: the only thing in it that changes.

import type { Client } from './client/client.ts';
import type { Evidence } from './evidence/evidence.ts';
import { recordsOf, verdictRecords } from './evidence/record.ts';
import type { Log } from './log.ts';
import { keepTime } from './poller/schedule.ts';
import { type Polled, turnsOf } from './poller/turns.ts';
import { type Answers, advance } from './snapshot/advance.ts';
import { changes } from './snapshot/changes.ts';
import { eventsBetween } from './snapshot/events.ts';
import { newSnapshot, type TargetOptions, type TargetSnapshot } from './snapshot/snapshot.ts';
import { judge, judgeAll } from './verdict/judge.ts';
import type { Known } from './verdict/judgement.ts';

export interface ExporterTarget {
  readonly options: TargetOptions;
  readonly client: Client;
}

export interface Exporter {
  readonly known: () => Known;
  readonly lastBeat: () => number;
  /** Resolves when the signal is aborted and the last poll has ended; rejects on a fault of our own. */
  readonly finished: Promise<void>;
}

export interface ExporterDependencies {
  readonly now: () => number;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** Takes every transition; without one nobody is told of them. */
  readonly evidence?: Pick<Evidence, 'add'>;
}

export const startExporter = (
  targets: readonly ExporterTarget[],
  { now, log, signal, evidence }: ExporterDependencies,
): Exporter => {
  let known = judgeAll(newSnapshot(targets.map(({ options }) => options)), now());

  const targetOf = (name: string): TargetSnapshot => {
    const target = known.snapshot.targets.get(name);
    if (target === undefined) throw new Error(`no target ${name} in the snapshot`);
    return target;
  };
  const take = (name: string, answers: Answers): TargetSnapshot => {
    const { snapshot, verdicts } = known;
    const before = targetOf(name);
    const after = advance(before, answers);
    for (const { level, fields, message } of changes(before, after)) log[level](fields, message);
    const at = now();
    const judged = judge(verdicts.get(name), after, at);
    evidence?.add([
      ...recordsOf(name, eventsBetween(before, after)),
      ...verdictRecords(name, verdicts.get(name), judged, after, at),
    ]);
    known = {
      snapshot: { ...snapshot, targets: new Map(snapshot.targets).set(name, after) },
      verdicts: new Map(verdicts).set(name, judged),
    };
    return after;
  };

  const polled = targets.map(
    ({ options, client }): Polled => ({
      options,
      client,
      known: () => targetOf(options.name),
      take: (answers) => take(options.name, answers),
    }),
  );
  const { lastBeat, finished } = keepTime(turnsOf(polled, now, signal), { now, log, signal });
  const closed = finished.then(() => {
    for (const { client } of targets) client.close();
  });
  return { known: () => known, lastBeat, finished: closed };
};
