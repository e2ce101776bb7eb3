// The interface of a source, a module for one kind of request to a node. A source defines what is requested and how often, how the response
// changes the state, which metric families it has, and how API and page show it. Everything else is generic: polling, counting outcomes,
// expiry, conditions and rendering.
//
// The members are methods instead of function properties, so that sources with different states are assignable to Source<unknown, unknown>.

import type { Answer, Client } from '../client/client.ts';
import type { Failure, Outcome, OutcomeKind } from '../client/outcome.ts';
import type { FamilyGroup } from '../metrics/family.ts';
import type { ResultOf } from '../protocol/methods.ts';
import type { LogEntry, Ongoing } from '../snapshot/log-entry.ts';
import type { TargetOptions } from '../snapshot/options.ts';

/** Another target in the same network, and the state of the same source for it. */
export interface Neighbour<State> {
  readonly target: string;
  readonly state: State;
  /** Seconds after which the responses of that node expire. */
  readonly maxAge: number;
}

/** The nearest ones in the order of all targets, nearest first. */
export interface Neighbours<State> {
  readonly before: readonly Neighbour<State>[];
  readonly after: readonly Neighbour<State>[];
}

/** Requests that several sources need: each is sent once per poll, and all sources get the response. */
export interface Shared {
  readonly upgrades: () => Promise<Answer<ResultOf<'info.upgrades'>>>;
}

/** The arguments of `ask`. `of`: the responses of the same poll to the sources that are earlier in the table. */
export interface AskContext<State, Needs> {
  readonly client: Client;
  readonly options: TargetOptions;
  /** The NodeID of the target before the poll. */
  readonly nodeId?: string | undefined;
  /** The state before the poll. */
  readonly before: State;
  readonly of: { readonly [N in keyof Needs]?: Promise<Needs[N]> };
  /** The neighbours in their current state. */
  readonly neighbours: () => Neighbours<State>;
  readonly shared: Shared;
}

/** The arguments of `observe`. */
export interface Step<Needs> {
  readonly options: TargetOptions;
  /** End of the poll; exporter's clock. */
  readonly at: number;
  /** Seconds between two health check runs, as measured before the poll. */
  readonly interval: number;
  /** The node was restarted since the last poll. */
  readonly restarted: boolean;
  readonly of: { readonly [N in keyof Needs]?: Needs[N] };
}

/** The time and the level of detail for showing a state. */
export interface StatusContext {
  /** Seconds by the exporter's steady clock, like all times of the state. */
  readonly now: number;
  /** Seconds after which a response expires. */
  readonly maxAge: number;
  /** The current time by the node's clock; by the exporter's while the difference is unknown. */
  readonly nodeNow: number;
  /** Wall clock − steady clock: added to a time of the exporter to show it. */
  readonly wallOffset: number;
  readonly options: TargetOptions;
  /** An outline is cheap, and enough to sort a fleet. */
  readonly detail: 'whole' | 'outline';
}

export type Level = 'bad' | 'warn' | 'none' | 'good';

/** A line in the list of facts about the node on the page. */
export interface Fact {
  readonly name: string;
  readonly value: string;
  /** Whether that is good or bad. Undefined if neither. */
  readonly level?: Level;
  /** Shown after the value, less prominent. */
  readonly note?: string;
}

/** `Status`: the API merges the members of all sources, so their names must be unique. */
export interface Source<State, Asked, Needs extends object = object, Status extends object = object> {
  /** Label `api` of polls_total. */
  readonly api: string;
  /** Minimum seconds between two requests, unless the node restarts. Undefined: requested with each poll. */
  readonly every?: number;
  /** The initial state. `before`: the state before a reload that changed the requests; results of unchanged requests may be kept. */
  start(options: TargetOptions, before?: State): State;
  ask(context: AskContext<State, Needs>): Promise<Asked>;
  /** All responses in it, for counting outcomes. */
  answers(asked: Asked): readonly Answer<unknown>[];
  /** The state after one more poll. Pure. */
  observe(before: State, asked: Asked, step: Step<Needs>): State;
  /** The part of the state that is also valid for another process of the node, even if the current poll does not request it. Undefined: all. */
  restarted?(before: State): State;
  /** The part of the rest that is also valid for another node. Undefined: all. */
  replaced?(before: State): State;
  /** False if a needed response is still missing: the next poll requests it again, even if the source is requested rarely. */
  isWhole?(state: State): boolean;
  /** The state after a poll if its responses could not be processed because of a bug. */
  fail(before: State, failure: Failure, at: number): State;
  /** The time of each response that is shown: it expires maxAge later. */
  observedAt(state: State): Iterable<number>;
  /** Current states that are logged when they begin and end. */
  ongoing(state: State, options: TargetOptions): readonly Ongoing[];
  /** Events that are logged. */
  changes(before: State, after: State, options: TargetOptions): readonly LogEntry[];
  readonly families: readonly FamilyGroup<State>[];
  /** The part of the API for this source; JSON values. */
  status(state: State, context: StatusContext): Status;
  /** The facts about the node on the page. */
  facts(status: Status): readonly Fact[];
}

export type AnySource = Source<unknown, unknown>;
export type SourceTable = Readonly<Record<string, AnySource>>;

export type StateOf<S> = S extends Source<infer State, infer _Asked> ? State : never;
export type AskedOf<S> = S extends Source<infer _State, infer Asked> ? Asked : never;
export type StatusOf<S> = S extends { status(state: never, context: StatusContext): infer Status } ? Status : never;

/**
 * Maximum number of polls that a path without responses may prolong to its timeout. After that, it is only requested when it is due again.
 */
export const maxUnanswered = 2;
export const silences: ReadonlySet<OutcomeKind> = new Set(['timeout', 'reset']);

/** Responses of a node or a proxy that are not a result. */
export const refusals: ReadonlySet<OutcomeKind> = new Set([
  'host-forbidden',
  'http-status',
  'not-json',
  'malformed',
  'rpc-error',
]);

/** Whether these are the NodeIDs of two nodes. A response without one may be of either. */
export const isOtherNode = (nodeId: string | undefined, other: string | undefined): boolean =>
  nodeId !== undefined && other !== undefined && nodeId !== other;

/** The NodeID in the body is used if a proxy drops the header. */
export const askNodeId = async (client: Client): Promise<Answer<ResultOf<'info.getNodeID'>>> => {
  const answer = await client.rpc('info.getNodeID', {});
  return answer.outcome.kind === 'ok' ? { nodeId: answer.outcome.value.nodeID, ...answer } : answer;
};

/** The response with another value in place of its own, or with what `otherwise` makes of its failure. */
export const mapped = <From, To>(
  { outcome, ...rest }: Answer<From>,
  to: (value: From) => To,
  otherwise: (failure: Failure) => Outcome<To> = (failure) => failure,
): Answer<To> => ({
  ...rest,
  outcome: outcome.kind === 'ok' ? { kind: 'ok', value: to(outcome.value) } : otherwise(outcome),
});
