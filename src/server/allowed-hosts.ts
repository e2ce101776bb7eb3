// Which Host headers are allowed. In a DNS rebinding attack, a web page makes its own host name resolve to our address. The browser then
// sends that name as Host header, and the page could read the responses.

import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';
import { plainText, type Reply } from './reply.ts';

/** Nobody can register a name below these: RFC 6761, 6762 and 8375, ICANN's domain for private use, and Kubernetes Services. */
const unregistrable = ['*.localhost', '*.local', '*.internal', '*.home.arpa', '*.svc'];

/** `*` allows all names, `*.example.com` every name below example.com, and `{shard}` stands for the number of a shard. */
export type HostPatterns = readonly string[];

/** Returns whether the Host header is allowed. `allowed`: the current setting. */
export const hostAllowed = (headers: IncomingHttpHeaders, allowed: HostPatterns): boolean => {
  const [, bracketed, plain] = /^(?:\[([^\]]*)\]|([^:[\]]*))(?::.*)?$/.exec(headers.host ?? '') ?? [];
  if (plain === undefined) return isIP(bracketed ?? '') === 6;
  const name = plain.toLowerCase().replace(/\.$/, '');
  // A name without a dot is of this host or network. A request without a Host header is not from a browser.
  if (!name.includes('.') || isIP(name) === 4) return true;
  return isWithin(name, [...unregistrable, ...allowed]) || isScrape(headers);
};

const isWithin = (name: string, patterns: HostPatterns): boolean =>
  patterns.some((pattern) => {
    if (pattern === '*') return true;
    const own = pattern.toLowerCase();
    const [before = '', after] = own.split('{shard}', 2);
    if (after !== undefined)
      return (
        name.startsWith(before) && name.endsWith(after) && shardNumber.test(name.slice(before.length, name.length - after.length))
      );
    return own.startsWith('*.') ? name.endsWith(own.slice(1)) : name === own;
  });

/** There are at most a thousand shards. */
const shardNumber = /^(?:0|[1-9]\d{0,2})$/;

/**
 * Prometheus and compatible scrapers send one of these headers, and may use any name. A page can set them too, but it cannot set
 * Accept-Encoding: over plain HTTP every browser sends deflate there, and no scraper does. The exception is a request with a Range header,
 * for which browsers send identity.
 */
const isScrape = (headers: IncomingHttpHeaders): boolean =>
  scrapeHeaders.some((name) => headers[name] !== undefined) &&
  headers.range === undefined &&
  /^(?:gzip|identity)?$/.test(headers['accept-encoding']?.toString() ?? '');

const scrapeHeaders = ['x-prometheus-scrape-timeout-seconds', 'x-prometheus-refresh-interval-seconds'];

export const unknownHost: Reply = plainText(
  403,
  'Host header not allowed: use the IP address, or add the name to server.allowedHosts (in the chart, a cluster domain to clusterDomain)\n',
);
