// The client address of a request: that of the connection, or the one that a trusted proxy reports.

import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';

/** `isTrusted`: a proxy that writes X-Forwarded-For, of which the last address that is none of them counts. */
export const clientAddress = ({ headers, socket }: IncomingMessage, isTrusted: (address: string) => boolean): string => {
  let address = unmapped(socket.remoteAddress ?? '');
  const named = headers['x-forwarded-for'];
  const hops = (typeof named === 'string' ? named : '').split(',').reverse();
  for (const hop of hops) {
    const next = unmapped(hop.trim());
    if (isIP(next) === 0 || isIP(address) === 0 || !isTrusted(address)) break;
    address = next;
  }
  return address;
};

/** An IPv4 address as a socket for both has it. */
const unmapped = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/i, '');
