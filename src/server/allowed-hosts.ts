// Which Host headers are answered. A page of the Internet whose name is bound to this address afterwards (DNS rebinding) has its browser
// send that name, and would read what is served here.

import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';
import { plainText, type Reply } from './reply.ts';

/** Nobody can register a name below these: RFC 6761, 6762 and 8375, what ICANN keeps for private use, and Services of Kubernetes. */
const unregistrable = ['localhost', 'local', 'internal', 'home.arpa', 'svc'];

/** `*` allows all, `*.example.com` every name below it. */
export type HostPatterns = readonly string[];

/** Says whether a request may be answered; it is asked with the settings of now. */
export const hostAllowed = (headers: IncomingHttpHeaders, allowed: HostPatterns): boolean => {
  const [, bracketed, plain] = /^(?:\[([^\]]*)\]|([^:[\]]*))(?::.*)?$/.exec(headers.host ?? '') ?? [];
  if (plain === undefined) return isIP(bracketed ?? '') === 6;
  const name = plain.toLowerCase().replace(/\.$/, '');
  // Without a dot it is a name of this host or network, and without a Host header no browser asks.
  if (!name.includes('.') || isIP(name) === 4) return true;
  return (
    isWithin(
      name,
      unregistrable.map((suffix) => `*.${suffix}`),
    ) ||
    isWithin(name, allowed) ||
    isScrape(headers)
  );
};

const isWithin = (name: string, patterns: HostPatterns): boolean =>
  patterns.some((pattern) => {
    if (pattern === '*') return true;
    const own = pattern.toLowerCase();
    return own.startsWith('*.') ? name.endsWith(own.slice(1)) : name === own;
  });

/**
 * Prometheus and those that scrape as it does say so, under whatever name they were told. A page may set that header too, but what
 * compression its browser accepts it cannot: over plain HTTP every one of them says deflate, and no scraper does. But for a part of an
 * answer (Range), for which a browser says identity.
 */
const isScrape = (headers: IncomingHttpHeaders): boolean =>
  marks.some((name) => headers[name] !== undefined) &&
  headers.range === undefined &&
  /^(?:gzip|identity)?$/.test(headers['accept-encoding']?.toString() ?? '');

const marks = ['x-prometheus-scrape-timeout-seconds', 'x-prometheus-refresh-interval-seconds'];

export const unknownHost: Reply = plainText(
  403,
  'Host header not allowed: use the IP address, or add the name to server.allowedHosts (in the chart, a cluster domain to clusterDomain)\n',
);
