// One function a question.

import {
  type GetName,
  type GetResultOf,
  type Gets as GetRows,
  gets,
  type IndexMethod,
  type MethodName,
  type Methods,
  methods,
  type NodeMethod,
  type ParamsOf,
  type ResultOf,
} from '../protocol/methods.ts';
import { type IndexName, servicePaths } from '../protocol/paths.ts';
import { plainContainers } from '../protocol/plain-containers.ts';
import { validatorsAmong } from '../protocol/platform.ts';
import { rpcRequest } from '../protocol/rpc.ts';
import { bySchema, isHealthAnswer, isRpcAnswer, type Read, type Reader, readGet, readRpc } from './answer.ts';
import { type AskOptions, askerOf } from './ask.ts';
import { locatedBy } from './asked.ts';
import { faultOfSmall } from './body.ts';
import { boundsOfReport, boundsOfResult } from './bounds.ts';
import type { Budget } from './budget.ts';
import { sentence } from './faults.ts';
import type { ClientOptions } from './options.ts';
import type { Failure, Outcome } from './outcome.ts';
import { readInTurn } from './reading.ts';
import type { Rest } from './rest.ts';
import { traceRequests } from './trace.ts';
import { type Traced, type TracedQuestion, tracedOf, type Understood } from './traced.ts';
import type { Question } from './transport.ts';

/** A question's end, and what the ask itself told. Times are seconds since the Unix epoch in the exporter's clock. */
export interface Answer<T> {
  readonly outcome: Outcome<T>;
  /** After the wait for a connection. */
  readonly sentAt: number;
  readonly endedAt: number;
  /** The answer's Date header: the node's clock, rounded down to the second. */
  readonly date?: number;
  /** The answer's Node-Id header, where that is a NodeID. */
  readonly nodeId?: string;
}

/** What one question may ask for; `timeoutMs` instead of the client's, `last`: its connection ends with the answer. */
export type Limits = Pick<AskOptions, 'timeoutMs'> & Pick<Question, 'last'>;

/** A function for each GET of the interface. `tags` empty asks for everything. A 503 with a report is `ok`. */
type Gets = {
  readonly [G in GetName]: (tags: readonly string[], signal?: AbortSignal, limits?: Limits) => Promise<Answer<GetResultOf<G>>>;
};

export interface Client extends Gets {
  /** A method that is served at one path of the node. */
  readonly rpc: <M extends NodeMethod>(
    method: M,
    params: ParamsOf<M>,
    signal?: AbortSignal,
    limits?: Limits,
  ) => Promise<Answer<ResultOf<M>>>;
  /** A method of an index. `encoding` is `hex` where the params name none. */
  readonly indexRpc: <M extends IndexMethod>(
    index: IndexName,
    method: M,
    params: ParamsOf<M>,
    signal?: AbortSignal,
    limits?: Limits,
  ) => Promise<Answer<ResultOf<M>>>;
  /** Whether a kept-alive connection is open that carries no request: `onClosed` would tell of its end. */
  readonly keepsIdle: () => boolean;
  /** Ends every question under way, and every later one, so; and the connections. */
  readonly endWith: (failure: Failure) => void;
  /** Ends them as `network`. */
  readonly close: () => void;
}

export interface ClientHooks {
  /** The other side closed or reset a kept-alive connection that carried no request: once for each. */
  readonly onClosed?: () => void;
  /** Called for each question when it has ended. */
  readonly onTraced?: (traced: Traced) => void;
  /** Shared with the other clients of the process; where it is not given its own, in which nothing rests. */
  readonly budget?: Budget;
  /** Shared with other clients of the node; where it is not given its own. */
  readonly rest?: Rest;
}

