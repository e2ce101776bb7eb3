// One probe: resolves the target, polls it once with a new client, and returns the state at the deadline.

import { type Budget, createBudget } from '../client/budget.ts';
import { createClient } from '../client/client.ts';
import type { Failure } from '../client/outcome.ts';
import { maxOfAddress, type NodeRest } from '../client/rest.ts';
import type { Traced } from '../client/traced.ts';
import type { Target } from '../conditions/condition.ts';
import { judge } from '../conditions/judge.ts';
import { familiesOf } from '../metrics/families.ts';
import type { Family } from '../metrics/family.ts';
import { failAll } from '../poller/apply.ts';
import type { SourceFault } from '../poller/ask.ts';
import { poll } from '../poller/poll.ts';
import { type KeptTrace, keptTrace } from '../report/debugged.ts';
import { sources } from '../sources/sources.ts';
import { newTarget, type TargetState } from '../sources/target-state.ts';
import { refusalOfAddresses } from './allowed.ts';
import { hostOf, type ProbeQuery, type ProbeRefusal, probeRefusal } from './query.ts';
import { pinned, type Resolve, resolved } from './resolve.ts';
import type { ProbeSlot } from './slots.ts';

export interface ProbeResult {
  readonly kind: 'ok';
  readonly target: Target;
  /** Every request succeeded. */
  readonly success: boolean;
  readonly seconds: number;
  /** Only gauges of the target: counters and histograms need more than one poll. */
  readonly families: readonly Family[];
  /** The requests of the probe; empty without debug=true. */
  readonly traced: readonly KeptTrace[];
}

export interface ProbeDependencies {
  readonly resolve: Resolve;
  readonly userAgent: string;
  /** The limits of responses and requests of the whole process. */
  readonly budget?: Budget;
  /** Seconds, steady clock. */
  readonly now: () => number;
  /** Wall clock − steady clock, seconds. */
  readonly wallOffset: () => number;
  readonly onFault: (target: string, fault: SourceFault) => void;
}

/** Coordination with other probes. */
interface Coordination {
  /** Acquires a slot if its responses are large. */
  readonly take: (evict: () => void) => ProbeSlot;
  /** Resolves when the probe may block the event loop for some milliseconds. */
  readonly itsTurn: () => Promise<void>;
  /** The pauses after costly failures, shared by all probes of the node with these addresses. */
  readonly restAt: (addresses: readonly string[]) => NodeRest;
}

/** Ends shortly after the signal. */
export const probe = async (
  asked: ProbeQuery,
  dependencies: ProbeDependencies,
  { take, itsTurn, restAt }: Coordination,
  signal: AbortSignal,
): Promise<ProbeResult | ProbeRefusal> => {
  const { target: name, url, place, module, list, permits, deadlineMs } = asked;
  const { resolve, userAgent, budget = createBudget(0), now, wallOffset, onFault } = dependencies;
  const startedAt = now();
  // With the final dot of the target, if it has one: the resolver does not append search domains then.
  const found = await resolved(hostOf(url), resolve, signal);
  const permitted = found.kind === 'ok' ? { ...found, addresses: found.addresses.filter(permits) } : found;
  if (found.kind === 'ok' && permitted.kind === 'ok' && permitted.addresses.length === 0)
    return probeRefusal(403, refusalOfAddresses(list, place, found.addresses));
  const rest = restAt(permitted.kind === 'ok' ? permitted.addresses : []);
  const crowded = rest.crowded();
  if (crowded !== undefined) return probeRefusal(503, crowdedText(crowded));

  const traced: KeptTrace[] = [];
  const tracing = asked.debug && { onTraced: (one: Traced) => traced.push(keptTrace(one)) };
  const settings = { ...module.target.client, baseUrl: url, userAgent, lookup: pinned(permitted) };
  const slot = take(() => client.endWith({ kind: 'timeout', afterMs: Math.round((now() - startedAt) * 1000), cause: 'slow' }));
  const client = createClient(settings, now, { budget: slot.budget(budget), rest, ...tracing });
  const late: Failure = { kind: 'timeout', afterMs: deadlineMs };
  const end = (): void => client.endWith(late);
  if (signal.aborted) end();
  else signal.addEventListener('abort', end, { once: true });
  const before = newTarget({ ...module.target.options, name, url, source: 'probe' });
  const conditions = judge(undefined, before, startedAt);
  const { state, faults } = await poll({ table: sources, state: () => before, client, now });
  client.close();
  for (const fault of faults) onFault(name, fault);
  if (state.lastPoll?.answered === true) rest.answered();

  const endedAt = now();
  const known = (state: TargetState): ProbeResult => {
    const target = { state, conditions: judge(conditions, state, endedAt) };
    const families = familiesOf(sources, target, endedAt, wallOffset()).filter(({ definition }) => definition.type === 'gauge');
    const { answered = false, failures = [] } = state.lastPoll ?? {};
    const success = answered && failures.length === 0;
    return { kind: 'ok', target, success, seconds: Math.max(0, endedAt - startedAt), families, traced };
  };
  // If many probes end together, only one is evaluated per iteration of the event loop.
  await itsTurn();
  try {
    return known(state);
  } catch (error) {
    // A bug with one target's responses must not end the process.
    const fault = { source: 'target', error };
    onFault(name, fault);
    return known(failAll(sources, before, fault, endedAt));
  } finally {
    // Only now everything that it has read can be freed.
    slot.leave();
  }
};

const crowdedText = (address: string): string =>
  `${maxOfAddress} other targets at ${address} have just failed in the TLS handshake, so a new one there is not probed: try again`;
