// Responses with a status 1xx before the response itself, of which a hostile server sends as many as it likes.

import type { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';

/** A proxy may send one or two. */
const maxInformational = 10;

/** `request`: of node:http, or of got. `exceeded`: with the reason, at each one too many. */
export const boundInformational = (request: EventEmitter, exceeded: (reason: string) => void): void => {
  let count = 0;
  request.on('information', () => {
    count += 1;
    if (count > maxInformational) exceeded(`more than ${maxInformational} responses with a status 1xx`);
  });
};

/** What was received already is parsed to its end otherwise, thousands of responses in one turn. */
export const stopParsing = (socket: Socket | null | undefined): void => {
  const parser: unknown = socket && Reflect.get(socket, 'parser');
  if (typeof parser === 'object' && parser !== null && 'pause' in parser && typeof parser.pause === 'function') parser.pause();
};
