// A reply on the wire: no more of it at a time than the kernel takes, and no more of all than is held for slow readers.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { piecesOf, sendChunks } from '../chunks.ts';
import type { Joined } from '../metrics/join.ts';
import { yieldToEventLoop } from '../pause.ts';
import { boundLarge, busy, type LargeOptions, pieceBytes } from './large.ts';
import type { Reply } from './reply.ts';

/** `address`: of whoever asks. `isLast`: the connection ends with what is sent now. */
export const createSend = (options: LargeOptions, isLast: () => boolean) => {
  const admitsLarge = boundLarge(options);
  return (request: IncomingMessage, response: ServerResponse, address: string, found: Reply): void => {
    // Who went while it was made is told of no more: what is held for them would be held for good.
    if (response.destroyed) return;
    const isHead = request.method === 'HEAD';
    const body = bytesOf(found.body);
    const isHeld = isHead || admitsLarge(response, address, { length: body.length, body: 'chunks' in body ? undefined : body });
    const reply = isHeld ? { ...found, body } : { ...busy, body: bytesOf(busy.body) };
    // A body means nothing to most paths, which do not read it: the connection ends with the answer.
    const last = hasBody(request) || isLast();
    response.writeHead(reply.status, {
      ...reply.headers,
      'Content-Length': reply.body.length,
      'X-Content-Type-Options': 'nosniff',
      ...(last && { Connection: 'close' }),
    });
    if (isHead) response.end();
    else if ('chunks' in reply.body) void sendChunks(response, reply.body.chunks(), fewInATurn());
    else if (reply.body.length > pieceBytes) void sendChunks(response, piecesOf(reply.body, pieceBytes));
    else response.end(reply.body);
  };
};

/** Chunks of a page that are joined and sent in one turn of the event loop, some milliseconds: the kernel may take a whole page at once. */
const chunksInOneTurn = 4;

const fewInATurn = (): (() => Promise<void> | undefined) => {
  let taken = 0;
  return () => {
    taken += 1;
    return taken % chunksInOneTurn === 0 ? yieldToEventLoop() : undefined;
  };
};

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';

const bytesOf = (body: Reply['body']): Uint8Array | Joined => (typeof body === 'string' ? Buffer.from(body) : body);
