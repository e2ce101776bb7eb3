// The questions of one poll: all that are due at once, each under its own deadline. A node that is gone is asked one of them until
// something answers; one that has closed its connections is asked one at once, and the others only where another process answers.

import type { Answer, Client } from '../client/client.ts';
import type { Failure } from '../client/outcome.ts';
import type { HealthReport } from '../protocol/health.ts';
import { reportOutline } from '../protocol/kept-report.ts';
import { followRestarts } from '../snapshot/restart.ts';
import { type AllTargets, neighboursOf } from '../sources/neighbours.ts';
import { keeping } from '../sources/report-source.ts';
import type { AnySource, Shared } from '../sources/source.ts';
import { type PollAnswers, type Sources, sourcesOf } from '../sources/sources.ts';
import type { TargetState } from '../sources/target-state.ts';

/** due: its time has come · closed: the node ended a kept-alive connection · probed: a probe found that the last poll is old */
export type PollCause = 'due' | 'closed' | 'probed';

/** A fault of ours in understanding one source's answers. */
export interface SourceFault {
  readonly source: string;
  readonly error: unknown;
}

export const internalError = ({ error }: SourceFault): Failure => ({
  kind: 'internal-error',
  reason: (error instanceof Error ? error.message : String(error)).slice(0, 200),
});

export interface Polled {
  readonly asked: PollAnswers;
  /** Of sources that could not go on from an answer to their next question. */
  readonly faults: readonly SourceFault[];
}

export interface AskNode {
  readonly table: Sources;
  readonly client: Client;
  readonly now: () => number;
  readonly cause: PollCause;
  readonly watched: AllTargets;
  /** Deadline of the question that a closed connection asks: a process that is there answers it at once. Default: 1000. */
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
  if (cause !== 'closed' && before.process.state !== 'gone') return askAll(due, { before, client, watched }, {});
  const readiness = keeping(
    cause === 'closed' ? await contactAfterClose(client, contactMs) : await client.readiness([]),
    reportOutline,
  );
  const goOn = cause === 'closed' ? isAnotherProcess(before, readiness) : !unreachable.has(readiness.outcome.kind);
  return goOn ? askAll(due, { before, client, watched }, { readiness }) : { asked: { readiness }, faults: [] };
};

/**
 * On a connection that ends with the answer: a proxy that closes what is idle would be asked for ever. Silence is only believed
 * when it comes twice.
 */
const contactAfterClose = async (client: Client, timeoutMs: number): Promise<Answer<HealthReport>> => {
  const limits = { timeoutMs, last: true };
  const first = await client.readiness([], undefined, limits);
  const silent = first.outcome.kind === 'timeout' || first.outcome.kind === 'reset';
  return silent ? client.readiness([], undefined, limits) : first;
};

const isAnotherProcess = (before: TargetState, readiness: Answer<HealthReport>): boolean => {
  const { nodeId, restarts } = before;
  if (readiness.nodeId !== undefined && nodeId !== undefined && readiness.nodeId !== nodeId) return true;
  return followRestarts(restarts, [readiness], readiness, readiness.endedAt).count > restarts.count;
};

const unreachable: ReadonlySet<string> = new Set(['refused', 'reset', 'timeout', 'dns', 'network']);

/** In the order of the table: a source may wait for what those before it asked. `known`: what was asked already. */
const askAll = async (
  due: readonly (readonly [name: string, source: AnySource])[],
  { before, client, watched }: Pick<AskNode, 'client' | 'watched'> & { readonly before: TargetState },
  known: PollAnswers,
): Promise<Polled> => {
  const asked: Record<string, Promise<unknown>> = {};
  const shared: Shared = { upgrades: once(() => client.rpc('info.upgrades', {})) };
  for (const [name, source] of due) {
    const neighbours = () => neighboursOf([name, source], before, watched);
    const question = { client, options: before.options, before: before.sources[name], of: asked, neighbours, shared };
    // Not every source asks in an async function: what it throws must be its answer, too.
    asked[name] = (async () => known[name] ?? source.ask(question))();
  }
  const faults: SourceFault[] = [];
  const answers = Object.entries(asked).map(async ([source, answer]) => {
    try {
      return [[source, await answer]] as const;
    } catch (error) {
      // One target's answers must not end the watch of all others.
      faults.push({ source, error });
      return [];
    }
  });
  // Each was asked by the source of that name, so it has that source's type.
  return { asked: Object.fromEntries((await Promise.all(answers)).flat()), faults };
};

const once = <T>(ask: () => Promise<T>): (() => Promise<T>) => {
  let asked: Promise<T> | undefined;
  return () => {
    asked ??= ask();
    return asked;
  };
};
