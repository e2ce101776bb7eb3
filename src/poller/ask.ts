// Sends the requests of one poll: all that are due, in parallel, each with its own timeout. While a node is gone, only one request is sent
// until there is a response. After a node closed its connections, one request is sent at once, and the others only if a new process responds.

import type { Answer, Client } from '../client/client.ts';
import type { Failure } from '../client/outcome.ts';
import type { HealthReport } from '../protocol/health.ts';
import { reportOutline } from '../protocol/kept-report.ts';
import { followRestarts } from '../snapshot/restart.ts';
import { type AllTargets, neighboursOf } from '../sources/neighbours.ts';
import { type AnySource, isOtherNode, mapped, type Shared } from '../sources/source.ts';
import { type PollAnswers, type Sources, sourcesOf } from '../sources/sources.ts';
import type { TargetState } from '../sources/target-state.ts';
import { firstUnits } from '../text.ts';

/** due: as scheduled · closed: the node closed a kept-alive connection · probed: a probe found that the last poll is too old */
export type PollCause = 'due' | 'closed' | 'probed';

/** A bug in processing the responses of one source. */
export interface SourceFault {
  readonly source: string;
  readonly error: unknown;
}

/** Seconds. A restart makes rare requests due at once, but not more often than this if a node restarts, or changes, with each poll. */
export const minRenewalPeriod = 20;

export const internalError = ({ error }: SourceFault): Failure => ({
  kind: 'internal-error',
  reason: firstUnits(error instanceof Error ? error.message : String(error), 200),
});

export interface Polled {
  readonly asked: PollAnswers;
  /** Bugs of sources that threw while they sent their requests. */
  readonly faults: readonly SourceFault[];
}

export interface AskNode {
  readonly table: Sources;
  readonly client: Client;
  readonly now: () => number;
  readonly cause: PollCause;
  readonly watched: AllTargets;
  /** Timeout of the request after a closed connection: a running process responds at once. Default: 1000. */
  readonly contactMs?: number | undefined;
}

export const askNode = async (
  before: TargetState,
  { table, client, now, cause, watched, contactMs = 1000 }: AskNode,
): Promise<Polled> => {
  const at = now();
  const due = sourcesOf(table).filter(
    ([name, { every = 0 }]) => at - (before.askedAt.get(name) ?? Number.NEGATIVE_INFINITY) >= every,
  );
  const context = { before, client, watched };
  /** What is asked rarely was the response of the former node, if the NodeID is another one. */
  const askDue = async (known: PollAnswers): Promise<Polled> => {
    const polled = await askAll(due, context, known);
    const isOther =
      isOtherNode(before.nodeId, nodeIdIn(polled.asked)) &&
      at - (before.renewedAt ?? Number.NEGATIVE_INFINITY) >= minRenewalPeriod;
    return isOther ? askAll(sourcesOf(table), context, polled.asked) : polled;
  };
  if (cause !== 'closed' && before.process.state !== 'gone') return askDue({});
  const readiness = mapped(
    cause === 'closed' ? await contactAfterClose(client, contactMs) : await client.readiness([]),
    reportOutline,
  );
  const asksAll = cause === 'closed' ? isAnotherProcess(before, readiness) : !unreachable.has(readiness.outcome.kind);
  return asksAll ? askDue({ readiness }) : { asked: { readiness }, faults: [] };
};

/**
 * Closes the connection after the response: a proxy that closes idle connections would otherwise trigger one such request after the other.
 * After a timeout or reset, it tries once more.
 */
const contactAfterClose = async (client: Client, timeoutMs: number): Promise<Answer<HealthReport>> => {
  const limits = { timeoutMs, last: true };
  const first = await client.readiness([], undefined, limits);
  const silent = first.outcome.kind === 'timeout' || first.outcome.kind === 'reset';
  return silent ? client.readiness([], undefined, limits) : first;
};

/** Its readiness may be the one request that has no response. */
const nodeIdIn = ({ readiness, health }: PollAnswers): string | undefined =>
  [readiness, ...(health?.reports.values() ?? [])].find((answer) => answer?.nodeId !== undefined)?.nodeId;

const isAnotherProcess = (before: TargetState, readiness: Answer<HealthReport>): boolean =>
  isOtherNode(before.nodeId, readiness.nodeId) ||
  followRestarts(before.restarts, [readiness], readiness, readiness.endedAt).count > before.restarts.count;

const unreachable: ReadonlySet<string> = new Set(['refused', 'reset', 'timeout', 'dns', 'network']);

/** In the order of the table, because a source may wait for responses of sources before it. `known`: responses that are there already. */
const askAll = async (
  due: readonly (readonly [name: string, source: AnySource])[],
  { before, client, watched }: Pick<AskNode, 'client' | 'watched'> & { readonly before: TargetState },
  known: PollAnswers,
): Promise<Polled> => {
  const asked: Record<string, Promise<unknown>> = {};
  const { options, nodeId } = before;
  const shared: Shared = { upgrades: once(() => client.rpc('info.upgrades', {})) };
  for (const [name, source] of due) {
    const neighbours = () => neighboursOf([name, source], before, watched);
    const question = { client, options, nodeId, before: before.sources[name], of: asked, neighbours, shared };
    // Wrapped, because `ask` is not always an async function: an exception must become a rejection.
    asked[name] = (async () => known[name] ?? source.ask(question))();
  }
  const faults: SourceFault[] = [];
  const answers = Object.entries(asked).map(async ([source, answer]) => {
    try {
      return [[source, await answer]] as const;
    } catch (error) {
      // A bug in processing the responses of one target must not end the polls of all others.
      faults.push({ source, error });
      return [];
    }
  });
  // Each value comes from the source of its name, so it has the type of that source.
  return { asked: Object.fromEntries((await Promise.all(answers)).flat()), faults };
};

const once = <T>(ask: () => Promise<T>): (() => Promise<T>) => {
  let asked: Promise<T> | undefined;
  return () => {
    asked ??= ask();
    return asked;
  };
};
