// The table of routes: path -> reply. hono matches the path. A reply is plain bytes and headers, so that a scrape is cheap.

import { RegExpRouter } from 'hono/router/reg-exp-router';
import { sources as everySource } from '../sources/sources.ts';
import { configurationFault } from './configuration.ts';
import type { Request, ServerInputs } from './inputs.ts';
import { maintenanceAnswer, maintenanceMethods } from './maintenance.ts';
import { createMetricsRoutes } from './metrics-route.ts';
import { nodeProbe } from './node-probes.ts';
import { createPageRoutes, read, type Subject } from './page-route.ts';
import { type ExporterPart, livenessParts, probeReply, readinessParts, type Vitals } from './probes.ts';
import { createReplies, relevant } from './replies.ts';
import { jsonReply, notAllowed, plainText, type Reply, readMethods } from './reply.ts';
import { answerRestart, createRestartAnswers } from './safe-to-restart.ts';
import { scrapeGroups, shardGroups } from './service-discovery.ts';
import { elsewhere, type FleetShards, shardView } from './shards.ts';
import { type SubjectSource, subjectSource } from './subject.ts';
import { transitionsReply } from './transitions.ts';

/** `events`: the stream of server-sent events, which has no end and so no ready-made bytes. */
export type RouteReply = Reply | Promise<Reply> | 'events';

type Route = (request: Request, query: string) => RouteReply;

/** A route with cached replies. */
interface Cached {
  readonly path: string;
  /** Names of the query parameters that the reply depends on. Absent: all parameters. */
  readonly reads?: readonly string[];
  /** What else the reply depends on. */
  readonly also?: (request: Request) => string;
  readonly make: (params: URLSearchParams, subject: Subject, request: Request) => Reply | Promise<Reply>;
}

const maintenancePath = '/api/v1/maintenance';
const methodsOf = (path: string): readonly string[] => (path === maintenancePath ? maintenanceMethods : readMethods);

const noAddress = (external: string | undefined): string =>
  external?.includes('{shard}') === true
    ? 'listen.externalAddress has {shard}, and this process is not a shard: start it with --shard'
    : 'the Host header is not an address: set listen.externalAddress';

/** The Host header may be that of a Service for all shards. */
const isUnaddressed = ({ statefulSet, total = 0, shard, addressOf }: FleetShards): boolean =>
  statefulSet !== undefined && total > 1 && addressOf(shard) === undefined;
const unaddressed = 'the StatefulSet has no serviceName: set it, or listen.externalAddress';

const unsure = 'not all shards are ready: unknown which shard watches which target';

