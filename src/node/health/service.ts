// The health interface: the report of a worker as the body of a GET, and as the result of a method.

import type { WireCheck, WireReport } from '../../protocol/health.ts';
import type { GetName, GetWireOf } from '../../protocol/methods.ts';
import { formatInstant, neverText } from '../../protocol/time.ts';
import type { Dialect } from '../dialect.ts';
import { goMap, goMembers, goStruct, type Json } from '../go-json.ts';
import { type Handlers, serviceOf } from '../handlers.ts';
import type { NodeReply } from '../reply.ts';
import type { MethodReply, RpcService } from '../rpc-server.ts';
import type { Health } from './health.ts';
import type { CheckRun, Results } from './worker.ts';

type WorkerName = 'health' | 'readiness' | 'liveness';

interface Report {
  readonly healthy: boolean;
  readonly reply: MethodReply<WireReport>;
}

const reportOf = (health: Health, worker: WorkerName, tags: readonly string[]): Report => {
  const results = health[worker].results(tags);
  const message = [...results.checks.values()].find(({ unencodable }) => unencodable !== undefined)?.unencodable;
  return {
    healthy: results.healthy,
    reply:
      message === undefined
        ? { kind: 'result', json: reportJson(results, health.utcOffsetMinutes) }
        : { kind: 'unencodable', message },
  };
};

/** Worker whose report is served at each GET path. */
const workerAt = { health: 'health', healthHealth: 'health', readiness: 'readiness', liveness: 'liveness' } as const satisfies {
  readonly [G in GetName]: WireReport extends GetWireOf<G> ? WorkerName : never;
};

/** Report without an envelope; unhealthy is status 503. */
export const getReport = (name: GetName, health: Health, tags: readonly string[]): NodeReply => {
  const { healthy, reply } = reportOf(health, workerAt[name], tags);
  return {
    status: healthy ? 200 : 503,
    headers: [['Content-Type', 'application/json']],
    // Go has sent the status before it fails to encode the body.
    body: reply.kind === 'result' ? `${reply.json}\n` : '',
  };
};

/** Unhealthy is HTTP 200 here; only the report shows it. */
export const healthService = (health: Health, dialect: Dialect): RpcService<'health'> => {
  const reporting =
    (worker: WorkerName) =>
    ({ tags }: { readonly tags: readonly string[] }): MethodReply<WireReport> =>
      reportOf(health, worker, tags).reply;
  const handlers: Handlers<'health'> = {
    'health.health': reporting('health'),
    'health.readiness': reporting('readiness'),
    'health.liveness': reporting('liveness'),
  };
  return serviceOf('health', handlers, dialect);
};

const reportJson = ({ checks, healthy }: Results, utcOffsetMinutes: number): Json<WireReport> =>
  goMembers<WireReport>({
    checks: goMap([...checks].map(([name, result]) => [name, goStruct(wireCheck(result, utcOffsetMinutes))])),
    healthy: goStruct(healthy),
  });

/** In the order of the real node's members. */
const wireCheck = (result: CheckRun, utcOffsetMinutes: number): WireCheck => {
  const { message, error, endedAt, durationNanoseconds, contiguousFailures, failedSince } = result;
  return {
    ...(message !== undefined && { message }),
    ...(error !== undefined && { error }),
    timestamp: endedAt === undefined ? neverText : formatInstant(endedAt, utcOffsetMinutes),
    duration: durationNanoseconds,
    ...(contiguousFailures !== 0 && { contiguousFailures }),
    ...(failedSince !== undefined && { timeOfFirstFailure: formatInstant(failedSince, utcOffsetMinutes) }),
  };
};
