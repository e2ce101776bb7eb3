// Runs a method call, from the request's body to the response: in turn, not at all if the client has disconnected, and
// with a timeout.

import type { IncomingMessage } from 'node:http';
import { within } from '../pause.ts';
import { type Arrivals, createFairQueue } from '../turns.ts';
import { type CallLimits, callLimits } from './limits.ts';
import { emptyReply, type NodeReply } from './reply.ts';
import { createBodies, noBody } from './request-body.ts';
import { answerRpc, type InTime, isJson, type RpcService, refused } from './rpc-server.ts';
import type { Admit } from './unsent.ts';

export type CallMethod = (service: RpcService, request: IncomingMessage, admit: Admit) => Promise<NodeReply>;

/** The client has disconnected. */
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
        // If turns are slow, the bodies of disconnected clients would be held until their turns.
        const gone = (): void => {
          leave();
          resolve(unread);
        };
        socket.once('close', gone);
      });
    return admit(make, !body.isLarge).finally(body.release);
  };
};

/** Go's message. */
const overdue = refused('context deadline exceeded');

/** A method that never ends cannot be stopped, so each service has a limit of overdue calls. */
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
