// Sends a reply: no faster than the kernel accepts it, and only within the limits for slow clients.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { piecesOf, sendChunks } from '../chunks.ts';
import type { Joined } from '../metrics/join.ts';
import { yieldToEventLoop } from '../pause.ts';
import { boundLarge, busy, type LargeOptions, pieceBytes } from './large.ts';
import type { Reply } from './reply.ts';

/** `address`: of the client. `isLast`: whether to close the connection after this response. */
export const createSend = (options: LargeOptions, isLast: () => boolean) => {
  const admitsLarge = boundLarge(options);
  return (request: IncomingMessage, response: ServerResponse, address: string, reply: Reply): void => {
    // The client disconnected while the reply was rendered: `close` has fired already, so what is counted for it would never be released.
    if (response.destroyed) return;
    const isHead = request.method === 'HEAD';
    const body = bytesOf(reply.body);
    const isAdmitted =
      isHead || admitsLarge(response, address, { length: body.length, body: 'chunks' in body ? undefined : body });
    const sent = isAdmitted ? { ...reply, body } : { ...busy, body: bytesOf(busy.body) };
    // Most paths do not read the request's body, so the connection cannot be reused.
    const last = hasBody(request) || isLast();
    response.writeHead(sent.status, {
      ...sent.headers,
      'Content-Length': sent.body.length,
      'X-Content-Type-Options': 'nosniff',
      ...(last && { Connection: 'close' }),
    });
    if (isHead) response.end();
    else if ('chunks' in sent.body) void sendChunks(response, sent.body.chunks(), yieldAfterSome());
    else if (sent.body.length > pieceBytes) void sendChunks(response, piecesOf(sent.body, pieceBytes));
    else response.end(sent.body);
  };
};

/** Chunks of a page joined and sent per iteration of the event loop, a few milliseconds: the kernel may accept the whole page at once. */
const maxChunksPerIteration = 4;

const yieldAfterSome = (): (() => Promise<void> | undefined) => {
  let taken = 0;
  return () => {
    taken += 1;
    return taken % maxChunksPerIteration === 0 ? yieldToEventLoop() : undefined;
  };
};

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';

const bytesOf = (body: Reply['body']): Uint8Array | Joined => (typeof body === 'string' ? Buffer.from(body) : body);
