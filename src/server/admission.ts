// Checks a request before any work is done for it: number of headers, Host header, rate limit of its client.

import type { IncomingMessage } from 'node:http';
import { type HostPatterns, hostAllowed, unknownHost } from './allowed-hosts.ts';
import { clientAddress } from './client-address.ts';
import { createRates, type RateOptions, tooManyRequests } from './rates.ts';
import { plainText, type Reply } from './reply.ts';

/** Settings of the configuration; a reload may change them. */
export interface AdmissionSettings {
  readonly allowedHosts: HostPatterns;
  /** Whether an address is a trusted proxy: its X-Forwarded-For is believed. */
  readonly isTrustedProxy: (address: string) => boolean;
}

export const openToAll: AdmissionSettings = { allowedHosts: [], isTrustedProxy: () => false };

export interface Admission {
  /** The address of the client. */
  readonly address: string;
  /** The response, if the request is refused. */
  readonly refusal?: Reply;
  /** A probe with a foreign Host header: its response has the status, but not the text. */
  readonly isForeign?: boolean;
}

interface AdmissionOptions extends RateOptions {
  /** The listener serves only probes. */
  readonly probesOnly: boolean;
  /** With TLS the Host header is not checked: a page of a foreign name (DNS rebinding) fails on the certificate. */
  readonly isSecure: boolean;
}

/** 100 headers: `rawHeaders` has name and value of each. */
const maxRawHeaders = 2 * 100;

export const createAdmission = (
  { probesOnly, isSecure, ...rates }: AdmissionOptions,
  settings: () => AdmissionSettings,
  now: () => number,
): ((request: IncomingMessage) => Admission) => {
  const withinLimit = createRates(rates, now);
  // Service discovery has its own limit, so that requests for pages cannot keep Prometheus from discovering new targets.
  const withinDiscoveryLimit = createRates(rates, now);
  return (request) => {
    const { allowedHosts, isTrustedProxy } = settings();
    const address = clientAddress(request, isTrustedProxy);
    const [path = ''] = (request.url ?? '').split('?', 1);
    if (request.rawHeaders.length > maxRawHeaders) return { address, refusal: tooManyHeaders };
    const isForeign = !isSecure && !hostAllowed(request.headers, allowedHosts);
    if (probesOnly || probePath.test(path)) return { address, isForeign };
    if (isForeign && !isChange(request)) return { address, refusal: unknownHost };
    const isWithin = path === discoveryPath ? withinDiscoveryLimit : withinLimit;
    if (isCostly(path) && !isWithin(address)) return { address, refusal: tooManyRequests };
    return { address };
  };
};

/** Routes that change something check the Host header themselves, and say why they refuse. */
const isChange = ({ method }: IncomingMessage): boolean => method !== 'GET' && method !== 'HEAD';

/** A kubelet reads only the status. The text must not be readable by a page of a foreign name. */
export const statusOnly = (reply: Reply): Reply => ({ ...reply, body: reply.status < 400 ? 'ok\n' : 'not ok\n' });

/** Paths that a kubelet probes. */
const probePath = /^\/(?:livez|readyz|self\/.*|targets\/[^/]+\/(?:(?:startupz|livez)\/?|readyz(?:\/.*)?))$/;

/** Page and API are rendered on request. Scrapes are cached bytes, and one Prometheus may scrape a thousand targets at once. */
const isCostly = (path: string): boolean => path === '/' || (path.startsWith('/api/') && path !== '/api/v1/events');

const discoveryPath = '/api/v1/sd';

const tooManyHeaders: Reply = plainText(431, 'more than 100 headers\n');
