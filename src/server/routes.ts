// The table: path -> reply. hono matches; a reply is plain bytes and headers, so that a scrape costs what its bytes cost.

import { RegExpRouter } from 'hono/router/reg-exp-router';
import type { EventHistoryReader } from '../events/event-history.ts';
import type { StateDirTally } from '../metrics/state-dir-families.ts';
import { sources as everySource, type Sources } from '../sources/sources.ts';
import type { WatchdogState } from '../watchdog/watchdog.ts';
import { configurationFault } from './configuration.ts';
import { type MaintenanceInputs, maintenanceAnswer, maintenanceMethods } from './maintenance.ts';
import { createMetricsRoutes } from './metrics-route.ts';
import { nodeProbe } from './node-probes.ts';
import { createPageRoutes, read, type Subject } from './page-route.ts';
import { type ExporterPart, livenessParts, probeReply, readinessParts, type Vitals } from './probes.ts';
import type { RemovedProbe } from './removed-probes.ts';
import { createReplies, type RepliesOptions, relevant } from './replies.ts';
import { jsonReply, type MetricsReply, plainText, type Reply } from './reply.ts';
import { answerRestart, createRestartAnswers } from './safe-to-restart.ts';
import type { Sender } from './sender.ts';
import { scrapeGroups, shardGroups } from './service-discovery.ts';
import { elsewhere, type FleetShards, shardView } from './shards.ts';
import type { Happening } from './strip.ts';
import { type State, type SubjectSource, subjectSource } from './subject.ts';
import { transitionsReply } from './transitions.ts';

export type { MetricsReply, Reply } from './reply.ts';
export type { State } from './subject.ts';

/** What the routes answer from. */
export interface ServerInputs {
  readonly state: () => State;
  /** The sources of the targets' states: those of the exporter where it is not said. */
  readonly table?: Sources;
  /** Without it there is nothing that happened, and no path to ask for it. */
  readonly eventHistory?: EventHistoryReader;
  /** Without it there is no path to ask for maintenance windows. */
  readonly maintenance?: MaintenanceInputs;
  /** What happened to a target, oldest first, by the wall clock; else the event history of it. */
  readonly happenings?: (target: string) => readonly Happening[];
  /** A probe asked for the conditions of this target. */
  readonly probed?: (target: string) => void;
  /** A probe asked for what a reload took away. */
  readonly removedProbed?: (probe: RemovedProbe) => void;
  /** When the scheduler last ticked; steady clock. */
  readonly lastTick: () => number;
  readonly metrics: MetricsReply;
  /** Without it there is no path to probe a target that is not configured. */
  readonly probe?: (request: Request, query: string) => Promise<Reply>;
  /** Host and port at which Prometheus reaches this process; where it is not said, as it asks. */
  readonly externalAddress?: string | undefined;
  /** The listener speaks TLS. */
  readonly isSecure?: boolean;
  /** Without it this process watches all targets, and there is no path to ask who watches what. */
  readonly shards?: () => FleetShards;
  /** Which first lists of discovery are missing; null once none is waited for, undefined where nothing is discovered. */
  readonly lists?: () => string | null | undefined;
  /** How the folder fares in which is kept what is known; absent where there is none. */
  readonly stateDir?: () => StateDirTally;
  /** Whether this process keeps up. */
  readonly watched?: () => WatchdogState;
  /** How replies are kept, where not as usual. */
  readonly replies?: RepliesOptions;
  /** Steady clock, seconds. */
  readonly now: () => number;
  readonly version: string;
}

export interface Request {
  readonly method: string;
  /** As on its first line: path and query. */
  readonly target: string;
  /** The address that limits count: behind a trusted proxy not that of the connection. */
  readonly client: string;
  readonly accept: string | undefined;
  readonly acceptEncoding: string | undefined;
  readonly sender: Sender;
}

/** `events`: the stream of server-sent events, which is no finished bytes. */
export type RouteReply = Reply | Promise<Reply> | 'events';

type Route = (request: Request, query: string) => RouteReply;

interface Kept {
  readonly path: string;
  readonly reads?: readonly string[];
  readonly also?: (request: Request) => string;
  readonly make: (params: URLSearchParams, subject: Subject, request: Request) => Reply | Promise<Reply>;
}

const maintenancePath = '/api/v1/maintenance';
const methodsOf = (path: string): readonly string[] => (path === maintenancePath ? maintenanceMethods : ['GET', 'HEAD']);

const noAddress = (external: string | undefined): string =>
  external?.includes('{shard}') === true
    ? 'listen.externalAddress has {shard}, and this process is not a shard: start it with --shard'
    : 'the Host header is not an address: set listen.externalAddress';

const unsure = 'another shard is not ready: unknown which shard watches its targets';