/** The options must have passed checkClientOptions. `now` is seconds since the Unix epoch. `asker`: who asks, if not a socket. */
export const createClient = (
  options: ClientOptions,
  now: () => number,
  { onClosed, onTraced, budget, rest }: ClientHooks = {},
  asker = askerOf(options, { onClosed, budget, rest, tracer: onTraced && traceRequests(new URL(options.baseUrl).hostname) }),
): Client => {
  const located = locatedBy(options);
  let sent = 0;

  const ask = async <T extends Understood>(
    question: TracedQuestion,
    isAnswer: (status: number) => boolean,
    { parse, understand }: Reader<T>,
    options: AskOptions,
  ): Promise<Answer<T>> => {
    let sentAt = now();
    let order = 0;
    const onSent = (): void => {
      sentAt = now();
      sent += 1;
      order = sent;
    };
    const exchange = await asker.ask(question, isAnswer, { onSent, ...options });
    const endedAt = now();
    const [date, nodeId] = [exchange.head?.date, exchange.head?.nodeId];
    const body = Buffer.isBuffer(exchange.end) ? exchange.end : Buffer.of();
    const { bounds } = question;
    const fault = (): Failure | undefined =>
      bounds && isAnswer(exchange.head?.status ?? 0) ? faultOfSmall(bounds, body) : undefined;
    const understood = await readInTurn(
      body.length,
      () => fault() ?? safely(() => parse(exchange)),
      (parsed) => (parsed.kind === 'ok' ? safely(() => understand(parsed.value)) : parsed),
    );
    const outcome = located(understood, question.path, exchange.head);
    exchange.release();
    onTraced?.(tracedOf(question, exchange, outcome, order));
    return { outcome, sentAt, endedAt, ...(date !== undefined && { date }), ...(nodeId !== undefined && { nodeId }) };
  };

  const get = <G extends GetName>(name: G): Gets[G] => {
    const { path, result } = gets[name];
    const read = readGet(bySchema<GetRows[G]['result']>(result));
    return (tags, signal, { last = false, ...limits } = {}) =>
      ask({ path: path + queryOf(tags), last, maxBytes: options.maxReportBytes, bounds: boundsOfReport }, isHealthAnswer, read, {
        signal,
        ...limits,
      });
  };

  const rpc = <M extends MethodName>(
    path: string,
    method: M,
    params: ParamsOf<M>,
    options: AskOptions,
  ): Promise<Answer<ResultOf<M>>> => {
    const read = readRpc(readerOf(method, params));
    const body = JSON.stringify(rpcRequest(method, params), digits);
    return ask({ path, rpc: method, body, bounds: boundsOfResult(method) }, isRpcAnswer, read, options);
  };

  return {
    health: get('health'),
    healthHealth: get('healthHealth'),
    readiness: get('readiness'),
    liveness: get('liveness'),
    rpc: (method, params, signal, limits) => rpc(servicePaths[methods[method].service], method, params, { signal, ...limits }),
    indexRpc: (index, method, params, signal, limits) =>
      rpc(servicePaths.index(index), method, { encoding: 'hex', ...params }, { signal, ...limits }),
    keepsIdle: asker.keepsIdle,
    endWith: asker.endWith,
    close: () => asker.endWith({ kind: 'network', reason: 'the client is closed' }),
  };
};

/** A walk reads a thousand containers at a time, and a node may answer with the validators of a whole network. */
const quickReaders: { readonly [M in MethodName]?: (json: unknown, params: ParamsOf<M>) => ReturnType<Read<ResultOf<M>>> } = {
  // The schema of the row only where the quick way leaves a doubt.
  'index.getContainerRange': (json) => {
    const plain = plainContainers(json);
    return plain === undefined ? bySchema(methods['index.getContainerRange'].result)(json) : { kind: 'ok', value: plain };
  },
  'platform.getCurrentValidators': (json, { nodeIDs }) =>
    bySchema(methods['platform.getCurrentValidators'].result)(nodeIDs === undefined ? json : validatorsAmong(json, nodeIDs)),
};

const readerOf = <M extends MethodName>(method: M, params: ParamsOf<M>): Read<ResultOf<M>> => {
  const quick = quickReaders[method];
  return quick === undefined ? bySchema<Methods[M]['result']>(methods[method].result) : (json) => quick(json, params);
};

/** A fault of ours in reading an answer is that answer's outcome: the watch of other nodes goes on. */
const safely = <T>(read: () => Outcome<T>): Outcome<T> => {
  try {
    return read();
  } catch (error) {
    return { kind: 'internal-error', reason: sentence(String(error)) };
  }
};

/** JSON has no numbers of 64 bits that survive; the node takes digits in quotes. */
const digits = (_key: string, value: unknown): unknown => (typeof value === 'bigint' ? value.toString() : value);

/** A tag is any string; half a surrogate pair, which no URL can carry, is sent as U+FFFD. */
const queryOf = (tags: readonly string[]): string =>
  tags.length === 0 ? '' : `?${tags.map((tag) => `tag=${encodeURIComponent(Buffer.from(tag).toString())}`).join('&')}`;
