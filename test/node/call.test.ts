// Methods whose store hangs, and clients that disconnect before their turn, over real sockets.

import { connect, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createCalls } from '../../src/node/call.ts';
import { goStruct } from '../../src/node/go-json.ts';
import { bodyLimits, type CallLimits, callLimits } from '../../src/node/limits.ts';
import { listen } from '../../src/node/listen.ts';
import type { MethodReply, RpcMethod, RpcService } from '../../src/node/rpc-server.ts';
import { askRaw, headerOf } from '../support/raw-http.ts';

const headers = { 'Content-Type': 'application/json' };
const bodyOf = (method: string, rest = ',"id":1'): string => `{"jsonrpc":"2.0","method":"${method}"${rest}}`;
const overdue = '{"jsonrpc":"2.0","error":{"code":-32000,"message":"context deadline exceeded","data":null},"id":1}\n';
const result = '{"jsonrpc":"2.0","result":true,"id":1}\n';

/** A node with a method that ends when the test ends it, and one that responds at once. */
const started = async (limits: Partial<CallLimits>) => {
  const begun: { readonly end: () => void }[] = [];
  const reply: MethodReply = { kind: 'result', json: goStruct(true) };
  const hang = () => new Promise<MethodReply>((resolve) => begun.push({ end: () => resolve(reply) }));
  const index: RpcService = {
    name: 'index',
    methods: new Map<string, RpcMethod>([
      ['hang', hang],
      ['show', () => reply],
    ]),
  };
  const info: RpcService = { name: 'info', methods: new Map<string, RpcMethod>([['show', () => reply]]) };
  const call = createCalls(undefined, { ...callLimits, ...limits });
  const requests = new Map<object, number>();
  const mayWait: unknown[] = [];
  const listening = await listen('127.0.0.1', 0, {
    now: () => 0,
    requests,
    onFault: (error) => expect.unreachable(String(error)),
    answer: async (request, admit) => {
      const admitted: typeof admit = (make, ...rest) => {
        mayWait.push(...rest);
        return admit(make, ...rest);
      };
      return { kind: 'reply', reply: await call(request.url === '/info' ? info : index, request, admitted) };
    },
  });
  if (listening.kind === 'refused') throw new Error(listening.message);
  onTestFinished(() => listening.listener.close(0));
  const { port } = listening.listener;
  return {
    begun,
    mayWait,
    requests,
    ask: (method: string, rest?: string, path = '/') =>
      askRaw(port, { method: 'POST', path, headers, body: bodyOf(method, rest) }),
    open: (method: string): Socket => {
      const socket = connect(port, '127.0.0.1');
      onTestFinished(() => void socket.destroy());
      const body = bodyOf(method);
      socket.write(
        `POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      );
      return socket;
    },
  };
};

test('other calls get a response while a method hangs', async () => {
  const { ask, open, begun } = await started({ turnSeconds: 0.02 });
  open('index.hang');
  await expect.poll(() => begun.length).toBe(1);
  expect(await ask('index.show')).toMatchObject({ status: 200, body: result });
});

test('a call that exceeds its timeout gets the JSON-RPC error "context deadline exceeded", a notification an empty response', async () => {
  const { ask } = await started({ turnSeconds: 0.01, seconds: 0.02 });
  const answer = await ask('index.hang');
  expect(answer).toMatchObject({ status: 200, body: overdue });
  expect(headerOf(answer, 'X-Content-Type-Options')).toBe('nosniff');
  expect(await ask('index.hang', '')).toMatchObject({ status: 200, body: '' });
});

test('a service with overdueAtOnce hanging calls rejects further calls until one ends; other services still respond', async () => {
  const { ask, begun } = await started({ turnSeconds: 0.01, seconds: 0.02, overdueAtOnce: 2 });
  for (let count = 0; count < 4; count += 1) expect((await ask('index.hang')).body).toBe(overdue);
  expect(begun).toHaveLength(2);
  expect((await ask('index.show')).body).toBe(overdue);
  expect((await ask('info.show', undefined, '/info')).body).toBe(result);
  begun[0]?.end();
  await expect.poll(async () => (await ask('index.show')).body).toBe(result);
});

test('the call of a client that disconnects before its turn is not run', async () => {
  const { ask, open, begun, requests } = await started({ turnSeconds: 600 });
  open('index.hang');
  await expect.poll(() => begun.length).toBe(1);
  const gone = Array.from({ length: 20 }, () => open('index.hang'));
  await expect.poll(() => requests.size).toBe(21);
  for (const socket of gone) socket.destroy();
  await expect.poll(() => requests.size).toBe(1);
  const answered = ask('index.show');
  await expect.poll(() => requests.size).toBe(2);
  begun[0]?.end();
  expect((await answered).body).toBe(result);
  expect(begun).toHaveLength(1);
});

test('a call with a large body may not wait for room for its response, a call with a small body may', async () => {
  const { ask, mayWait } = await started({});
  for (const spaces of [0, bodyLimits.smallBytes])
    expect((await ask('index.show', `,"id":1${' '.repeat(spaces)}`)).body).toBe(result);
  expect(mayWait).toEqual([true, false]);
});
