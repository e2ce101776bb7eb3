// A server of one index with given containers and faults that the embedded node cannot produce.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { onTestFinished } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import type { ClientOptions } from '../../src/client/options.ts';
import type { Failure } from '../../src/client/outcome.ts';
import type { Container } from '../../src/protocol/container.ts';
import { idOf } from '../../src/protocol/id.ts';
import { type Asking, type AskingOptions, askingOf } from '../../src/walk/asking.ts';
import { encodeHex } from './hex.ts';
import { serveHttp } from './serve.ts';

/** This many valid containers from number 0 on, a second apart. */
export const containersOf = (count: number, bytesEach = 40): Container[] =>
  Array.from({ length: count }, (_, number) => {
    const bytes = Buffer.alloc(bytesEach, `container ${number}.`);
    const timestamp = `${new Date(1_800_000_000_000 + number * 1000).toISOString().slice(0, 19)}Z`;
    return { id: idOf(bytes), bytes: encodeHex(bytes), timestamp, encoding: 'hex', index: BigInt(number) };
  });

export interface Asked {
  readonly method: string;
  readonly params: Readonly<Record<string, string>>;
}

/** `result` is the correct answer. Return another result, an error, a status, or silence. */
export type Odd = (asked: Asked, nth: number) => Reply | undefined;

export type Reply =
  | { readonly result: unknown }
  | { readonly error: string }
  | { readonly status: number }
  | { readonly wait: Promise<void> }
  | 'silence'
  | 'reset';

export interface IndexServerOptions {
  readonly containers: readonly Container[];
  /** Wraps a range as a real node does: `{"containers": [...]}`. */
  readonly wraps?: boolean;
  /** Numbers are not quoted. */
  readonly plainNumbers?: boolean;
  readonly odd?: Odd;
  /** Simulates a slow connection: the rest of a response after this many bytes is delayed. */
  readonly slow?: { readonly pastBytes: number; readonly ms: number };
}

export interface IndexServer {
  readonly url: string;
  /** The requests in order of arrival. */
  readonly asked: readonly Asked[];
  /** The highest number of concurrent requests so far. */
  readonly most: () => number;
}

/** Closed after the test. The list of containers may grow meanwhile. */
export const serveIndex = async (options: IndexServerOptions): Promise<IndexServer> => {
  const asked: Asked[] = [];
  let [underWay, most] = [0, 0];
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const question = JSON.parse(Buffer.concat(chunks).toString()) as Asked;
    underWay += 1;
    most = Math.max(most, underWay);
    response.on('close', () => {
      underWay -= 1;
    });
    asked.push(question);
    const odd = options.odd?.(question, asked.length);
    if (odd === 'silence') return;
    if (odd === 'reset') {
      request.socket.destroy();
      return;
    }
    if (odd !== undefined && 'status' in odd) {
      response.writeHead(odd.status).end();
      return;
    }
    if (odd !== undefined && 'wait' in odd) await odd.wait;
    const reply = odd === undefined || 'wait' in odd ? honest(question, options) : odd;
    const member = 'error' in reply ? { error: { code: -32000, message: reply.error, data: null } } : reply;
    response.setHeader('content-type', 'application/json');
    if ('range' in member) send(response, `{"jsonrpc":"2.0","result":${rangeOf(member.range, options)},"id":1}`);
    else send(response, JSON.stringify({ jsonrpc: '2.0', ...member, id: 1 }, wireOf(options)));
  };
  const send = (response: ServerResponse, body: string): void => {
    const { pastBytes, ms } = options.slow ?? { pastBytes: Number.POSITIVE_INFINITY, ms: 0 };
    if (body.length <= pastBytes) {
      response.end(body);
      return;
    }
    response.write(body.slice(0, pastBytes));
    const rest = setTimeout(() => response.end(body.slice(pastBytes)), ms);
    response.once('close', () => clearTimeout(rest));
  };
  const served = await serveHttp((request, response) => void answer(request, response));
  onTestFinished(() => served.close());
  return { url: served.url, asked, most: () => most };
};

/** Rendered once per container, because tests serve some of them many times. */
const rendered = new WeakMap<Container, string>();

const rangeOf = (containers: readonly Container[], options: IndexServerOptions): string => {
  const items = containers.map((container) => {
    if (options.plainNumbers === true) return JSON.stringify(container, wireOf(options));
    const known = rendered.get(container) ?? JSON.stringify(container, wireOf(options));
    rendered.set(container, known);
    return known;
  });
  return options.wraps === true ? `{"containers":[${items.join(',')}]}` : `[${items.join(',')}]`;
};

const wireOf =
  ({ plainNumbers = false }: IndexServerOptions) =>
  (_key: string, value: unknown): unknown =>
    typeof value === 'bigint' ? (plainNumbers ? Number(value) : value.toString()) : value;

type Honest = { readonly result: unknown } | { readonly error: string } | { readonly range: readonly Container[] };

const honest = ({ method, params }: Asked, { containers }: IndexServerOptions): Honest => {
  const last = containers.at(-1);
  const found = (container: Container | undefined, error: string) =>
    container === undefined ? { error } : { result: container };
  switch (method) {
    case 'index.getLastAccepted':
      return found(last, 'no containers have been accepted');
    case 'index.getContainerByIndex':
      return found(
        containers.find(({ index }) => `${index}` === params.index),
        `no container at index ${params.index}`,
      );
    case 'index.getContainerRange': {
      const [start, count] = [BigInt(params.startIndex ?? 0), BigInt(params.numToFetch ?? 0)];
      if (last === undefined) return { error: 'no containers have been accepted' };
      if (start > last.index) return { error: `start index (${start}) > last accepted index (${last.index})` };
      return { range: containers.filter(({ index }) => index >= start && index < start + count) };
    }
    default: {
      const container = containers.find(({ id }) => id === params.id);
      if (method === 'index.isAccepted') return { result: { isAccepted: container !== undefined } };
      return container === undefined
        ? { error: 'not found' }
        : { result: method === 'index.getIndex' ? { index: container.index } : container };
    }
  }
};

export interface TestAsking {
  readonly asking: Asking;
  readonly abort: () => void;
  /** The failures that led to a retry. */
  readonly retries: readonly Failure[];
}

/** Requests like the commands, without their delays. Closed after the test. */
export const askingAt = (
  url: string,
  over: Partial<AskingOptions & Pick<ClientOptions, 'timeoutMs' | 'maxBodyBytes' | 'maxConnections'>> = {},
): TestAsking => {
  const { timeoutMs = 60_000, maxBodyBytes = 64 * 2 ** 20, maxConnections = 4, ...rest } = over;
  const client = createClient({ baseUrl: url, timeoutMs, maxBodyBytes, userAgent: 'test', maxConnections }, () => 0);
  const stop = new AbortController();
  const retries: Failure[] = [];
  onTestFinished(() => {
    stop.abort();
    client.close();
  });
  const asking = askingOf({
    client,
    index: 'P/block',
    signal: stop.signal,
    tries: 3,
    backoff: () => 0,
    onRetry: (failure) => retries.push(failure),
    ...rest,
  });
  return { asking, abort: () => stop.abort(), retries };
};
