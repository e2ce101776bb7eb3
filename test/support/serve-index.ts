// A server that answers like a node with a given P-Chain index, over a real socket, including faults that the embedded node
// cannot produce.

import { onTestFinished } from 'vitest';
import * as z from 'zod/mini';
import type { Container } from '../../src/protocol/container.ts';
import { healthPaths } from '../../src/protocol/paths.ts';
import type { IndexMethods } from './containers.ts';
import { serveHttp } from './serve.ts';

export interface Shapes {
  /** The result of index.getContainerRange: as documented, or as in a real node. */
  readonly range: 'array' | 'object';
  /** The notation of index numbers. */
  readonly numbers: 'quoted' | 'plain';
}

export interface ServedIndex {
  readonly methods: IndexMethods;
  readonly chain: { readonly height: number; readonly id: string };
}

const call = z.object({
  id: z.unknown(),
  method: z.string(),
  params: z.object({
    id: z.optional(z.string()),
    index: z.optional(z.string()),
    startIndex: z.optional(z.string()),
    numToFetch: z.optional(z.string()),
  }),
});

type Outcome = ReturnType<IndexMethods[keyof IndexMethods]>;

const outcomeOf = (methods: IndexMethods, { method, params }: z.infer<typeof call>): Outcome => {
  switch (method) {
    case 'index.getLastAccepted':
      return methods.last();
    case 'index.getContainerByIndex':
      return methods.byIndex(BigInt(params.index ?? 0));
    case 'index.getContainerRange':
      return methods.range(BigInt(params.startIndex ?? 0), Number(params.numToFetch ?? 0));
    case 'index.getIndex':
      return methods.numberOf(params.id ?? '');
    case 'index.isAccepted':
      return methods.isAccepted(params.id ?? '');
    default:
      throw new Error(`not asked by the exporter: ${method}`);
  }
};

const isList = (value: unknown): value is readonly Container[] => Array.isArray(value);

/** Returns the URL; `served` is called for every request. */
export const serveIndex = async (served: () => ServedIndex, shapes: Shapes): Promise<string> => {
  const text = (value: unknown): string => {
    const marked = JSON.stringify(value, (_, one) => (typeof one === 'bigint' ? `uint64:${one}` : one));
    return marked.replace(/"uint64:(\d+)"/g, shapes.numbers === 'quoted' ? '"$1"' : '$1');
  };
  const answer = (body: string): string => {
    const asked = call.parse(JSON.parse(body));
    const outcome = outcomeOf(served().methods, asked);
    if (outcome.kind === 'rpc-error') {
      const { code, message } = outcome;
      return text({ jsonrpc: '2.0', error: { code, message, data: null }, id: asked.id });
    }
    if (outcome.kind !== 'ok') throw new Error(`not told over a socket: ${outcome.kind}`);
    const { value } = outcome;
    const result = isList(value) && shapes.range === 'object' ? { containers: value } : value;
    return text({ jsonrpc: '2.0', result, id: asked.id });
  };
  const report = (): string => {
    const { height, id } = served().chain;
    const consensus = { lastAcceptedHeight: height, lastAcceptedID: id, longestProcessingBlock: '0s', processingBlocks: 0 };
    const message = { engine: { consensus, vm: null }, networking: { percentConnected: 1 } };
    const checks = { P: { message, timestamp: '2027-01-15T08:00:00Z', duration: 5000 } };
    return JSON.stringify({ checks, healthy: true });
  };

  const server = await serveHttp((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const isHealth = Object.values(healthPaths).some((path) => path === request.url);
      // There is no other API.
      if (!isHealth && request.url?.startsWith('/ext/index/') !== true) {
        response.writeHead(404).end();
        return;
      }
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(isHealth ? report() : answer(Buffer.concat(parts).toString()));
    });
  });
  onTestFinished(() => server.close());
  return server.url;
};