const routesOf = (inputs: ServerInputs, { subject, madeOf }: SubjectSource): Readonly<Record<string, Route>> => {
  const { state, eventHistory, maintenance, lastTick, now, shards, table = everySource } = inputs;
  const happenings = inputs.happenings ?? ((target: string) => eventHistory?.records(target) ?? []);
  const pages = createPageRoutes(table, { happenings, heldFrom: (target) => eventHistory?.heldFrom(target) });
  const restartAnswers = createRestartAnswers();
  const replies = createReplies(inputs.replies);
  /** `reads`: names of parameters; where none are given, all of the query. `also`: what else makes it another reply. */
  const kept =
    ({ path, reads, make, also = () => '' }: Kept): Route =>
    (request, query) => {
      const params = reads === undefined ? new URLSearchParams(query) : relevant(query, reads);
      const key = `${path}?${params} ${also(request)}`;
      return replies({ key, madeOf, make: () => make(params, subject(), request) }, request.acceptEncoding);
    };
  const probe =
    (name: string, parts: (vitals: Vitals, at: number) => readonly ExporterPart[]): Route =>
    (_, query) => {
      const { stopping, configuration } = state();
      const fault = configuration === undefined ? undefined : (configurationFault(configuration) ?? null);
      const lists = inputs.lists?.();
      const waits = shards ? { waitsFor: shards().waitsFor ?? null } : lists !== undefined && { lists };
      const vitals = {
        lastTick: lastTick(),
        stopping,
        ...(fault !== undefined && { configurationFault: fault }),
        ...waits,
        ...(inputs.stateDir && { stateDir: inputs.stateDir() }),
        ...(inputs.watched && { watched: inputs.watched() }),
      };
      return probeReply(name, parts(vitals, now()), new URLSearchParams(query).has('verbose'));
    };

  const sd = kept({
    path: '/api/v1/sd',
    reads: [],
    also: ({ sender }) => sender.headers.host ?? '',
    make: (_, { targets, own }, { sender }) => {
      const { externalAddress: address, isSecure = false } = inputs;
      const asked = { host: sender.headers.host, isSecure };
      const groups = own.shards === undefined ? scrapeGroups(targets, { ...asked, address }) : shardGroups(own.shards, asked);
      return groups === undefined ? plainText(400, `${noAddress(address)}\n`) : jsonReply(200, groups);
    },
  });

  return {
    '/': kept({ path: '/', reads: read.page, make: pages.page }),
    '/api/v1/fleet': kept({ path: '/api/v1/fleet', make: pages.fleet }),
    '/api/v1/events': () => 'events',
    // Prometheus replaces its list by any that it is given, and keeps it when it gets none.
    '/api/v1/sd': (request, query) => {
      const { waitsFor = inputs.lists?.() ?? undefined, isUnsure = false } = shards?.() ?? {};
      const fault = waitsFor ?? (isUnsure ? unsure : undefined);
      return fault === undefined ? sd(request, query) : plainText(503, `${fault}\n`);
    },
    ...(shards && {
      '/api/v1/shards': kept({ path: '/api/v1/shards', reads: [], make: () => jsonReply(200, shardView(shards())) }),
    }),
    ...(inputs.probe && { '/probe': inputs.probe }),
    '/livez': probe('livez', livenessParts),
    '/readyz': probe('readyz', readinessParts),
    '/api/v1/status': kept({ path: '/api/v1/status', reads: read.status, make: pages.status }),
    '/api/v1/safe-to-restart': kept({
      path: '/api/v1/safe-to-restart',
      make: async (params, given) => {
        const { status, body } = await answerRestart(restartAnswers, params, given);
        return jsonReply(status, body);
      },
    }),
    ...(eventHistory !== undefined && {
      '/api/v1/history': kept({
        path: '/api/v1/history',
        make: (params, { targets, own }) =>
          transitionsReply(eventHistory, [...targets.keys()], params, (name) => elsewhere(own.shards, name)),
      }),
    }),
    ...(maintenance !== undefined && {
      [maintenancePath]: async ({ method, sender }: Request, query: string) => {
        const asked = { method, query, sender, targets: state().targets, shards: shards?.() };
        const { status, body } = await maintenanceAnswer(maintenance, asked);
        return jsonReply(status, body);
      },
    }),
  };
};

/** `probes`: the paths that a kubelet asks, and nothing else. */
export type Paths = 'all' | 'probes';

const probePaths: ReadonlySet<string> = new Set(['/livez', '/readyz']);
const nodePaths =
  '/self/startupz, /self/readyz, /self/readyz/TAGSET and /self/livez, and the same under /targets/NAME for each target';

/** Of what names of targets hold, Prometheus and the kubelet escape the brackets of an IPv6 address, and other clients the colon. */
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

/** Answers GET and HEAD alike: the socket leaves out the body of the latter. */
export const createRoutes = (inputs: ServerInputs, paths: Paths = 'all'): ((request: Request) => RouteReply) => {
  // Of hono's routers this one tells /metrics and /metrics/ apart.
  const router = new RegExpRouter<Route>();
  const known = subjectSource(inputs);
  const metrics = createMetricsRoutes(inputs, known.madeOf);
  const all = Object.entries({ ...routesOf(inputs, known), '/metrics': metrics.whole });
  const own = all.filter(([path]) => paths === 'all' || probePaths.has(path));
  for (const [path, route] of own) router.add('ALL', path, route);
  const parts = paths === 'all' ? ['/exporter/metrics', '/targets/NAME/metrics'] : [];
  const named = [...own.map(([path]) => path), ...parts].sort();
  const there = `not found, available paths: ${named.join(', ')}, ${nodePaths}\n`;
  return (request) => {
    const [rawPath = '', ...queries] = request.target.split('?');
    const [path, query] = [unescaped(rawPath), queries.join('?')];
    const part = paths === 'all' ? metrics.part(path) : undefined;
    const route = router.match('GET', path)[0][0]?.[0] ?? part ?? ofNode(inputs, path);
    if (route === undefined) return plainText(404, there);
    const methods = methodsOf(path);
    if (!methods.includes(request.method))
      return plainText(405, `only ${methods.join(', ').replace(/, (\w+)$/, ' and $1')}\n`, { Allow: methods.join(', ') });
    return route(request, query);
  };
};
