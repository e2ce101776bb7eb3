// One request and its response on the wire, framed as by Go's server.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { piecesOf, sendChunks } from '../chunks.ts';
import type { Delivery } from './inject-fault.ts';
import { maxHeaders, type UnsentLimits } from './limits.ts';
import { bytesOf, type NodeReply } from './reply.ts';
import type { Admit, createUnsent } from './unsent.ts';

export interface ExchangeDeps {
  readonly answer: (request: IncomingMessage, admit: Admit) => Promise<Delivery>;
  /** Seconds since the Unix epoch by the node's clock, for the Date header. */
  readonly now: () => number;
  /** True if the server is closing: connections then end with their response. */
  readonly isClosing: () => boolean;
  readonly limits: UnsentLimits;
  readonly unsent: ReturnType<typeof createUnsent>;
}

/** The body defaults to the status. */
export const badRequest = (status: string, body = status): string =>
  `HTTP/1.1 ${status}\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n${body}`;

export const unknownCoding = badRequest('501 Not Implemented', 'Unsupported transfer encoding');

export const tooLongHead = badRequest('431 Request Header Fields Too Large');

export const serveExchange = async (request: IncomingMessage, response: ServerResponse, deps: ExchangeDeps): Promise<void> => {
  const fault = headFault(request);
  if (fault !== undefined) {
    request.socket.end(fault);
    return;
  }
  toPath(request);
  const { admit, release } = deps.unsent(request.socket);
  response.once('close', release);
  const delivery = await deps.answer(request, admit);
  // The client may have disconnected while it waited for room, or gets no response at all.
  if (response.destroyed || delivery.kind === 'silence') {
    release();
    return;
  }
  switch (delivery.kind) {
    case 'reset':
      request.socket.resetAndDestroy();
      return;
    case 'huge':
      writeHead(response, delivery.reply, deps);
      return sendInTime(response, hugeOf(bytesOf(delivery.reply).toString().trimEnd(), delivery.bytes), deps.limits);
    case 'reply':
      writeHead(response, delivery.reply, deps);
      return writeBody(request, response, delivery.reply, deps.limits);
    default:
      return delivery satisfies never;
  }
};

/** Error response that ends the connection, if the head is invalid. */
const headFault = ({ rawHeaders, headers, headersDistinct, httpVersion, url = '' }: IncomingMessage): string | undefined => {
  if (rawHeaders.length > 2 * maxHeaders) return tooLongHead;
  if (!httpVersion.startsWith('1.')) return badRequest('505 HTTP Version Not Supported: unsupported protocol version');
  if (httpVersion === '1.1' && !/^chunked$/i.test(headers['transfer-encoding'] ?? 'chunked')) return unknownCoding;
  if (/^[^?]*%(?![0-9a-f]{2})/i.test(url)) return badRequest('400 Bad Request');
  const [host, ...more] = headersDistinct.host ?? [];
  if (host === undefined && httpVersion === '1.1') return badRequest('400 Bad Request: missing required Host header');
  // A proxy between client and node may have checked the other one.
  if (more.length > 0) return badRequest('400 Bad Request');
  return isHostText(host ?? '') ? undefined : badRequest('400 Bad Request: malformed Host header');
};

/** Characters that Go accepts in a Host header. */
const isHostText = (host: string): boolean => /^[\w!$%&'()*+,\-.:;=[\]~]*$/.test(host);

/**
 * RFC 9112, 3.2.2: the target may be a whole URL. Its host then replaces the Host header. Non-ASCII characters are escaped,
 * byte by byte.
 */
const toPath = (request: IncomingMessage): void => {
  request.url = request.url?.replace(/[\x80-\xff]/g, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`);
  const [, host, path] = /^https?:\/\/(?:[^/?#]*@)?([^/?#]*)(.*)$/i.exec(request.url ?? '') ?? [];
  if (host === undefined || path === undefined) return;
  if (host !== '') request.headers.host = host;
  request.url = path.startsWith('/') ? path : `/${path}`;
};

const writeHead = (response: ServerResponse, reply: NodeReply, { now, isClosing }: ExchangeDeps): void => {
  response.statusCode = reply.status;
  // Go sorts the headers of a handler, and writes its own after them.
  for (const [name, value] of [...reply.headers].sort(byName)) response.appendHeader(name, value);
  response.setHeader('Date', new Date(now() * 1000).toUTCString());
  // Go sends keep-alive only to HTTP/1.0, but always announces that it closes.
  if (isClosing()) response.setHeader('Connection', 'close');
  else if (response.shouldKeepAlive && response.req.httpVersion === '1.1') response.removeHeader('Connection');
};

type Header = NodeReply['headers'][number];

const byName = ([a]: Header, [b]: Header): number => Number(a > b) - Number(a < b);

/** Go buffers what a handler writes before it ends: up to this many bytes it sends a length. */
const bufferBytes = 2048;

const writeBody = (request: IncomingMessage, response: ServerResponse, reply: NodeReply, limits: UnsentLimits): void => {
  const body = bytesOf(reply);
  const isHead = request.method === 'HEAD';
  // Removed, or Node.js would set it where Go does not.
  if (body.length > bufferBytes || (isHead && body.length === 0)) response.removeHeader('Content-Length');
  else response.setHeader('Content-Length', body.length);
  if (isHead) response.end();
  else sendInTime(response, body.length <= limits.pieceBytes ? body : piecesOf(body, limits.pieceBytes), limits);
};

/** JSON padded with leading white space. */
function* hugeOf(json: string, bytes: number): Generator<Uint8Array> {
  const body = Buffer.from(json);
  const padding = Buffer.alloc(65_536, ' ');
  for (let left = bytes - body.length; left > 0; left -= padding.length) yield padding.subarray(0, left);
  yield body;
}

/** Closes the connection if the client takes too long to read one piece: it stopped reading, or vanished. */
const sendInTime = (response: ServerResponse, body: Uint8Array | Iterable<Uint8Array>, { seconds }: UnsentLimits): void => {
  const late = setTimeout(() => response.destroy(), seconds * 1000);
  response.once('close', () => clearTimeout(late));
  if (body instanceof Uint8Array) response.end(body);
  else void sendChunks(response, body, () => void late.refresh());
};
