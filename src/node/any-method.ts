// Handles requests that Node.js rejects and Go accepts. Go takes any token as a method and any character in a target. Node.js closes the
// connection on an unknown method or a non-ASCII target, and does not respond to CONNECT.

import { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

const token = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const requestLine = new RegExp(`^(${token}) ((?:/|https?://)[!-~\\x80-\\xff]*|\\*) HTTP/1\\.([01])$`);
/** Matches neither a folded header line nor a name followed by a space. */
const header = new RegExp(`^(${token}):(.*)$`);

/** Parser errors on what Go accepts. */
const codes: ReadonlySet<unknown> = new Set(['HPE_INVALID_METHOD', 'HPE_INVALID_URL']);

/**
 * `error`: from Node.js' parser, with the packet that it could not parse. Undefined if that is not the whole head of such a request, or a
 * response is still being written to the socket. The body is never read: a POST, whose body is a method call, is not handled here.
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
  // No prototype: a header may be named constructor.
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

/** Closes its connection. Undefined if another response is still being written. */
export const lastResponse = (request: IncomingMessage): ServerResponse | undefined => {
  const { socket } = request;
  if ((Reflect.get(socket, '_httpMessage') ?? null) !== null) return undefined;
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  response.assignSocket(socket);
  response.once('finish', () => socket.destroySoon());
  return response;
};
