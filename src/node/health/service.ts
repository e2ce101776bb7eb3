// The health interface of three workers: the report as the body of a GET, and as the result of a method.

import type { WireCheck, WireReport } from '../../protocol/health.ts';
import type { GetName, GetWireOf } from '../../protocol/methods.ts';
import { formatInstant, neverText } from '../../protocol/time.ts';
import type { Dialect } from '../dialect.ts';
import { goMap, goMembers, goStruct, type Json } from '../go-json.ts';
import { type Handlers, serviceOf } from '../handlers.ts';
import type { NodeReply } from '../reply.ts';
import type { MethodReply, RpcService } from '../rpc-server.ts';
import type { CheckRun, Results, Worker } from './worker.ts';

export interface HealthWorkers {
  readonly health: Worker;
  readonly readiness: Worker;
  readonly liveness: Worker;
}

interface Report {
  readonly healthy: boolean;
  readonly reply: MethodReply<WireReport>;
}

const reportOf = (worker: Worker, tags: readonly string[], utcOffsetMinutes: number): Report => {
  const results = worker.results(tags);
  const message = [...results.checks.values()].find(({ unencodable }) => unencodable !== undefined)?.unencodable;
  return {
    healthy: results.healthy,
    reply:
      message === undefined ? { kind: 'result', json: reportJson(results, utcOffsetMinutes) } : { kind: 'unencodable', message },
  };
};

/** Worker whose report is served at each GET path. */
const workerAt = { health: 'health', healthHealth: 'health', readiness: 'readiness', liveness: 'liveness' } as const satisfies {
  readonly [G in GetName]: WireReport extends GetWireOf<G> ? keyof HealthWorkers : never;
};

/** Report without an envelope; unhealthy is status 503. */
export const getReport = (
  name: GetName,
  workers: HealthWorkers,
  tags: readonly string[],
  utcOffsetMinutes: number,
): NodeReply => {
  const { healthy, reply } = reportOf(workers[workerAt[name]], tags, utcOffsetMinutes);
  return {
    status: healthy ? 200 : 503,
    headers: [['Content-Type', 'application/json']],
    // Go has sent the status before it fails to encode the body.
    body: reply.kind === 'result' ? `${reply.json}\n` : '',
  };
};

/** Unhealthy is HTTP 200 here; only the report shows it. */
export const healthService = (workers: HealthWorkers, dialect: Dialect, utcOffsetMinutes: number): RpcService<'health'> => {
  const reporting =
    (worker: Worker) =>
    ({ tags }: { readonly tags: readonly string[] }): MethodReply<WireReport> =>
      reportOf(worker, tags, utcOffsetMinutes).reply;
  const handlers: Handlers<'health'> = {
    'health.health': reporting(workers.health),
    'health.readiness': reporting(workers.readiness),
    'health.liveness': reporting(workers.liveness),
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
