// A call of a method, from the body of its request to its answer: in its turn, not at all where the client has gone before, and no
// longer waited for than a bound.

import type { IncomingMessage } from 'node:http';
import { within } from '../pause.ts';
import { type Arrivals, createFairQueue } from '../turns.ts';
import { type CallLimits, callLimits } from './limits.ts';
import { emptyReply, type NodeReply } from './reply.ts';
import { createBodies, noBody } from './request-body.ts';
import { answerRpc, type InTime, isJson, type RpcService } from './rpc-server.ts';
import type { Admit } from './unsent.ts';

export type CallMethod = (service: RpcService, request: IncomingMessage, admit: Admit) => Promise<NodeReply>;

/** Nobody is there to read it. */
const unread = emptyReply(200);

export const createCalls = (arrivals?: Arrivals, limits: CallLimits = callLimits): CallMethod => {
  const inTurn = createFairQueue(arrivals, undefined, limits.turnSeconds * 1000);
  const inTime = methodsInTime(limits);
  const read = createBodies();
  return async (service, request, admit) => {
    const { method = 'GET', socket } = request;
    const contentType = request.headers['content-type'];
    const body = method === 'POST' && isJson(contentType) ? await read(request) : noBody;
    const make = (): Promise<NodeReply> =>
      new Promise((resolve) => {
        if (socket.destroyed) return resolve(unread);
        const leave = inTurn(socket.remoteAddress ?? '', () => {
          socket.off('close', gone);
          const made = answerRpc(service, { method, contentType, body: body.text() }, inTime);
          resolve(made);
          return made;
        });
        // Where each turn takes long, what was sent by those who have gone would be held for all of them.
        const gone = (): void => {
          leave();
          resolve(unread);
        };
        socket.once('close', gone);
      });
    return admit(make, !body.isLarge).finally(body.release);
  };
};

/** In the words of Go. */
const overdue = { kind: 'error', message: 'context deadline exceeded' } as const;

/** What a method holds that never ends cannot be taken from it: of one service only so many are left behind. */
const methodsInTime = ({ seconds, overdueAtOnce }: CallLimits): InTime => {
  const leftBehind = new Map<string, number>();
  const add = (service: string, count: number): void => void leftBehind.set(service, (leftBehind.get(service) ?? 0) + count);
  return async ({ name }, method) => {
    if ((leftBehind.get(name) ?? 0) >= overdueAtOnce) return overdue;
    const made = method();
    if (!(made instanceof Promise)) return made;
    const reply = await within(
      made.then((value) => ({ value })),
      seconds,
    );
    if (reply !== undefined) return reply.value;
    add(name, 1);
    const ended = (): void => add(name, -1);
    made.then(ended, ended);
    return overdue;
  };
};
