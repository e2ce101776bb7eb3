// Go takes any token for a method, and any character for one of a target. Node.js ends a connection that brings a method that it does not
// know or a target beyond ASCII, and answers no CONNECT: those requests, answered as others.

import { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

const token = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const requestLine = new RegExp(`^(${token}) ((?:/|https?://)[!-~\\x80-\\xff]*|\\*) HTTP/1\\.([01])$`);
/** Neither a line that goes on the one before, nor a name with a space behind it. */
const header = new RegExp(`^(${token}):(.*)$`);

/** What Node.js does not take, and Go does. */
const codes: ReadonlySet<unknown> = new Set(['HPE_INVALID_METHOD', 'HPE_INVALID_URL']);

/**
 * `error`: of Node.js' parser, with the packet that it could not read. Undefined where that is not the whole head of such a request,
 * or an answer is still being written to the socket. The request's body is never read: none is a POST, whose body is the question.
 */
export const ofAnyMethod = (
  error: NodeJS.ErrnoException,
  socket: Socket,
): { readonly request: IncomingMessage; readonly response: ServerResponse } | undefined => {
  const packet = 'rawPacket' in error && Buffer.isBuffer(error.rawPacket) ? error.rawPacket.toString('latin1') : '';
  const [head = '', body] = packet.split('\r\n\r\n', 2);
  const [line = '', ...fields] = head.split('\r\n');
  const [, method, url, minor] = requestLine.exec(line) ?? [];
  if (!codes.has(error.code) || body === undefined || method === undefined || method === 'POST') return undefined;
  // A header may be called constructor.
  const headersDistinct: NodeJS.Dict<string[]> = Object.create(null);
  for (const field of fields) {
    const [, spelled, value = ''] = header.exec(field) ?? [];
    if (spelled === undefined) return undefined;
    const name = spelled.toLowerCase();
    headersDistinct[name] = [...(headersDistinct[name] ?? []), value.trim()];
  }
  const headers = Object.fromEntries(Object.entries(headersDistinct).map(([name, values]) => [name, values?.[0]]));
  const version = { httpVersion: `1.${minor}`, httpVersionMajor: 1, httpVersionMinor: Number(minor) };
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
