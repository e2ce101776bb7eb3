// From a request to its answer, in the order of a real node: cross-origin, host, header route, path.

import { isIP } from 'node:net';
import { unescape as unescapeBytes } from 'node:querystring';
import { getAt } from '../protocol/methods.ts';
import { type IndexName, indexNames, type ServiceName, servicePaths } from '../protocol/paths.ts';
import { type CorsRequest, corsHeaders, isPreflight, preflightReply } from './cors.ts';
import type { Dialect } from './dialect.ts';
import { getReply, type HealthWorkers, healthGets, healthService } from './health/service.ts';
import { emptyReply, errorReply, notFound, type Reply } from './reply.ts';
import { answerRpc, type RpcService } from './rpc-server.ts';

export interface NodeRequest extends CorsRequest {
  /** As on the request line: path and query. */
  readonly target: string;
  /** Undefined where an HTTP/1.0 caller sent none. */
  readonly host: string | undefined;
  readonly contentType: string | undefined;
  /** The values of the header Avalanche-Api-Route; undefined without it. */
  readonly apiRoute: readonly string[] | undefined;
  readonly body: () => Promise<string>;
}

export interface RouteOptions {
  readonly nodeId: string;
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: readonly string[];
  readonly healthEnabled: boolean;
  readonly dialect: Dialect;
  readonly utcOffsetMinutes: number;
}

export interface Served {
  /** Asked at each request: a restarted node has other workers. */
  readonly workers: () => HealthWorkers;
  /** Undefined: indexing is off, or the chain does not exist yet. */
  readonly index: (name: IndexName) => RpcService<'index'> | undefined;
}

export type Route = (request: NodeRequest) => Promise<Reply>;

export const createRoute = (options: RouteOptions, served: Served): Route => {
  const hosts = new Set(options.allowedHosts.map((host) => host.toLowerCase()));
  return async (request) => {
    const preflight = isPreflight(request);
    const reply = preflight
      ? preflightReply(request, options.allowedOrigins)
      : isHostAllowed(request.host, hosts)
        ? await routed(request, options, served)
        : errorReply(403, 'invalid host specified');
    const cors = preflight ? [] : corsHeaders(request, options.allowedOrigins);
    return { ...reply, headers: [...reply.headers, ['Node-Id', options.nodeId], ...cors] };
  };
};

/** Any IP address will do; a name has to be among the allowed ones. */
const isHostAllowed = (host: string | undefined, allowed: ReadonlySet<string>): boolean => {
  if (host === undefined || host === '' || allowed.has('*')) return true;
  const [, bracketed, plain] = /^(?:\[([^\]]*)\]:\d*|([^:]*):\d*)$/.exec(host) ?? [];
  const name = bracketed ?? plain ?? host;
  return isIP(name) !== 0 || allowed.has(name.toLowerCase());
};

const routed = (request: NodeRequest, options: RouteOptions, served: Served): Promise<Reply> | Reply => {
  // The header leads to chains that the node runs for a route of their own; here there is none.
  if (request.apiRoute !== undefined) return emptyReply(request.apiRoute.length === 1 ? 404 : 400);
  const queryAt = request.target.indexOf('?');
  const rawPath = queryAt === -1 ? request.target : request.target.slice(0, queryAt);
  const query = queryAt === -1 ? '' : request.target.slice(queryAt);
  const path = decoded(rawPath);
  if (path === undefined) return emptyReply(400);
  const clean = cleaned(path);
  if (clean !== path) return emptyReply(301, [['Location', `${encodeURI(clean)}${query}`]]);
  return answerPath(path, tagsIn(query.slice(1)), request, options, served);
};

const answerPath = async (
  path: string,
  tags: readonly string[],
  request: NodeRequest,
  { healthEnabled, dialect, utcOffsetMinutes }: RouteOptions,
  served: Served,
): Promise<Reply> => {
  const get = healthEnabled ? getAt(path) : undefined;
  // A path of a service tells by the method what is meant; the others do not look at it.
  if (get !== undefined && (request.method === 'GET' || path !== servicePaths.health))
    return getReply(healthGets(served.workers(), utcOffsetMinutes)[get](tags));

  const services: Services = {
    health: () =>
      healthEnabled && path === servicePaths.health ? healthService(served.workers(), dialect, utcOffsetMinutes) : undefined,
    index: () => {
      const name = indexNames.find((index) => servicePaths.index(index) === path);
      return name === undefined ? undefined : served.index(name);
    },
  };
  for (const serviceHere of Object.values(services)) {
    const service = serviceHere();
    if (service !== undefined)
      return answerRpc(service, { ...request, body: request.method === 'POST' ? await request.body() : '' });
  }
  return notFound;
};

/** Of every service of the interface, what it is at the path that was asked; undefined where it is not served there. */
type Services = { readonly [Service in ServiceName]: () => RpcService<Service> | undefined };

const decoded = (path: string): string | undefined => (/%(?![0-9a-fA-F]{2})/.test(path) ? undefined : unescapeBytes(path));

/** As Go reads a query: a pair that cannot be unescaped, or holds a semicolon, is dropped without a word. */
const tagsIn = (query: string): readonly string[] =>
  query.split('&').flatMap((pair) => {
    const [name = '', ...rest] = pair.split('=');
    const [key, tag] = [name, rest.join('=')].map((text) => decoded(text.replaceAll('+', ' ')));
    return key === 'tag' && tag !== undefined && !pair.includes(';') ? [tag] : [];
  });

/** Go's path.Clean, which keeps one slash at the end. */
const cleaned = (path: string): string => {
  const kept: string[] = [];
  for (const part of path.split('/')) {
    if (part === '..') kept.pop();
    else if (part !== '' && part !== '.') kept.push(part);
  }
  const slash = path.endsWith('/') && kept.length > 0 ? '/' : '';
  return `/${kept.join('/')}${slash}`;
};
