// The client of a node: one method for each request of its interface.

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
import { printable } from '../text.ts';
import { bySchema, isHealthAnswer, isRpcAnswer, type Read, type Reader, readGet, readRpc } from './answer.ts';
import { type AskOptions, askerOf } from './ask.ts';
import { locatedBy } from './asked.ts';
import { faultOfSmall } from './body.ts';
import { boundsOfReport, boundsOfResult } from './bounds.ts';
import type { Budget } from './budget.ts';
import type { ClientOptions } from './options.ts';
import type { Failure, Outcome } from './outcome.ts';
import { readInTurn } from './reading.ts';
import type { Rest } from './rest.ts';
import { traceRequests } from './trace.ts';
import { type Traced, type TracedQuestion, tracedOf, type Understood } from './traced.ts';
import type { Question } from './transport.ts';

/** The outcome of a request, and the headers of its response. Times are seconds since the Unix epoch by the exporter's clock. */
export interface Answer<T> {
  readonly outcome: Outcome<T>;
  /** The end of the wait for a connection. */
  readonly sentAt: number;
  readonly endedAt: number;
  /** The Date header of the response: the node's clock, rounded down to the second. */
  readonly date?: number;
  /** The Node-Id header of the response, if it is a NodeID. */
  readonly nodeId?: string;
}

/** `timeoutMs` overrides the client's, `last` closes the connection after the response. */
type Limits = Pick<AskOptions, 'timeoutMs'> & Pick<Question, 'last'>;

/** One function per GET of the interface. Empty `tags` request all checks. A 503 with a report is `ok`. */
type Gets = {
  readonly [G in GetName]: (tags: readonly string[], signal?: AbortSignal, limits?: Limits) => Promise<Answer<GetResultOf<G>>>;
};

export interface Client extends Gets {
  /** Calls a method that the node serves at one path. */
  readonly rpc: <M extends NodeMethod>(method: M, params: ParamsOf<M>, signal?: AbortSignal) => Promise<Answer<ResultOf<M>>>;
  /** Calls a method of an index. The default of `encoding` is `hex`. */
  readonly indexRpc: <M extends IndexMethod>(
    index: IndexName,
    method: M,
    params: ParamsOf<M>,
    signal?: AbortSignal,
  ) => Promise<Answer<ResultOf<M>>>;
  /** Whether an idle kept-alive connection is open: `onClosed` is called when it ends. */
  readonly keepsIdle: () => boolean;
  /** Closes the connections, and ends all pending and future requests with this failure. */
  readonly endWith: (failure: Failure) => void;
  /** As `endWith`, with a failure of the kind `network`. */
  readonly close: () => void;
}

export interface ClientHooks {
  /** Called once per idle kept-alive connection that the node closed or reset. */
  readonly onClosed?: () => void;
  /** Called at the end of each request. */
  readonly onTraced?: (traced: Traced) => void;
  /** Shared by the clients of the process. By default, the client has its own, without a pause after large responses. */
  readonly budget?: Budget;
  /** Shared by the clients of the node. By default, the client has its own. */
  readonly rest?: Rest;
}

/** The options must have passed checkClientOptions. `now` is seconds since the Unix epoch. `asker` replaces real connections. */
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
    signal: AbortSignal | undefined,
  ): Promise<Answer<ResultOf<M>>> => {
    const read = readRpc(readerOf(method, params));
    const body = JSON.stringify(rpcRequest(method, params), digits);
    return ask({ path, rpc: method, body, bounds: boundsOfResult(method) }, isRpcAnswer, read, { signal });
  };

  return {
    health: get('health'),
    healthHealth: get('healthHealth'),
    readiness: get('readiness'),
    liveness: get('liveness'),
    rpc: (method, params, signal) => rpc(servicePaths[methods[method].service], method, params, signal),
    indexRpc: (index, method, params, signal) => rpc(servicePaths.index(index), method, { encoding: 'hex', ...params }, signal),
    keepsIdle: asker.keepsIdle,
    endWith: asker.endWith,
    close: () => asker.endWith({ kind: 'network', reason: 'the client is closed' }),
  };
};

/** Fast readers of large results: a walk reads a thousand containers at a time, and a node may return the validators of a whole network. */
const quickReaders: { readonly [M in MethodName]?: (json: unknown, params: ParamsOf<M>) => ReturnType<Read<ResultOf<M>>> } = {
  // The schema is applied only if the fast reader does not recognize the result.
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

/** A bug in reading a response becomes the outcome of that response, so that the exporter keeps watching other nodes. */
const safely = <T>(read: () => Outcome<T>): Outcome<T> => {
  try {
    return read();
  } catch (error) {
    return { kind: 'internal-error', reason: printable(String(error)) };
  }
};

/** JavaScript cannot write all 64-bit integers as JSON numbers; the node also accepts them as strings. */
const digits = (_key: string, value: unknown): unknown => (typeof value === 'bigint' ? value.toString() : value);

/** A tag is any string. A lone surrogate cannot be encoded in a URL, and is sent as U+FFFD. */
const queryOf = (tags: readonly string[]): string =>
  tags.length === 0 ? '' : `?${tags.map((tag) => `tag=${encodeURIComponent(Buffer.from(tag).toString())}`).join('&')}`;
