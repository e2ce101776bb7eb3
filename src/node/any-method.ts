// Go takes any token for a method. Node.js ends a connection that brings one that it does not know, and answers no CONNECT: those requests,
// answered as others.

import { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * `error`: of Node.js' parser, with the packet that it could not read. Undefined where that is not the whole head of a request,
 * or an answer is still being written to the socket. The request's body is never read.
 */
export const ofAnyMethod = (
  error: object,
  socket: Socket,
): { readonly request: IncomingMessage; readonly response: ServerResponse } | undefined => {
  const packet = 'rawPacket' in error && Buffer.isBuffer(error.rawPacket) ? error.rawPacket.toString('latin1') : '';
  const [head = '', body] = packet.split('\r\n\r\n', 2);
  const [line = '', ...fields] = head.split('\r\n');
  const [, method, url] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+) (\S+) HTTP\/1\.1$/.exec(line) ?? [];
  if (body === undefined || method === undefined) return undefined;
  // A header may be called constructor.
  const headersDistinct: NodeJS.Dict<string[]> = Object.create(null);
  for (const field of fields) {
    const colon = field.indexOf(':');
    const name = field.slice(0, colon).toLowerCase();
    headersDistinct[name] = [...(headersDistinct[name] ?? []), field.slice(colon + 1).trim()];
  }
  const headers = Object.fromEntries(Object.entries(headersDistinct).map(([name, values]) => [name, values?.[0]]));
  const version = { httpVersion: '1.1', httpVersionMajor: 1, httpVersionMinor: 1 };
  const request = Object.assign(new IncomingMessage(socket), { method, url, ...version, headers, headersDistinct });
  const response = lastResponse(request);
  return response && { request, response };
};

/** That ends its connection. Undefined where an answer is still being written to it. */
export const lastResponse = (request: IncomingMessage): ServerResponse | undefined => {
  const { socket } = request;
  if ((Reflect.get(socket, '_httpMessage') ?? null) !== null) return undefined;
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  response.assignSocket(socket);
  response.once('finish', () => socket.destroySoon());
  return response;
};
