// The table: path -> reply. hono matches; a reply is plain bytes and headers, so that a scrape costs what its bytes cost.

import { RegExpRouter } from 'hono/router/reg-exp-router';
import type { EvidenceReader } from '../evidence/evidence.ts';
import { untagged } from '../snapshot/snapshot.ts';
import { type Configuration, configurationFault } from './configuration.ts';
import { createPageRoute } from './page-route.ts';
import { livenessParts, type Part, probeReply, readinessParts, type Vitals } from './probes.ts';
import { type Known, statusOf } from './status.ts';
import type { Happening } from './strip.ts';
import { transitionsReply } from './transitions.ts';
import { verdictProbe } from './verdict-probes.ts';

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

interface MetricsPage {
  readonly body: Uint8Array | string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The page of metrics for the request's Accept and Accept-Encoding; a promise only where it has to be rendered first. */
export type Page = (accept: string | undefined, acceptEncoding: string | undefined) => MetricsPage | Promise<MetricsPage>;

export interface State extends Known {
  /** Seconds since the Unix epoch, as all instants here. */
  readonly startedAt: number;
  readonly stopping: boolean;
  /** Another object when something of it changed. */
  readonly configuration?: Configuration;
}

export interface Sources {
  readonly state: () => State;
  /** Without it there is nothing that happened, and no path to ask for it. */
  readonly evidence?: EvidenceReader;
  /** What happened to a target, oldest first; else the evidence of it. */
  readonly happenings?: (target: string) => readonly Happening[];
  /** When the poller's heart last beat. */
  readonly lastBeat: () => number;
  readonly metrics: Page;
  readonly now: () => number;
  readonly version: string;
}

export interface Asked {
  readonly method: string;
  /** The request's target as on its first line: path and query. */
  readonly target: string;
  readonly accept: string | undefined;
  readonly acceptEncoding: string | undefined;
}

/** `events`: the stream of server-sent events, which is no finished bytes. */
export type Answer = Reply | Promise<Reply> | 'events';

type Route = (asked: Asked, query: string) => Answer;

const text = (status: number, body: string, headers: Reply['headers'] = {}): Reply => ({
  status,
  headers: { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store', ...headers },
  body,
});

const good = ({ headers, body }: MetricsPage): Reply => ({ status: 200, headers, body });

const methods = ['GET', 'HEAD'];

const table = (sources: Sources): Readonly<Record<string, Route>> => {
  const { state, evidence, lastBeat, metrics, now, version } = sources;
  const happenings = sources.happenings ?? ((target: string) => evidence?.records(target) ?? []);
  const page = createPageRoute({ happenings, heldFrom: (target) => evidence?.heldFrom(target) });
  const forJson = { 'Content-Type': 'application/json; charset=utf-8', 'Cache-Control': 'no-store' };

  const status = () => {
    const { startedAt, configuration, ...known } = state();
    return statusOf(known, { version, startedAt, configuration }, now());
  };
  const probe =
    (name: string, parts: (vitals: Vitals, at: number) => readonly Part[]): Route =>
    (_, query) => {
      const { stopping, configuration } = state();
      const fault = configuration === undefined ? undefined : (configurationFault(configuration) ?? null);
      const vitals = { lastBeat: lastBeat(), stopping, ...(fault !== undefined && { configurationFault: fault }) };
      const reply = probeReply(name, parts(vitals, now()), new URLSearchParams(query).has('verbose'));
      return text(reply.status, reply.body);
    };

  return {
    '/': (_, query) => {
      const { startedAt, configuration, ...known } = state();
      return page(query, known, { version, startedAt, configuration }, now());
    },
    '/api/v1/events': () => 'events',
    '/metrics': ({ accept, acceptEncoding }) => {
      const page = metrics(accept, acceptEncoding);
      // Kept bytes are answered in the same turn: a scrape costs no promise.
      return page instanceof Promise ? page.then(good) : good(page);
    },
    '/livez': probe('livez', livenessParts),
    '/readyz': probe('readyz', readinessParts),
    '/api/v1/status': () => ({ status: 200, headers: forJson, body: `${JSON.stringify(status())}\n` }),
    ...(evidence !== undefined && {
      '/api/v1/transitions': (_: Asked, query: string) => ({
        headers: forJson,
        ...transitionsReply(evidence, [...state().snapshot.targets.keys()], query),
      }),
    }),
  };
};

/** `probes`: the paths that a kubelet asks, and nothing else. */
export type Paths = 'all' | 'probes';

const probePaths: ReadonlySet<string> = new Set(['/livez', '/readyz']);
const verdictPaths = '/targets/NAME/startupz, /targets/NAME/readyz, /targets/NAME/readyz/TAGSET and /targets/NAME/livez';

const ofNode = ({ state }: Sources, path: string): Route | undefined => {
  const { snapshot, verdicts } = state();
  const nameOfUntagged = (name: string): string => {
    const target = snapshot.targets.get(name);
    return target === undefined ? '' : untagged(target.options).name;
  };
  const reply = verdictProbe(path, verdicts ?? new Map(), nameOfUntagged);
  return reply === undefined ? undefined : () => text(reply.status, reply.body);
};

/** Answers GET and HEAD alike: the socket leaves out the body of the latter. */
export const createRoutes = (sources: Sources, paths: Paths = 'all'): ((asked: Asked) => Answer) => {
  // Of hono's routers this one tells /metrics and /metrics/ apart.
  const router = new RegExpRouter<Route>();
  const own = Object.entries(table(sources)).filter(([path]) => paths === 'all' || probePaths.has(path));
  for (const [path, route] of own) router.add('ALL', path, route);
  const there = `not found: there are ${own.map(([path]) => path).join(', ')}, ${verdictPaths}\n`;
  return (asked) => {
    const [path = '', query = ''] = asked.target.split('?', 2);
    const route = router.match('GET', path)[0][0]?.[0] ?? ofNode(sources, path);
    if (route === undefined) return text(404, there);
    if (!methods.includes(asked.method)) return text(405, 'only GET and HEAD\n', { Allow: methods.join(', ') });
    return route(asked, query);
  };
};
