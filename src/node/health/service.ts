// The health interface over three workers: the report as the body of a GET, and as the result of a method.

import { formatInstant, neverText } from '../../protocol/time.ts';
import { goMap, goObject, goString } from '../go-json.ts';
import type { Reply } from '../reply.ts';
import { badArguments, type MethodReply, type Params, type RpcService } from '../rpc-server.ts';
import type { CheckRun, Results, Worker } from './worker.ts';

export interface HealthWorkers {
  readonly health: Worker;
  readonly readiness: Worker;
  readonly liveness: Worker;
}

/** The answer of a GET: 200 or 503, and the report without an envelope. */
export const healthReply = (results: Results, utcOffsetMinutes: number): Reply => ({
  status: results.healthy ? 200 : 503,
  headers: [['Content-Type', 'application/json']],
  // Go has sent the status by the time it finds that it cannot write the body.
  body: unencodable(results) === undefined ? `${reportJson(results, utcOffsetMinutes)}\n` : '',
});

/** Unhealthy is HTTP 200 here: the report says it. */
export const healthService = (workers: HealthWorkers, utcOffsetMinutes: number): RpcService => {
  const reporting =
    (worker: Worker) =>
    (params: Params): MethodReply => {
      const tags = tagsOf(params);
      if (tags === undefined) return badArguments;
      const results = worker.results(tags);
      const fault = unencodable(results);
      return fault === undefined
        ? { kind: 'raw', json: reportJson(results, utcOffsetMinutes) }
        : { kind: 'unencodable', message: fault };
    };
  const methods = [
    ['health', reporting(workers.health)],
    ['readiness', reporting(workers.readiness)],
    ['liveness', reporting(workers.liveness)],
  ] as const;
  return { name: 'health', methods: new Map(methods) };
};

const unencodable = (results: Results): string | undefined =>
  [...results.checks.values()].find((run) => run.unencodable !== undefined)?.unencodable;

/** An array of strings; Go reads a null among them as the empty string. Undefined: something else. */
const tagsOf = (params: Params): readonly string[] | undefined => {
  const tags = params.get('tags') ?? [];
  if (!Array.isArray(tags)) return undefined;
  const read = tags.map((tag: unknown) => tag ?? '');
  return read.every((tag) => typeof tag === 'string') ? read : undefined;
};

const reportJson = ({ checks, healthy }: Results, utcOffsetMinutes: number): string => {
  const members = [...checks].map(([name, run]) => [name, runJson(run, utcOffsetMinutes)] as const);
  return `{"checks":${goObject(members)},"healthy":${healthy}}`;
};

const runJson = (run: CheckRun, utcOffsetMinutes: number): string => {
  const instant = (at: bigint): string => goString(formatInstant(at, utcOffsetMinutes));
  const members = [
    ...(run.message === undefined ? [] : [`"message":${goMap(run.message)}`]),
    ...(run.error === undefined ? [] : [`"error":${goString(run.error)}`]),
    `"timestamp":${run.endedAt === undefined ? goString(neverText) : instant(run.endedAt)}`,
    `"duration":${run.durationNanoseconds}`,
    ...(run.contiguousFailures === 0 ? [] : [`"contiguousFailures":${run.contiguousFailures}`]),
    ...(run.failedSince === undefined ? [] : [`"timeOfFirstFailure":${instant(run.failedSince)}`]),
  ];
  return `{${members.join(',')}}`;
};
