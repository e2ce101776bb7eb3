// The health interface over three workers: the report as the body of a GET, and as the result of a method.

import type { WireCheck, WireReport } from '../../protocol/health.ts';
import type { GetName, GetWireOf } from '../../protocol/methods.ts';
import { formatInstant, neverText } from '../../protocol/time.ts';
import type { Dialect } from '../dialect.ts';
import { goMap, goMembers, goStruct, type Json } from '../go-json.ts';
import { type Handlers, serviceOf } from '../handlers.ts';
import type { Reply } from '../reply.ts';
import type { MethodReply, RpcService } from '../rpc-server.ts';
import type { CheckResult, Results, Worker } from './worker.ts';

export interface HealthWorkers {
  readonly health: Worker;
  readonly readiness: Worker;
  readonly liveness: Worker;
}

interface Report<Wire> {
  readonly healthy: boolean;
  readonly reply: MethodReply<Wire>;
}

const reportOf = (worker: Worker, tags: readonly string[], utcOffsetMinutes: number): Report<WireReport> => {
  const results = worker.results(tags);
  const message = [...results.checks.values()].find(({ unencodable }) => unencodable !== undefined)?.unencodable;
  return {
    healthy: results.healthy,
    reply:
      message === undefined ? { kind: 'result', json: reportJson(results, utcOffsetMinutes) } : { kind: 'unencodable', message },
  };
};

/** The report without an envelope, at each path that is asked by GET. Unhealthy is a status of its own here. */
export const getReport = (
  name: GetName,
  { health, readiness, liveness }: HealthWorkers,
  tags: readonly string[],
  utcOffsetMinutes: number,
): Reply => {
  const reporting = (worker: Worker) => (): Report<WireReport> => reportOf(worker, tags, utcOffsetMinutes);
  const reports: { readonly [G in GetName]: () => Report<GetWireOf<G>> } = {
    health: reporting(health),
    healthHealth: reporting(health),
    readiness: reporting(readiness),
    liveness: reporting(liveness),
  };
  const { healthy, reply } = reports[name]();
  return {
    status: healthy ? 200 : 503,
    headers: [['Content-Type', 'application/json']],
    // Go has sent the status by the time it finds that it cannot write the body.
    body: reply.kind === 'result' ? `${reply.json}\n` : '',
  };
};

/** Unhealthy is HTTP 200 here: the report says it. */
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

/** In the order of the node's members. */
const wireCheck = (result: CheckResult, utcOffsetMinutes: number): WireCheck => {
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
