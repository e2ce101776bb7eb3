// Responds to malformed or oversized request heads. node:http would reset the connection right after its response, and a client that is
// still sending might never read it.

import { type Server, STATUS_CODES } from 'node:http';
import { endRefused } from '../one-request.ts';

const statuses: ReadonlyMap<string, number> = new Map([
  ['HPE_HEADER_OVERFLOW', 431],
  ['HPE_CHUNK_EXTENSIONS_OVERFLOW', 413],
  ['ERR_HTTP_REQUEST_TIMEOUT', 408],
]);

export const refuseHeads = (server: Server): void => {
  server.on('clientError', ({ code = '' }: NodeJS.ErrnoException, socket) => {
    const status = statuses.get(code) ?? 400;
    endRefused(socket, `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\n\r\n`);
  });
};
