// Go takes any token for a method, Node.js ends a connection that brings one that it does not know: that request, answered as others.

import { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export interface Parsed {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/**
 * `packet`: what Node.js could not read. Undefined where it is not the whole head of a request, or an answer is still being written
 * to the socket. The request's body is never read.
 */
export const ofAnyMethod = (packet: Buffer, socket: Socket): Parsed | undefined => {
  const [head = '', ...rest] = packet.toString('latin1').split('\r\n\r\n', 2);
  const [line = '', ...fields] = head.split('\r\n');
  const [, method, target] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+) (\S+) HTTP\/1\.1$/.exec(line) ?? [];
  if (rest.length === 0 || method === undefined || target === undefined) return undefined;
  if ((Reflect.get(socket, '_httpMessage') ?? null) !== null) return undefined;
  const request = new IncomingMessage(socket);
  const headersDistinct: NodeJS.Dict<string[]> = {};
  for (const field of fields) {
    const colon = field.indexOf(':');
    const name = field.slice(0, colon).toLowerCase();
    headersDistinct[name] = [...(headersDistinct[name] ?? []), field.slice(colon + 1).trim()];
  }
  const headers = Object.fromEntries(Object.entries(headersDistinct).map(([name, values]) => [name, values?.[0]]));
  Object.assign(request, {
    method,
    url: target,
    httpVersion: '1.1',
    httpVersionMajor: 1,
    httpVersionMinor: 1,
    headers,
    headersDistinct,
  });
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  response.assignSocket(socket);
  response.once('finish', () => socket.destroySoon());
  return { request, response };
};
