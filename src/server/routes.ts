// The table: path -> reply. hono matches; a reply is plain bytes and headers, so that a scrape costs what its bytes cost.

import { RegExpRouter } from 'hono/router/reg-exp-router';
import type { Targets } from '../conditions/condition.ts';
import type { EventHistoryReader } from '../events/event-history.ts';
import { sources as everySource, type Sources } from '../sources/sources.ts';
import { type Configuration, configurationFault } from './configuration.ts';
import { type MaintenanceInputs, maintenanceAnswer, maintenanceMethods } from './maintenance.ts';
import { metricsRoute, partRoute } from './metrics-route.ts';
import { nodeProbe } from './node-probes.ts';
import { createPageRoute, keepReply, type Subject } from './page-route.ts';
import { type ExporterPart, livenessParts, probeReply, readinessParts, type Vitals } from './probes.ts';
import type { RemovedProbe } from './removed-probes.ts';
import type { MetricsReply, Reply } from './reply.ts';
import type { Sender } from './sender.ts';
import { scrapeGroups } from './service-discovery.ts';
import { statusOf } from './status.ts';
import type { Happening } from './strip.ts';
import { transitionsReply } from './transitions.ts';

export type { MetricsReply, Reply } from './reply.ts';

export interface State {
  readonly targets: Targets;
  /** Answer probes, and are seen nowhere else. */
  readonly removed?: Targets;
  /** Another number when something of the targets changed. */
  readonly version: number;
  /** Seconds, steady clock. */
  readonly startedAt: number;
  readonly stopping: boolean;
  /** Another object when something of it changed. */
  readonly configuration?: Configuration;
  /** Wall clock − steady clock, seconds. */
  readonly wallOffset: number;
}

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
  /** Steady clock, seconds. */
  readonly now: () => number;
  readonly version: string;
}

export interface Request {
  readonly method: string;
  /** As on its first line: path and query. */
  readonly target: string;
  readonly accept: string | undefined;
  readonly acceptEncoding: string | undefined;
  readonly sender: Sender;
}

/** `events`: the stream of server-sent events, which is no finished bytes. */
export type RouteReply = Reply | Promise<Reply> | 'events';

type Route = (request: Request, query: string) => RouteReply;

const text = (status: number, body: string, headers: Reply['headers'] = {}): Reply => ({
  status,
  headers: { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store', ...headers },
  body,
});

const maintenancePath = '/api/v1/maintenance';
const methodsOf = (path: string): readonly string[] => (path === maintenancePath ? maintenanceMethods : ['GET', 'HEAD']);

const routesOf = (inputs: ServerInputs): Readonly<Record<string, Route>> => {
  const { state, eventHistory, maintenance, lastTick, now, version, table = everySource } = inputs;
  const happenings = inputs.happenings ?? ((target: string) => eventHistory?.records(target) ?? []);
  const page = createPageRoute(table, { happenings, heldFrom: (target) => eventHistory?.heldFrom(target) });
  const forJson = { 'Content-Type': 'application/json; charset=utf-8', 'Cache-Control': 'no-store' };
  const status = keepReply((_, { targets, own, now: at, wallOffset }: Subject) => ({
    status: 200,
    headers: forJson,
    body: `${JSON.stringify(statusOf(table, targets, own, at, wallOffset))}\n`,
  }));

  const subject = (): Subject => {
    const { targets, version: known, startedAt, configuration, wallOffset } = state();
    return { targets, version: known, own: { version, startedAt, configuration }, now: now(), wallOffset };
  };
  const probe =
    (name: string, parts: (vitals: Vitals, at: number) => readonly ExporterPart[]): Route =>
    (_, query) => {
      const { stopping, configuration } = state();
      const fault = configuration === undefined ? undefined : (configurationFault(configuration) ?? null);
      const vitals = { lastTick: lastTick(), stopping, ...(fault !== undefined && { configurationFault: fault }) };
      const reply = probeReply(name, parts(vitals, now()), new URLSearchParams(query).has('verbose'));
      return text(reply.status, reply.body);
    };

  return {
    '/': (_, query) => page(query, subject()),
    '/api/v1/events': () => 'events',
    '/metrics': metricsRoute(inputs),
    '/api/v1/sd': ({ sender }) => {
      const groups = scrapeGroups(state().targets, { address: inputs.externalAddress, host: sender.headers.host });
      if (groups === undefined) return text(400, 'the Host header is not an address: set listen.externalAddress\n');
      return { status: 200, headers: forJson, body: `${JSON.stringify(groups)}\n` };
    },
    ...(inputs.probe && { '/probe': inputs.probe }),
    '/livez': probe('livez', livenessParts),
    '/readyz': probe('readyz', readinessParts),
    '/api/v1/status': () => status('', subject()),
    ...(eventHistory !== undefined && {
      '/api/v1/history': (_: Request, query: string) => ({
        headers: forJson,
        ...transitionsReply(eventHistory, [...state().targets.keys()], query),
      }),
    }),
    ...(maintenance !== undefined && {
      [maintenancePath]: async ({ method, sender }: Request, query: string) => {
        const { status, body } = await maintenanceAnswer(maintenance, { method, query, sender, targets: state().targets });
        return { status, headers: forJson, body: `${JSON.stringify(body)}\n` };
      },
    }),
  };
};

/** `probes`: the paths that a kubelet asks, and nothing else. */
export type Paths = 'all' | 'probes';

const probePaths: ReadonlySet<string> = new Set(['/livez', '/readyz']);
const nodePaths =
  '/self/startupz, /self/readyz, /self/readyz/TAGSET and /self/livez, and the same under /targets/NAME for each target';

const ofNode = ({ state, now, probed, removedProbed }: ServerInputs, path: string): Route | undefined => {
  const reply = nodeProbe(path, state(), now());
  if (reply === undefined) return undefined;
  return () => {
    if (reply.target !== undefined) probed?.(reply.target);
    if (reply.removed !== undefined) removedProbed?.(reply.removed);
    return text(reply.status, reply.body);
  };
};

/** Answers GET and HEAD alike: the socket leaves out the body of the latter. */
export const createRoutes = (inputs: ServerInputs, paths: Paths = 'all'): ((request: Request) => RouteReply) => {
  // Of hono's routers this one tells /metrics and /metrics/ apart.
  const router = new RegExpRouter<Route>();
  const own = Object.entries(routesOf(inputs)).filter(([path]) => paths === 'all' || probePaths.has(path));
  for (const [path, route] of own) router.add('ALL', path, route);
  const parts = paths === 'all' ? '/exporter/metrics and /targets/NAME/metrics, ' : '';
  const there = `not found: there are ${own.map(([path]) => path).join(', ')}, ${parts}${nodePaths}\n`;
  return (request) => {
    const [path = '', query = ''] = request.target.split('?', 2);
    const part = paths === 'all' ? partRoute(path, inputs) : undefined;
    const route = router.match('GET', path)[0][0]?.[0] ?? part ?? ofNode(inputs, path);
    if (route === undefined) return text(404, there);
    const methods = methodsOf(path);
    if (!methods.includes(request.method))
      return text(405, `only ${methods.join(', ').replace(/, (\w+)$/, ' and $1')}\n`, { Allow: methods.join(', ') });
    return route(request, query);
  };
};
