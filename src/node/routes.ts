// Routes a request to its response, in the order of a real node: CORS, host, header route, path.

import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { unescape as unescapeBytes } from 'node:querystring';
import { getAt } from '../protocol/methods.ts';
import { indexNames, type ServiceName, servicePaths } from '../protocol/paths.ts';
import type { CallMethod } from './call.ts';
import { corsHeaders, isPreflight, preflightReply } from './cors.ts';
import type { CheckContext } from './health/context.ts';
import type { Health } from './health/health.ts';
import { getReport, healthService } from './health/service.ts';
import { infoService } from './info/service.ts';
import type { ChainStatus } from './network/live-chain.ts';
import type { NodeOptions } from './options.ts';
import { notBootstrapped, platformChain, platformService } from './platform/service.ts';
import { emptyReply, errorReply, type NodeReply, notFoundReply } from './reply.ts';
import type { RpcService } from './rpc-server.ts';
import type { Admit } from './unsent.ts';

interface Routed {
  readonly options: NodeOptions;
  readonly context: CheckContext;
  readonly health: Health;
  /** Runs after the turn in which its head was read; GETs do not wait for it. */
  readonly callMethod: CallMethod;
}

export const createRoute = (routed: Routed): ((request: IncomingMessage, admit: Admit) => Promise<NodeReply>) => {
  const { context, options } = routed;
  const { httpAllowedOrigins: origins } = options;
  const hosts = new Set(options.httpAllowedHosts.map((host) => host.toLowerCase()));
  return async (request, admit) => {
    // Handled by the server, before the node.
    if (request.method === 'OPTIONS' && request.url === '*') return emptyReply(200);
    const own = [['Node-Id', context.nodeId()]] as const;
    if (isPreflight(request)) {
      const reply = preflightReply(request, origins);
      return { ...reply, headers: [...reply.headers, ...own] };
    }
    const reply = isHostAllowed(request.headers.host, hosts)
      ? await answerTo(request, routed, admit)
      : errorReply(403, 'invalid host specified');
    return { ...reply, headers: [...reply.headers, ...own, ...corsHeaders(request, origins)] };
  };
};

/** Any IP address is allowed; a name must be in the list. */
const isHostAllowed = (host: string | undefined, allowed: ReadonlySet<string>): boolean => {
  if (host === undefined || host === '' || allowed.has('*')) return true;
  const [, bracketed, plain] = /^(?:\[([^[\]]*)\]|([^:[\]]*)):[^:[\]]*$/.exec(host) ?? [];
  const name = bracketed ?? plain ?? host;
  // Go accepts no address with a zone.
  return (isIP(name) !== 0 && !name.includes('%')) || allowed.has(name.toLowerCase());
};

const answerTo = async (request: IncomingMessage, routed: Routed, admit: Admit): Promise<NodeReply> => {
  // The header selects chains with a route of their own in the node; here there are none.
  if (request.headers['avalanche-api-route'] !== undefined) return emptyReply(404);
  const { method = 'GET', url: target = '/' } = request;
  const [rawPath = ''] = target.split('?', 1);
  const query = target.slice(rawPath.length);
  // One character per byte: a path need not be UTF-8.
  const path = rawPath.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  const clean = cleaned(path);
  if (clean !== path) return emptyReply(301, [['Location', `${escaped(clean)}${query}`]]);

  const { options, context, health, callMethod } = routed;
  const get = options.apiHealthEnabled ? getAt(path) : undefined;
  // At a service's path the HTTP method decides; at the others any method is a GET.
  if (get !== undefined && (method === 'GET' || path !== servicePaths.health))
    return admit(() => getReport(get, health, tagsIn(query.slice(1))));
  const chain = path === servicePaths.platform ? platformChain(context) : undefined;
  if (chain !== undefined && chain.state !== 'running') return notBootstrapped;
  const service = serviceAt(path, chain, routed);
  return service === undefined ? notFoundReply : callMethod(service, request, admit);
};

/** Each service of the interface at the requested path; undefined if it is not served there. */
type Services = { readonly [Service in ServiceName]: RpcService<Service> | undefined };

/** `chain`: the P-Chain, if it is requested and bootstrapped. */
const serviceAt = (path: string, chain: ChainStatus | undefined, routed: Routed): RpcService | undefined => {
  const { options, context, health } = routed;
  const isHealth = options.apiHealthEnabled && path === servicePaths.health;
  const index = indexNames.find((name) => servicePaths.index(name) === path);
  const services: Services = {
    health: isHealth ? healthService(health, options.dialect) : undefined,
    index: index === undefined ? undefined : context.chains.indexService(index),
    info: options.apiInfoEnabled && path === servicePaths.info ? infoService(context) : undefined,
    platform: chain === undefined ? undefined : platformService(context, chain),
  };
  return Object.values(services).find((service) => service !== undefined);
};

const decoded = (text: string): string | undefined => (/%(?![0-9a-fA-F]{2})/.test(text) ? undefined : unescapeBytes(text));

/** Escapes a path as Go does. */
const escaped = (path: string): string =>
  path.replace(/[^\w\-.~$&+,/:;=@]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`);

/** Parses a query as Go does: pairs with an invalid escape or a semicolon are dropped. */
const tagsIn = (query: string): readonly string[] =>
  query.split('&').flatMap((pair) => {
    const [name = '', ...rest] = pair.split('=');
    const [key, tag] = [name, rest.join('=')].map((text) => decoded(text.replaceAll('+', ' ')));
    return key === 'tag' && tag !== undefined && !pair.includes(';') ? [tag] : [];
  });

/** Go's path.Clean, but keeps one trailing slash. */
const cleaned = (path: string): string => {
  const kept: string[] = [];
  for (const part of path.split('/')) {
    if (part === '..') kept.pop();
    else if (part !== '' && part !== '.') kept.push(part);
  }
  const slash = path.endsWith('/') && kept.length > 0 ? '/' : '';
  return `/${kept.join('/')}${slash}`;
};