const routesOf = (inputs: ServerInputs, { subject, madeOf }: SubjectSource): Readonly<Record<string, Route>> => {
  const { state, eventHistory, maintenance, lastTick, now, shards, table = everySource } = inputs;
  const transitions = inputs.transitions ?? ((target: string) => eventHistory?.records(target) ?? []);
  const pages = createPageRoutes(table, { transitions, heldFrom: (target) => eventHistory?.heldFrom(target) });
  const restartAnswers = createRestartAnswers();
  const replies = createReplies(inputs.replies);
  const cached =
    ({ path, reads, make, also = () => '' }: Cached): Route =>
    (request, query) => {
      const params = reads === undefined ? new URLSearchParams(query) : relevant(query, reads);
      const key = `${path}?${params} ${also(request)}`;
      return replies({ key, madeOf, make: () => make(params, subject(), request) }, request.acceptEncoding);
    };
  const probe =
    (name: string, parts: (vitals: Vitals, at: number) => readonly ExporterPart[]): Route =>
    (_, query) => {
      const { stopping, configuration } = state();
      const vitals = {
        lastTick: lastTick(),
        stopping,
        configurationFault: configuration && (configurationFault(configuration) ?? null),
        waitsFor: shards && (shards().waitsFor ?? null),
        lists: shards ? undefined : inputs.lists?.(),
        stateDir: inputs.stateDir?.(),
        watched: inputs.watched?.(),
      };
      return probeReply(name, parts(vitals, now()), new URLSearchParams(query).has('verbose'));
    };

  const sd = cached({
    path: '/api/v1/sd',
    reads: [],
    also: ({ sender }) => sender.headers.host ?? '',
    make: (_, { targets, own }, { sender }) => {
      const { externalAddress: address, isSecure = false } = inputs;
      const origin = { host: sender.headers.host, isSecure };
      if (own.shards !== undefined && isUnaddressed(own.shards)) return plainText(400, `${unaddressed}\n`);
      const groups = own.shards === undefined ? scrapeGroups(targets, { ...origin, address }) : shardGroups(own.shards, origin);
      return groups === undefined ? plainText(400, `${noAddress(address)}\n`) : jsonReply(200, groups);
    },
  });

  return {
    '/': cached({ path: '/', reads: read.page, make: pages.page }),
    '/api/v1/fleet': cached({ path: '/api/v1/fleet', make: pages.fleet }),
    '/api/v1/events': () => 'events',
    // Prometheus would replace its targets by an incomplete list, but keeps them if the request fails.
    '/api/v1/sd': (request, query) => {
      const { waitsFor = inputs.lists?.() ?? undefined, isUnsure = false } = shards?.() ?? {};
      const fault = waitsFor ?? (isUnsure ? unsure : undefined);
      return fault === undefined ? sd(request, query) : plainText(503, `${fault}\n`);
    },
    ...(shards && {
      '/api/v1/shards': cached({ path: '/api/v1/shards', reads: [], make: () => jsonReply(200, shardView(shards())) }),
    }),
    ...(inputs.probe && { '/probe': inputs.probe }),
    '/livez': probe('livez', livenessParts),
    '/readyz': probe('readyz', readinessParts),
    '/api/v1/status': cached({ path: '/api/v1/status', reads: read.status, make: pages.status }),
    '/api/v1/safe-to-restart': cached({
      path: '/api/v1/safe-to-restart',
      make: (params, given) => answerRestart(restartAnswers, params, given),
    }),
    ...(eventHistory !== undefined && {
      '/api/v1/history': cached({
        path: '/api/v1/history',
        make: (params, { targets, own }) =>
          transitionsReply(eventHistory, [...targets.keys()], params, (name) => elsewhere(own.shards, name)),
      }),
    }),
    ...(maintenance !== undefined && {
      [maintenancePath]: ({ method, sender }: Request, query: string) =>
        maintenanceAnswer(maintenance, { method, query, sender, targets: state().targets, shards: shards?.() }),
    }),
  };
};

/** `probes`: only the paths that a kubelet probes. */
export type Paths = 'all' | 'probes';

const probePaths: ReadonlySet<string> = new Set(['/livez', '/readyz']);
const nodePaths =
  '/self/startupz, /self/readyz, /self/readyz/TAGSET and /self/livez, and the same under /targets/NAME for each target';

/**
 * Names of targets may contain brackets of IPv6 addresses, which Prometheus and the kubelet escape, and colons, which other clients escape.
 */
const unescaped = (path: string): string => path.replace(/%(?:3A|5B|5D)/gi, (one) => decodeURIComponent(one));

const ofNode = ({ state, now, probed, removedProbed, shards }: ServerInputs, path: string): Route | undefined => {
  const reply = nodeProbe(path, { ...state(), elsewhere: (name) => elsewhere(shards?.(), name) }, now());
  if (reply === undefined) return undefined;
  return () => {
    if (reply.target !== undefined) probed?.(reply.target);
    if (reply.removed !== undefined) removedProbed?.(reply.removed);
    return plainText(reply.status, reply.body);
  };
};

/** Replies to GET and HEAD are the same: node:http does not send the body for HEAD. */
export const createRoutes = (inputs: ServerInputs, paths: Paths = 'all'): ((request: Request) => RouteReply) => {
  // The only one of hono's routers that distinguishes /metrics and /metrics/.
  const router = new RegExpRouter<Route>();
  const subjects = subjectSource(inputs);
  const metrics = createMetricsRoutes(inputs, subjects.madeOf);
  const all = Object.entries({ ...routesOf(inputs, subjects), '/metrics': metrics.page });
  const own = all.filter(([path]) => paths === 'all' || probePaths.has(path));
  for (const [path, route] of own) router.add('ALL', path, route);
  const parts = paths === 'all' ? ['/exporter/metrics', '/targets/NAME/metrics'] : [];
  const named = [...own.map(([path]) => path), ...parts].sort();
  const notFound = `not found, available paths: ${named.join(', ')}, ${nodePaths}\n`;
  return (request) => {
    const [rawPath = '', ...queries] = request.target.split('?');
    const [path, query] = [unescaped(rawPath), queries.join('?')];
    const part = paths === 'all' ? metrics.part(path) : undefined;
    const route = router.match('GET', path)[0][0]?.[0] ?? part ?? ofNode(inputs, path);
    if (route === undefined) return plainText(404, notFound);
    const methods = methodsOf(path);
    return methods.includes(request.method) ? route(request, query) : notAllowed(methods);
  };
};
