// A node with given reports over a real socket, and the exporter beside it, polled step by step.

import { createClient } from '../../src/client/client.ts';
import type { Target } from '../../src/conditions/condition.ts';
import { judge } from '../../src/conditions/judge.ts';
import { poll } from '../../src/poller/poll.ts';
import type { TargetOptions } from '../../src/snapshot/options.ts';
import { tagsToAsk } from '../../src/sources/health/tags.ts';
import { sources } from '../../src/sources/sources.ts';
import { newTarget } from '../../src/sources/target-state.ts';
import { type Served, serveHttp } from './serve.ts';

/** JSON as written by the node. */
export interface Report {
  readonly healthy: boolean;
  readonly checks: Readonly<Record<string, unknown>>;
}

export interface NodeSays {
  /** By requested tag; '' is the untagged request. An unknown tag returns the checks without a tag. */
  readonly health: Readonly<Record<string, Report>>;
  /** The report for an unknown tag. */
  readonly common: Report;
  /** Absent: 404. */
  readonly readiness?: Report;
}

export const serveReports = ({ health, common, readiness }: NodeSays): Promise<Served> =>
  serveHttp((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://node');
    const report = pathname === '/ext/health' ? (health[searchParams.get('tag') ?? ''] ?? common) : readiness;
    if (pathname === '/ext/health/liveness') response.end('{"healthy":true,"checks":{}}');
    else if (report === undefined) response.writeHead(404).end('404 page not found');
    else response.writeHead(report.healthy ? 200 : 503).end(JSON.stringify(report));
  });

/** Polls until every tag is known, and evaluates the conditions after each poll. */
export const exporterBeside = async (options: TargetOptions, now: () => number): Promise<Target> => {
  const client = createClient({ baseUrl: options.url, timeoutMs: 60_000, maxBodyBytes: 2 ** 20, userAgent: 'test' }, now);
  const state = newTarget(options);
  let target: Target = { state, conditions: judge(undefined, state, now()) };
  for (let polls = 0; polls < 3 && (polls === 0 || tagsToAsk(target.state.sources.health.tags).length > 0); polls += 1) {
    const before = target.state;
    const { state: after } = await poll({ table: sources, state: () => before, client, now });
    target = { state: after, conditions: judge(target.conditions, after, now()) };
  }
  client.close();
  return target;
};
