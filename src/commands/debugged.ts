// What `snowgauge debug` has to tell, as JSON has it; the text says the same. docs/commands.md describes it, and a test holds it.

import { describe } from '../client/outcome.ts';
import type { Traced, Understood } from '../client/traced.ts';
import type { ConnectionTrace } from '../client/way.ts';
import { newestRun } from '../snapshot/health-run.ts';
import { lastValue } from '../snapshot/observed.ts';
import { failingChecks } from '../sources/health/worst-first.ts';
import { lastOf } from '../sources/indexes/head.ts';
import type { TargetState } from '../sources/target-state.ts';
import { isoOf, rounded } from '../text.ts';
import { reportOf } from './observe-node.ts';

export type Debugged = ReturnType<typeof debuggedOf>;
export type DebuggedRequest = ReturnType<typeof requestOf>;
export type DebuggedConnection = ReturnType<typeof connectionOf>;

/** `requests`: in the order in which they were sent. Durations in seconds. */
export const debuggedOf = (url: string, state: TargetState, requests: readonly Traced[]) => {
  const report = reportOf(state);
  const run = report === undefined ? undefined : newestRun(report);
  const { nodeId, interval, options } = state;
  return {
    source: url,
    ...(nodeId !== undefined && { nodeId }),
    tags: options.tagSets.at(-1)?.tags ?? [],
    connections: connectionsOf(requests).map(connectionOf),
    requests: requests.map(requestOf),
    checkInterval: {
      ...(interval.inferred !== undefined && { inferredSeconds: rounded(interval.inferred) }),
      configuredSeconds: options.healthCheckFrequency,
    },
    ...(run !== undefined && { lastRun: { endedAt: isoOf(run.end), seconds: millionths(run.end - run.start) } }),
    indexes: indexesOf(state),
  };
};

const millionths = (seconds: number): number => Math.round(seconds * 1e6) / 1e6;
const secondsOf = (ms: number): number => millionths(ms / 1000);

/** Each once, as its last request left it. */
const connectionsOf = (requests: readonly Traced[]): readonly ConnectionTrace[] => {
  const known = new Map(
    requests.flatMap(({ way }) => (way?.connection === undefined ? [] : [[way.connection.id, way.connection]])),
  );
  return [...known.values()].sort((a, b) => a.id - b.id);
};

const connectionOf = ({ id, host, addresses, resolvedMs, peer, connectedMs, securedMs, tls, error }: ConnectionTrace) => ({
  id,
  host,
  addresses,
  ...(resolvedMs !== undefined && { resolvedSeconds: secondsOf(resolvedMs) }),
  ...(peer !== undefined && { peer }),
  // Since it was begun: of each step its own share is shown.
  ...(connectedMs !== undefined && { connectedSeconds: secondsOf(connectedMs - (resolvedMs ?? 0)) }),
  ...(securedMs !== undefined && { tlsSeconds: secondsOf(securedMs - (connectedMs ?? 0)) }),
  ...(tls !== undefined && { tls }),
  ...(error !== undefined && { error }),
});

const requestOf = ({ method, path, rpc, status, bytes, way, outcome }: Traced) => ({
  method,
  path,
  ...(rpc !== undefined && { rpc }),
  ...(way?.connection !== undefined && { connection: way.connection.id, reused: way.reused }),
  ...(status !== undefined && { status }),
  ...(bytes !== undefined && { bytes }),
  ...(way?.contentType !== undefined && { contentType: way.contentType }),
  ...(way?.headMs !== undefined && { firstByteSeconds: secondsOf(way.headMs) }),
  ...(way !== undefined && { seconds: secondsOf(way.endedMs) }),
  outcome: outcome.kind,
  ...(outcome.kind === 'ok' && { understood: understood(outcome.value) }),
  ...(outcome.kind !== 'ok' && { message: describe(outcome) }),
});

/** Most names of checks of one answer. */
const maxNames = 20;

/** Numbers of an index are text: a uint64 does not fit. */
export type Meaning =
  | { readonly healthy: boolean; readonly checks: number; readonly failing: readonly string[]; readonly failingCount: number }
  | { readonly isAccepted: boolean }
  | { readonly index: string; readonly id?: string; readonly timestamp?: string }
  | { readonly containers: number };

const understood = (value: Understood): Meaning => {
  if ('checks' in value) {
    const failing = failingChecks(value).map(({ check }) => check);
    return {
      healthy: value.healthy,
      checks: value.checks.size,
      failing: failing.slice(0, maxNames),
      failingCount: failing.length,
    };
  }
  if ('isAccepted' in value) return { isAccepted: value.isAccepted };
  if ('id' in value) return { index: `${value.index}`, id: value.id, timestamp: value.timestamp };
  return 'index' in value ? { index: `${value.index}` } : { containers: value.length };
};

const indexesOf = ({ sources: { indexes } }: TargetState) =>
  Array.from(indexes.watched, ([name, index]) => {
    const head = lastValue(index.head);
    const last = head === undefined ? undefined : lastOf(head);
    return {
      name,
      state: head?.state ?? 'unknown',
      ...(last !== undefined && { lastAcceptedIndex: `${last.index}`, lastAcceptedId: last.id, lastAcceptedAt: last.timestamp }),
    };
  });
