// One request and its answer on the wire, framed as Go's server frames them.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Delivery } from './inject-fault.ts';
import { maxHeaders } from './limits.ts';
import { bytesOf, type Reply } from './reply.ts';

export interface ExchangeDeps {
  readonly answer: (request: IncomingMessage) => Promise<Delivery>;
  /** Seconds since the Unix epoch in the node's clock: the Date header. */
  readonly now: () => number;
  /** True when the server takes no more: then the connection ends with its answer. */
  readonly isClosing: () => boolean;
}

export const badRequest = (text: string): string =>
  `HTTP/1.1 ${text}\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n${text}`;

export const tooLongHead = badRequest('431 Request Header Fields Too Large');

export const exchange = async (request: IncomingMessage, response: ServerResponse, deps: ExchangeDeps): Promise<void> => {
  if (request.rawHeaders.length > 2 * maxHeaders) {
    request.socket.end(tooLongHead);
    return;
  }
  if (request.headers.host === undefined && request.httpVersion === '1.1') {
    request.socket.end(badRequest('400 Bad Request: missing required Host header'));
    return;
  }
  const delivery = await deps.answer(request);
  if (response.destroyed) return;
  switch (delivery.kind) {
    case 'silence':
      return;
    case 'reset':
      request.socket.resetAndDestroy();
      return;
    case 'huge':
      writeHead(response, delivery.reply, deps);
      return writeHuge(response, bytesOf(delivery.reply).toString().trimEnd(), delivery.bytes);
    case 'reply':
      writeHead(response, delivery.reply, deps);
      return writeBody(request, response, delivery.reply);
    default:
      return delivery satisfies never;
  }
};

const writeHead = (response: ServerResponse, reply: Reply, { now, isClosing }: ExchangeDeps): void => {
  response.statusCode = reply.status;
  response.setHeader('Date', new Date(now() * 1000).toUTCString());
  // Go does not say that a connection stays open; that it ends, it does.
  if (isClosing()) response.setHeader('Connection', 'close');
  else if (response.shouldKeepAlive) response.removeHeader('Connection');
  for (const [name, value] of reply.headers) response.appendHeader(name, value);
};

/** Go counts what a handler writes before it ends: up to this many bytes it can tell the length. */
const bufferBytes = 2048;

const writeBody = (request: IncomingMessage, response: ServerResponse, reply: Reply): void => {
  const body = bytesOf(reply);
  if (body.length <= bufferBytes) response.setHeader('Content-Length', body.length);
  // Removed, or Node would count where Go does not.
  else response.removeHeader('Content-Length');
  response.end(request.method === 'HEAD' ? undefined : body);
};

/** JSON after as much white space as it takes. */
const writeHuge = async (response: ServerResponse, json: string, bytes: number): Promise<void> => {
  const body = Buffer.from(json);
  const padding = Buffer.alloc(65_536, ' ');
  const chunks = function* (): Generator<Buffer> {
    for (let left = bytes - body.length; left > 0; left -= padding.length) yield padding.subarray(0, left);
    yield body;
  };
  // A reader that has had enough, and goes, is what the fault is for.
  await Promise.allSettled([pipeline(Readable.from(chunks()), response)]);
};
