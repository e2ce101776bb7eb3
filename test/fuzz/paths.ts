// The honest parts of hostile requests: the paths of exporter and node, and calls of each method of the node.

import { methods, type ParamKind } from '../../src/protocol/methods.ts';
import type { ServiceName } from '../../src/protocol/paths.ts';
import { hostileNumbers, hostileTexts, hostileValues } from './hostile.ts';
import { pick } from './mutations.ts';

/**
 * `shard`: an exporter that is one of several; `probes`: the listener with only the probe paths; `standby`: an exporter started without
 * a valid configuration; `users`: with a password; `token`: with a rate limit, and a token for the maintenance API. Separate servers,
 * because a request cannot send both a password and a token.
 */
export const destinations = ['exporter', 'shard', 'probes', 'standby', 'users', 'token', 'node'] as const;

export type Destination = (typeof destinations)[number];

const exporterPaths = [
  '/',
  '/?part=page',
  '/?target=node',
  '/metrics',
  '/metrics?target=node&name[]=snowgauge_up',
  '/exporter/metrics',
  '/targets/node/metrics',
  '/targets/node/startupz',
  '/targets/node/readyz',
  '/targets/node/readyz/all',
  '/targets/node/livez',
  '/self/startupz',
  '/self/readyz',
  '/self/readyz/mine',
  '/self/livez',
  '/livez?verbose',
  '/readyz?verbose',
  '/api/v1/status?target=node',
  '/api/v1/fleet?q=a&sort=name&from=0',
  '/api/v1/events',
  '/api/v1/history?target=node&limit=5&after=fuzz-0',
  '/api/v1/sd',
  '/api/v1/shards',
  '/api/v1/safe-to-restart?target=node&downtime=5m',
  '/api/v1/maintenance?target=node',
  '/probe?target=http://127.0.0.1:1&module=default&debug=true',
] as const;

const nodePaths = [
  '/ext/health',
  '/ext/health?tag=11111111111111111111111111111111LpoYY',
  '/ext/health/health',
  '/ext/health/readiness',
  '/ext/health/liveness',
  '/ext/info',
  '/ext/bc/P',
  '/ext/index/P/block',
  '/ext/index/X/block',
  '/ext/index/X/tx',
  '/ext/index/C/block',
  '/ext/index/X/vtx',
] as const;

export const maintenancePath = '/api/v1/maintenance';

/** Every other path is the one that changes state. */
const guardedPaths = [
  ...exporterPaths,
  ...exporterPaths.map((_, at) => `${maintenancePath}${pick(['', '', '?target=node'], at)}`),
];

/** A test compares them with the routes of each. */
export const paths: Readonly<Record<Destination, readonly string[]>> = {
  exporter: exporterPaths,
  shard: exporterPaths,
  probes: exporterPaths,
  standby: exporterPaths,
  users: guardedPaths,
  token: guardedPaths,
  node: nodePaths,
};

const parameters: Readonly<Record<ParamKind, unknown>> = {
  id: '2bRCr6B4MiEfSjidDwxDpdCyviwnfUVqB2HGwhm947w9YYqb7r',
  'id?': '11111111111111111111111111111111LpoYY',
  'nodeIds?': ['NodeID-7Xhw2mDxuDS44j42TCB6U5579esbSt3Lg'],
  uint64: '1',
  'encoding?': 'hex',
  'text?': 'P',
  'texts?': ['a'],
};

/** JSON and nearly valid JSON, as bytes, one per character. */
const hostile = [...hostileValues, ...hostileNumbers, ...hostileTexts.map((text) => `"${text}"`)].map((text) =>
  Buffer.from(text).toString('latin1'),
);

/** The part of the path at which each service is served. */
const services: Readonly<Record<ServiceName, string>> = { health: '/health', index: '/index/', info: '/info', platform: '/bc/P' };

export const calls = [
  '{"jsonrpc":"2.0","id":1,"method":"health.health","params":{"tags":["a"]}}',
  '{"jsonrpc":"2.0","id":1,"method":"info.getNodeVersion","params":{}}',
  '{"jsonrpc":"2.0","id":1,"method":"info.peers","params":{"nodeIDs":[]}}',
  '{"jsonrpc":"2.0","id":1,"method":"platform.getCurrentValidators","params":{"subnetID":null,"nodeIDs":["x"]}}',
  '{"jsonrpc":"2.0","id":1,"method":"index.getContainerRange","params":{"startIndex":0,"numToFetch":5,"encoding":"hex"}}',
  '{"jsonrpc":"2.0","id":1,"method":"index.getContainerByIndex","params":{"index":18446744073709551615}}',
  '{"jsonrpc":"2.0","id":1,"method":"index.isAccepted","params":{"id":"2bRC"}}',
  '{"for":"2h","reason":"fuzz","target":"node"}',
  'GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n',
  '['.repeat(4000),
  '{"a":'.repeat(2000),
  '\0\x80\xff',
] as const;

/** Members of an object. With an odd `choice` one is hostile. */
const membersOf = (honest: readonly (readonly [name: string, value: unknown])[], choice: number): string => {
  const odd = choice % 2 === 1 ? (choice >> 1) % Math.max(1, honest.length) : -1;
  return honest.map(([name, value], at) => `"${name}":${at === odd ? pick(hostile, choice >> 3) : JSON.stringify(value)}`).join();
};

/** Bodies that start a maintenance window, and all kinds of others. */
export const windowsAmongCalls = (choice: number): readonly string[] => {
  const members = { for: '2h', reason: 'fuzz', target: 'node' };
  const texts = [2, 3].map((count) => `{${membersOf(Object.entries(members).slice(0, count), choice)}}`);
  return [...Array.from({ length: 8 }, () => texts).flat(), ...calls];
};

/** Calls of each method served at a path, and all kinds of others. With an odd `choice` one parameter is hostile. */
export const callsAt = (path: string, choice: number): readonly string[] => {
  const own = Object.entries(methods).filter(([, { service }]) => path.includes(services[service]));
  const texts = own.map(([method, row]) => {
    const kinds: readonly (readonly [name: string, kind: ParamKind])[] = Object.entries(row.params);
    const params = membersOf(
      kinds.map(([name, kind]) => [name, parameters[kind]]),
      choice,
    );
    return `{"jsonrpc":"2.0","id":1,"method":"${method}","params":{${params}}}`;
  });
  return [...texts, ...calls];
};
