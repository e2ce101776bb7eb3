// One function a question.

import { type HealthReport, healthReport } from '../protocol/health.ts';
import { type MethodName, methods, type ParamsOf, type ResultOf } from '../protocol/methods.ts';
import { healthPaths, type IndexName, indexPath } from '../protocol/paths.ts';
import { plainContainers } from '../protocol/plain-containers.ts';
import { rpcRequest } from '../protocol/rpc.ts';
import { bySchema, isHealthAnswer, isRpcAnswer, type Read, readGet, readRpc } from './answer.ts';
import type { ClientOptions } from './options.ts';
import type { Outcome } from './outcome.ts';
import { type Exchange, type Head, type Question, transportOf } from './transport.ts';

/** A question's end, and what the ask itself told. Times are seconds since the Unix epoch in the exporter's clock. */
export interface Answer<T> {
  readonly outcome: Outcome<T>;
  readonly sentAt: number;
  readonly endedAt: number;
  /** The answer's Date header: the node's clock, rounded down to the second. */
  readonly date?: number;
  /** The answer's Node-Id header, at most 128 characters. */
  readonly nodeId?: string;
}

export interface Client {
  /** GET /ext/health; `tags` empty asks for everything. A 503 with a report is `ok`. */
  readonly health: (tags: readonly string[], signal?: AbortSignal) => Promise<Answer<HealthReport>>;
  /** GET /ext/health/health */
  readonly healthHealth: (tags: readonly string[], signal?: AbortSignal) => Promise<Answer<HealthReport>>;
  readonly readiness: (
    tags: readonly string[],
    signal?: AbortSignal,
    options?: { readonly timeoutMs?: number },
  ) => Promise<Answer<HealthReport>>;
  readonly liveness: (tags: readonly string[], signal?: AbortSignal) => Promise<Answer<HealthReport>>;
  /** POST /ext/health for the health methods. */
  readonly healthRpc: <M extends MethodName & `health.${string}`>(
    method: M,
    params: ParamsOf<M>,
    signal?: AbortSignal,
  ) => Promise<Answer<ResultOf<M>>>;
  /** POST /ext/index/… for the index methods. `encoding` is `hex` where the params name none. */
  readonly indexRpc: <M extends MethodName & `index.${string}`>(
    index: IndexName,
    method: M,
    params: ParamsOf<M>,
    signal?: AbortSignal,
  ) => Promise<Answer<ResultOf<M>>>;
  /** Ends the connections, those with a question on them too; every later question ends as `network`. */
  readonly close: () => void;
}

/** The options must have passed checkClientOptions. `now` is seconds since the Unix epoch. */
export const createClient = (options: ClientOptions, now: () => number): Client => {
  const transport = transportOf(options);

  const ask = async <T>(
    question: Question,
    isAnswer: (status: number) => boolean,
    read: (exchange: Exchange) => Outcome<T>,
    signal: AbortSignal = new AbortController().signal,
  ): Promise<Answer<T>> => {
    const sentAt = now();
    const exchange = await transport.ask(question, isAnswer, signal);
    const endedAt = now();
    return { outcome: read(exchange), sentAt, endedAt, ...told(exchange.head) };
  };

  const report = readGet(bySchema(healthReport));
  const get =
    (path: string): Client['health'] =>
    (tags, signal) =>
      ask({ path: path + queryOf(tags) }, isHealthAnswer, report, signal);

  const rpc = <T>(path: string, method: string, params: object, read: Read<T>, signal?: AbortSignal): Promise<Answer<T>> =>
    ask({ path, body: JSON.stringify(rpcRequest(method, params), digits) }, isRpcAnswer, readRpc(read), signal);

  return {
    health: get(healthPaths.health),
    healthHealth: get(healthPaths.healthHealth),
    readiness: get(healthPaths.readiness),
    liveness: get(healthPaths.liveness),
    healthRpc: (method, params, signal) => rpc(healthPaths.health, method, params, readers[method], signal),
    indexRpc: (index, method, params, signal) =>
      rpc(indexPath(index), method, { encoding: 'hex', ...params }, readers[method], signal),
    close: transport.close,
  };
};

const anyContainers = bySchema(methods['index.getContainerRange'].result);

/** A walk reads a thousand at a time: the schema only where the quick way leaves a doubt. */
const containers: typeof anyContainers = (json) => {
  const plain = plainContainers(json);
  return plain === undefined ? anyContainers(json) : { kind: 'ok', value: plain };
};

const readers: { readonly [M in MethodName]: Read<ResultOf<M>> } = {
  'health.health': bySchema(methods['health.health'].result),
  'health.readiness': bySchema(methods['health.readiness'].result),
  'health.liveness': bySchema(methods['health.liveness'].result),
  'index.getContainerByID': bySchema(methods['index.getContainerByID'].result),
  'index.getContainerByIndex': bySchema(methods['index.getContainerByIndex'].result),
  'index.getContainerRange': containers,
  'index.getIndex': bySchema(methods['index.getIndex'].result),
  'index.getLastAccepted': bySchema(methods['index.getLastAccepted'].result),
  'index.isAccepted': bySchema(methods['index.isAccepted'].result),
};

/** JSON has no numbers of 64 bits that survive; the node takes digits in quotes. */
const digits = (_key: string, value: unknown): unknown => (typeof value === 'bigint' ? value.toString() : value);

/** A tag is any string; half a surrogate pair, which no URL can carry, is sent as U+FFFD. */
const queryOf = (tags: readonly string[]): string =>
  tags.length === 0 ? '' : `?${tags.map((tag) => `tag=${encodeURIComponent(Buffer.from(tag).toString())}`).join('&')}`;

const nodeIdLength = 128;

const told = (head: Head | undefined): { readonly date?: number; readonly nodeId?: string } => {
  const date = head?.date === undefined ? Number.NaN : Date.parse(head.date) / 1000;
  return {
    ...(Number.isFinite(date) && { date }),
    ...(head?.nodeId !== undefined && { nodeId: head.nodeId.slice(0, nodeIdLength) }),
  };
};
