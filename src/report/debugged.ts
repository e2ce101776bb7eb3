// The trace of a poll (`snowgauge debug`, /probe with debug=true) as JSON; debug-text.ts formats it as text. docs/commands.md describes
// each member, and a test checks that.

import { describe } from '../client/outcome.ts';
import type { ConnectionTrace } from '../client/trace.ts';
import type { Traced, Understood } from '../client/traced.ts';
import { networkNameOf } from '../protocol/info.ts';
import { newestRun } from '../snapshot/health-run.ts';
import { lastValue } from '../snapshot/observed.ts';
import { failingChecks } from '../sources/health/worst-first.ts';
import { lastOf } from '../sources/indexes/head.ts';
import type { TargetState } from '../sources/target-state.ts';
import { isoOf, rounded } from '../text.ts';

export type Debugged = ReturnType<typeof debuggedOf>;
export type DebuggedRequest = ReturnType<typeof requestOf>;
export type DebuggedConnection = ReturnType<typeof connectionOf>;

/**
 * Requests are in the order in which they were sent; requests that were never sent come last. Durations are in seconds. JSON omits members
 * that are undefined.
 */
export const debuggedOf = (url: string, state: TargetState, traced: readonly KeptTrace[]) => {
  const requests = [...traced].sort((a, b) => (a.order || Number.MAX_VALUE) - (b.order || Number.MAX_VALUE));
  const report = lastValue(state.sources.health.reports.get(state.options.tagSets.at(-1)?.name ?? ''));
  const run = report === undefined ? undefined : newestRun(report);
  const { nodeId, interval, options } = state;
  return {
    source: url,
    nodeId,
    tags: options.tagSets.at(-1)?.tags ?? [],
    connections: connectionsOf(requests).map(connectionOf),
    requests: requests.map(({ request }) => request),
    checkInterval: {
      inferredSeconds: interval.inferred === undefined ? undefined : rounded(interval.inferred),
      configuredSeconds: options.healthCheckFrequency,
    },
    lastRun: run && { endedAt: isoOf(run.end), seconds: secondsOf((run.end - run.start) * 1000) },
    indexes: indexesOf(state),
  };
};

/** The part of a request that is kept until the poll ends. With many polls at once, the complete responses would need too much memory. */
export const keptTrace = (traced: Traced) => ({ order: traced.order, trace: traced.trace, request: requestOf(traced) });

export type KeptTrace = ReturnType<typeof keptTrace>;

/** Seconds, rounded to microseconds. */
const secondsOf = (ms: number): number => Math.round(ms * 1000) / 1e6;

/** The duration of a step in seconds. `endedMs` and `begunMs`: milliseconds since the first step began. */
const stepOf = (endedMs: number | undefined, begunMs = 0): number | undefined =>
  endedMs === undefined ? undefined : secondsOf(endedMs - begunMs);

/** Each connection once, in its last state. */
const connectionsOf = (requests: readonly KeptTrace[]): readonly ConnectionTrace[] => {
  const known = new Map(
    requests.flatMap(({ trace }) => (trace?.connection === undefined ? [] : [[trace.connection.id, trace.connection]])),
  );
  return [...known.values()].sort((a, b) => a.id - b.id);
};

const connectionOf = ({ id, host, addresses, resolvedMs, peer, connectedMs, securedMs, tls, error }: ConnectionTrace) => ({
  id,
  host,
  addresses,
  resolvedSeconds: stepOf(resolvedMs),
  peer,
  connectedSeconds: stepOf(connectedMs, resolvedMs),
  tlsSeconds: stepOf(securedMs, connectedMs),
  tls,
  error,
});

const requestOf = ({ method, path, rpc, status, bytes, trace, outcome }: Traced) => ({
  method,
  path,
  rpc,
  connection: trace?.connection?.id,
  reused: trace?.connection && trace.reused,
  status,
  bytes,
  contentType: trace?.contentType,
  firstByteSeconds: stepOf(trace?.headMs),
  seconds: stepOf(trace?.endedMs),
  outcome: outcome.kind,
  parsed: outcome.kind === 'ok' ? parsed(outcome.value) : undefined,
  message: outcome.kind === 'ok' ? undefined : describe(outcome),
});

const maxNames = 20;

/** What a response says. The number of a container is text, because a JavaScript number cannot hold every uint64. */
export type Meaning =
  | { readonly healthy: boolean; readonly checks: number; readonly failing: readonly string[]; readonly failingCount: number }
  | { readonly isAccepted: boolean }
  | { readonly nodeId: string }
  | { readonly version: string }
  | { readonly network: string }
  | { readonly peers: number }
  | { readonly validators: number }
  | { readonly uptimeRatio: number }
  | { readonly upgrades: readonly string[] }
  | { readonly index: string; readonly id?: string; readonly timestamp?: string }
  | { readonly containers: number };

const parsed = (value: Understood): Meaning | undefined => {
  if ('checks' in value) {
    const failing = failingChecks(value).map(({ check }) => check);
    const { healthy, checks } = value;
    return { healthy, checks: checks.size, failing: failing.slice(0, maxNames), failingCount: failing.length };
  }
  if ('isAccepted' in value) return { isAccepted: value.isAccepted };
  if ('nodeID' in value) return { nodeId: value.nodeID };
  if ('networkID' in value) return { network: networkNameOf(value.networkID) };
  if ('peers' in value) return { peers: value.peers.length };
  if ('validators' in value) return { validators: value.validators.length };
  if ('version' in value) return { version: value.version };
  if ('weightedAveragePercentage' in value) return { uptimeRatio: rounded(value.weightedAveragePercentage / 100) };
  if (value instanceof Map) return { upgrades: [...value.keys()].slice(0, maxNames) };
  if ('id' in value) return { index: `${value.index}`, id: value.id, timestamp: value.timestamp };
  if ('index' in value) return { index: `${value.index}` };
  return Array.isArray(value) ? { containers: value.length } : undefined;
};

const indexesOf = ({ sources: { indexes } }: TargetState) =>
  Array.from(indexes.watched, ([name, index]) => {
    const head = lastValue(index.head);
    const last = head && lastOf(head);
    return {
      name,
      state: head?.state ?? 'unknown',
      lastAcceptedIndex: last && `${last.index}`,
      lastAcceptedId: last?.id,
      lastAcceptedAt: last?.timestamp,
    };
  });
