// Cross-origin headers as written by rs/cors, the library of a real node.

import type { IncomingMessage } from 'node:http';
import { emptyReply, type NodeReply } from './reply.ts';

const allowedMethods: ReadonlySet<string> = new Set(['GET', 'POST', 'HEAD', 'OPTIONS']);
const allowedHeaders: ReadonlySet<string> = new Set(['Accept', 'Content-Type', 'Origin', 'X-Requested-With']);

export const isPreflight = ({ method, headers }: IncomingMessage): boolean =>
  method === 'OPTIONS' && (headers['access-control-request-method'] ?? '') !== '';

const varyByPreflight = ['Origin', 'Access-Control-Request-Method', 'Access-Control-Request-Headers'].map(
  (name) => ['Vary', name] as const,
);

/** 200 and empty, allowed or not: the browser decides by the headers. */
export const preflightReply = ({ headers: given, headersDistinct }: IncomingMessage, origins: readonly string[]): NodeReply => {
  const method = (given['access-control-request-method'] ?? '').toUpperCase();
  // Only the first one counts.
  const [asked = ''] = headersDistinct['access-control-request-headers'] ?? [];
  const headers = asked.split(/[ ,]+/).flatMap(canonical);
  const origin = allowedOrigin(given.origin, origins);
  const isAllowed = isMethodAllowed(method) && headers.every((name) => allowedHeaders.has(name));
  if (origin === undefined || !isAllowed) return emptyReply(200, varyByPreflight);
  return emptyReply(200, [
    ['Access-Control-Allow-Credentials', 'true'],
    ...(headers.length === 0 ? [] : [['Access-Control-Allow-Headers', headers.join(', ')] as const]),
    ['Access-Control-Allow-Methods', method],
    ['Access-Control-Allow-Origin', origin],
    ...varyByPreflight,
  ]);
};

/** CORS headers of all other responses. */
export const corsHeaders = ({ method = '', headers }: IncomingMessage, origins: readonly string[]): NodeReply['headers'] => {
  const allowed = isMethodAllowed(method) ? allowedOrigin(headers.origin, origins) : undefined;
  const vary = ['Vary', 'Origin'] as const;
  if (allowed === undefined) return [vary];
  return [vary, ['Access-Control-Allow-Origin', allowed], ['Access-Control-Allow-Credentials', 'true']];
};

const isMethodAllowed = (method: string): boolean => allowedMethods.has(method.toUpperCase());

const allowedOrigin = (origin = '', origins: readonly string[]): string | undefined => {
  if (origin === '') return undefined;
  if (origins.includes('*')) return '*';
  return origins.some((one) => isOf(one.toLowerCase(), origin.toLowerCase())) ? origin : undefined;
};

/** The first * of an allowed origin matches anything. */
const isOf = (allowed: string, origin: string): boolean => {
  const star = allowed.indexOf('*');
  if (star === -1) return origin === allowed;
  const [start, end] = [allowed.slice(0, star), allowed.slice(star + 1)];
  return origin.length >= start.length + end.length && origin.startsWith(start) && origin.endsWith(end);
};

const canonical = (name: string): readonly string[] =>
  name === '' ? [] : [name.toLowerCase().replace(/(^|-)[a-z]/g, (start) => start.toUpperCase())];
