// The shape of a source: one question to a node, as one module. It says what is asked and how often, how the answer becomes part
// of what is known, which families it gives, and how API and page show it. The frame polls it, tallies its outcomes, ages it, feeds
// the conditions and renders it; nothing else needs to know that there is such a source.
//
// Methods, not function members: a table of sources of different states is then a table of Source<unknown, unknown>.

import type { Answer, Client } from '../client/client.ts';
import type { Failure, Outcome, OutcomeKind } from '../client/outcome.ts';
import type { FamilyGroup } from '../metrics/family.ts';
import type { ResultOf } from '../protocol/methods.ts';
import type { LogEntry, Ongoing } from '../snapshot/log-entry.ts';
import type { TargetOptions } from '../snapshot/options.ts';

/** Another target whose node is of the same network, and what the same source knows of it. */
export interface Neighbour<State> {
  readonly target: string;
  readonly state: State;
  /** Seconds after which what that node said is no longer taken for true. */
  readonly maxAge: number;
}

/** The nearest of them in the order of all targets, nearest first. */
export interface Neighbours<State> {
  readonly before: readonly Neighbour<State>[];
  readonly after: readonly Neighbour<State>[];
}

/** What several sources ask: in one poll it is asked once, by whoever comes first, and all of them have the answer. */
export interface Shared {
  readonly upgrades: () => Promise<Answer<ResultOf<'info.upgrades'>>>;
}

/** What a source asks with. `of`: what the sources before it in the table asked in the same poll. */
export interface AskContext<State, Needs> {
  readonly client: Client;
  readonly options: TargetOptions;
  /** As it was before the poll. */
  readonly before: State;
  readonly of: { readonly [N in keyof Needs]?: Promise<Needs[N]> };
  /** As they are known now. */
  readonly neighbours: () => Neighbours<State>;
  readonly shared: Shared;
}

/** What a source observes its answers with. */
export interface Step<Needs> {
  readonly options: TargetOptions;
  /** End of the poll; exporter's clock. */
  readonly at: number;
  /** Seconds between two health check runs, as known before the poll. */
  readonly interval: number;
  /** The node is another process than at the last poll. */
  readonly restarted: boolean;
  readonly of: { readonly [N in keyof Needs]?: Needs[N] };
}

/** At which instant, and how fully, a state is shown. */
export interface StatusContext {
  /** Seconds, exporter's steady clock, as all instants of the state. */
  readonly now: number;
  /** Seconds after which what a source said is no longer taken for true. */
  readonly maxAge: number;
  /** The present by the node's clock; by ours while the difference is not known. */
  readonly nodeNow: number;
  /** Wall clock − steady clock: what is added to an instant of the exporter's to show it. */
  readonly wallOffset: number;
  readonly options: TargetOptions;
  /** An outline is enough to rank a fleet by, and cheap. */
  readonly detail: 'whole' | 'outline';
}

export type Level = 'bad' | 'warn' | 'none' | 'good';

/** A line in the page's list of facts about the node. */
export interface Fact {
  readonly name: string;
  readonly value: string;
  /** How good that is; absent where it is neither. */
  readonly level?: Level;
  /** Beside the value, less prominent. */
  readonly note?: string;
}

/** `Status`: its members stand in the API beside those of the other sources, so no two sources give one of the same name. */
export interface Source<State, Asked, Needs extends object = object, Status extends object = object> {
  /** Label `api` of polls_total. */
  readonly api: string;
  /** Seconds between two asks at the least; absent: with each poll. After a restart of the node it is asked at once. */
  readonly every?: number;
  /** Nothing is known yet; or `before`, where a reload changed what is asked: of that the new state may keep what is still asked. */
  start(options: TargetOptions, before?: State): State;
  ask(question: AskContext<State, Needs>): Promise<Asked>;
  /** Every answer in it, for the tally. */
  answers(asked: Asked): readonly Answer<unknown>[];
  /** The state after one more poll. Pure. */
  observe(before: State, asked: Asked, step: Step<Needs>): State;
  /** What of a state is still true once the node is another process, whether or not the poll that shows it asks this source. Absent: all of it. */
  restarted?(before: State): State;
  /** False: it needs what the node did not say yet, and is asked again with the next poll, however rarely it is asked otherwise. */
  isWhole?(state: State): boolean;
  /** The state after a poll whose answers could not be understood, by a fault of ours. */
  fail(before: State, failure: Failure, at: number): State;
  /** When each thing that is shown was learnt: it is shown no longer than maxAge after that. */
  observedAt(state: State): Iterable<number>;
  /** What holds now and is worth a line in the log when it begins and when it ends. */
  ongoing(state: State, options: TargetOptions): readonly Ongoing[];
  /** What happened and is worth a line in the log. */
  changes(before: State, after: State, options: TargetOptions): readonly LogEntry[];
  readonly families: readonly FamilyGroup<State>[];
  /** What the API shows of it; values of JSON. */
  status(state: State, context: StatusContext): Status;
  /** What of that the page lists about the node. */
  facts(status: Status): readonly Fact[];
}

export type AnySource = Source<unknown, unknown>;
export type SourceTable = Readonly<Record<string, AnySource>>;

export type StateOf<S> = S extends Source<infer State, infer _Asked> ? State : never;
export type AskedOf<S> = S extends Source<infer _State, infer Asked> ? Asked : never;
export type StatusOf<S> = S extends { status(state: never, context: StatusContext): infer Status } ? Status : never;

/** Polls that a path may make long: one that swallows requests is then left alone until the next time. */
export const maxUnanswered = 2;
export const silences: ReadonlySet<OutcomeKind> = new Set(['timeout', 'reset']);

export const mapped = <From, To>(
  { outcome, ...rest }: Answer<From>,
  to: (value: From) => To,
  otherwise: (failure: Failure) => Outcome<To> = (failure) => failure,
): Answer<To> => ({
  ...rest,
  outcome: outcome.kind === 'ok' ? { kind: 'ok', value: to(outcome.value) } : otherwise(outcome),
});
