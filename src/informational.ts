// Limits the informational responses (1xx) before a response, since a hostile server may send any number of them.

import type { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';

/** A proxy sends one or two. */
const maxInformational = 10;

/** `request`: of node:http or got. `exceeded` is called with the reason for each response above the limit. */
export const boundInformational = (request: EventEmitter, exceeded: (reason: string) => void): void => {
  let count = 0;
  request.on('information', () => {
    count += 1;
    if (count > maxInformational) exceeded(`more than ${maxInformational} responses with a status 1xx`);
  });
};

/**
 * Pauses the parser. Otherwise, everything that was received would be parsed in one iteration of the event loop: thousands of responses.
 */
export const stopParsing = (socket: Socket | null | undefined): void => {
  const parser: unknown = socket && Reflect.get(socket, 'parser');
  if (typeof parser === 'object' && parser !== null && 'pause' in parser && typeof parser.pause === 'function') parser.pause();
};
