// A client without sockets: a node in this process responds, and its bytes are parsed like those from a socket.

import { bySchema, type Reader, readGet, readRpc } from '../../src/client/answer.ts';
import type { Answer, Client } from '../../src/client/client.ts';
import type { Failure } from '../../src/client/outcome.ts';
import { type GetName, gets, methods } from '../../src/protocol/methods.ts';
import { servicePaths } from '../../src/protocol/paths.ts';
import type { ModelNode, Question } from './model-node.ts';

const refused: Failure = { kind: 'refused', reason: 'ECONNREFUSED' };

/** JSON has no numbers of 64 bits. */
const plain = (params: object): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(params).map(([name, value]) => [name, typeof value === 'bigint' ? `${value}` : value]));

export const memoryClient = (node: ModelNode, now: () => number, timeoutMs: number): Client => {
  const ask = async <T>(question: Question, { parse, understand }: Reader<T>): Promise<Answer<T>> => {
    const sentAt = now();
    const served = node.answer(sentAt, question);
    if (served === 'down') return { outcome: refused, sentAt, endedAt: sentAt };
    if (served === 'silent') {
      await new Promise<void>((resolve) => setTimeout(resolve, timeoutMs));
      return { outcome: { kind: 'timeout', afterMs: timeoutMs }, sentAt, endedAt: now() };
    }
    const { status, body, nodeId } = served;
    const date = Math.floor(sentAt);
    const head = { status, date, nodeId, location: undefined };
    const parsed = parse({ head, end: Buffer.from(body), trace: undefined, release: () => undefined });
    return {
      outcome: parsed.kind === 'ok' ? understand(parsed.value) : parsed,
      sentAt,
      endedAt: now(),
      date,
      nodeId,
    };
  };
  const get = (name: GetName): Client[GetName] => {
    const { path, result } = gets[name];
    const read = readGet(bySchema(result));
    return (tags) => ask({ path, tags }, read);
  };
  const readers = Object.fromEntries(Object.entries(methods).map(([method, { result }]) => [method, readRpc(bySchema(result))]));
  const rpc = <T>(path: string, method: string, params: object): Promise<Answer<T>> => {
    // The method table defines the result type.
    const read = readers[method] as Reader<T>;
    return ask({ path, tags: [], rpc: { method, params: plain(params) } }, read);
  };
  return {
    health: get('health'),
    healthHealth: get('healthHealth'),
    readiness: get('readiness'),
    liveness: get('liveness'),
    rpc: (method, params) => rpc(servicePaths[methods[method].service], method, params),
    indexRpc: (index, method, params) => rpc(servicePaths.index(index), method, params),
    keepsIdle: () => true,
    endWith: () => undefined,
    close: () => undefined,
  };
};
