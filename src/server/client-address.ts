// The client address of a request: that of the connection, or the one that a trusted proxy reports.

import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';

/**
 * `isTrusted`: whether an address is a proxy and its X-Forwarded-For is believed. The client is the last address in that header that is not
 * such a proxy.
 */
export const clientAddress = ({ headers, socket }: IncomingMessage, isTrusted: (address: string) => boolean): string => {
  let address = unmapped(socket.remoteAddress ?? '');
  const named = headers['x-forwarded-for'];
  const hops = (typeof named === 'string' ? named : '').split(',').reverse();
  for (const hop of hops) {
    const next = unmapped(withoutPort(hop.trim()));
    if (isIP(next) === 0 || isIP(address) === 0 || !isTrusted(address)) break;
    address = next;
  }
  return address;
};

/** Some proxies add the port of the client, as Azure's Application Gateway does: `192.0.2.1:49152`, `[2001:db8::1]:49152`. */
const withoutPort = (hop: string): string => {
  const [, bracketed, plain] = /^(?:\[(.+)\]|([\d.]+))(?::\d+)?$/.exec(hop) ?? [];
  return bracketed ?? plain ?? hop;
};

/** A socket that accepts both IP versions writes an IPv4 address as `::ffff:192.0.2.1`: returns it without the prefix. */
const unmapped = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/i, '');
