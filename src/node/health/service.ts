// The health interface over three workers: the report as the body of a GET, and as the result of a method.

import type { WireCheck, WireReport } from '../../protocol/health.ts';
import { formatInstant, neverText } from '../../protocol/time.ts';
import type { Dialect } from '../dialect.ts';
import { goMap, goMembers, goObject, goString, goStruct, type Json } from '../go-json.ts';
import { type GetHandlers, type GetReply, type Handlers, serviceOf } from '../handlers.ts';
import type { Reply } from '../reply.ts';
import type { MethodReply, RpcService } from '../rpc-server.ts';
import type { CheckRun, Results, Worker } from './worker.ts';

export interface HealthWorkers {
  readonly health: Worker;
  readonly readiness: Worker;
  readonly liveness: Worker;
}

/** Unhealthy is a status of its own here. */
export const healthGets = ({ health, readiness, liveness }: HealthWorkers, utcOffsetMinutes: number): GetHandlers => {
  const reporting =
    (worker: Worker) =>
    (tags: readonly string[]): GetReply<WireReport> => {
      const results = worker.results(tags);
      const json = unencodable(results) === undefined ? reportJson(results, utcOffsetMinutes) : undefined;
      return { status: results.healthy ? 200 : 503, json };
    };
  return {
    health: reporting(health),
    healthHealth: reporting(health),
    readiness: reporting(readiness),
    liveness: reporting(liveness),
  };
};

/** The answer of a GET: the report without an envelope. */
export const getReply = ({ status, json }: GetReply<unknown>): Reply => ({
  status,
  headers: [['Content-Type', 'application/json']],
  // Go has sent the status by the time it finds that it cannot write the body.
  body: json === undefined ? '' : `${json}\n`,
});

/** Unhealthy is HTTP 200 here: the report says it. */
export const healthService = (workers: HealthWorkers, dialect: Dialect, utcOffsetMinutes: number): RpcService<'health'> => {
  const reporting =
    (worker: Worker) =>
    ({ tags }: { readonly tags: readonly string[] }): MethodReply<WireReport> => {
      const results = worker.results(tags);
      const fault = unencodable(results);
      return fault === undefined
        ? { kind: 'raw', json: reportJson(results, utcOffsetMinutes) }
        : { kind: 'unencodable', message: fault };
    };
  const handlers: Handlers<'health'> = {
    'health.health': reporting(workers.health),
    'health.readiness': reporting(workers.readiness),
    'health.liveness': reporting(workers.liveness),
  };
  return serviceOf('health', handlers, dialect);
};

const unencodable = (results: Results): string | undefined =>
  [...results.checks.values()].find((run) => run.unencodable !== undefined)?.unencodable;

const reportJson = ({ checks, healthy }: Results, utcOffsetMinutes: number): Json<WireReport> =>
  goMembers<WireReport>({
    checks: goObject([...checks].map(([name, run]) => [name, runJson(run, utcOffsetMinutes)] as const)),
    healthy: goStruct(healthy),
  });

const runJson = (run: CheckRun, utcOffsetMinutes: number): Json<WireCheck> => {
  const instant = (at: bigint): Json<string> => goString(formatInstant(at, utcOffsetMinutes));
  return goMembers<WireCheck>({
    ...(run.message !== undefined && { message: goMap(run.message) }),
    ...(run.error !== undefined && { error: goString(run.error) }),
    timestamp: run.endedAt === undefined ? goString(neverText) : instant(run.endedAt),
    duration: goStruct(run.durationNanoseconds),
    ...(run.contiguousFailures !== 0 && { contiguousFailures: goStruct(run.contiguousFailures) }),
    ...(run.failedSince !== undefined && { timeOfFirstFailure: instant(run.failedSince) }),
  });
};
