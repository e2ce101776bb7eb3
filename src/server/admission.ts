// What is looked at of a request before anything is made for it: its headers, the name that it asks for, how often its sender asks.

import type { IncomingMessage } from 'node:http';
import { type HostPatterns, hostAllowed, unknownHost } from './allowed-hosts.ts';
import { clientAddress } from './client-address.ts';
import { createRates, type RateOptions, tooManyRequests } from './rates.ts';
import { plainText, type Reply } from './reply.ts';

/** Of the configuration, as it is now. */
export interface AdmissionSettings {
  readonly allowedHosts: HostPatterns;
  /** Whether an address is a proxy whose X-Forwarded-For is believed. */
  readonly isTrustedProxy: (address: string) => boolean;
}

export const openToAll: AdmissionSettings = { allowedHosts: [], isTrustedProxy: () => false };

export interface Admission {
  /** Of whoever asks. */
  readonly address: string;
  /** Why it is not answered. */
  readonly refusal?: Reply;
  /** A probe under a name that is not ours: its status is for anybody, what stands behind it is not. */
  readonly isForeign?: boolean;
}

export interface AdmissionOptions extends RateOptions {
  /** The listener serves probes and nothing else. */
  readonly probesOnly: boolean;
  /** No page of another name comes through TLS: the certificate is not of that name. */
  readonly isSecure: boolean;
}

/** Each with its value takes two places. */
const maxRawHeaders = 2 * 100;

export const createAdmission = (
  { probesOnly, isSecure, ...rates }: AdmissionOptions,
  settings: () => AdmissionSettings,
  now: () => number,
): ((request: IncomingMessage) => Admission) => {
  const mayCome = createRates(rates, now);
  // Made for who asks as well, but with a limit of its own: however often a page is asked for, Prometheus learns of new targets.
  const mayDiscover = createRates(rates, now);
  return (request) => {
    const { allowedHosts, isTrustedProxy } = settings();
    const address = clientAddress(request, isTrustedProxy);
    const [path = ''] = (request.url ?? '').split('?', 1);
    if (request.rawHeaders.length > maxRawHeaders) return { address, refusal: tooManyHeaders };
    const isForeign = !isSecure && !hostAllowed(request.headers, allowedHosts);
    if (probesOnly || probePath.test(path)) return { address, isForeign };
    if (isForeign && !isChange(request)) return { address, refusal: unknownHost };
    const mayAsk = path === discoveryPath ? mayDiscover : mayCome;
    if (isCostly(path) && !mayAsk(address)) return { address, refusal: tooManyRequests };
    return { address };
  };
};

/** What may be changed has rules of its own, and says why it is not. */
const isChange = ({ method }: IncomingMessage): boolean => method !== 'GET' && method !== 'HEAD';

/** A kubelet reads the status alone; a page of another name would read the rest. */
export const inOneWord = (reply: Reply): Reply => ({ ...reply, body: reply.status < 400 ? 'ok\n' : 'not ok\n' });

/** What a kubelet asks. */
const probePath = /^\/(?:livez|readyz|self\/.*|targets\/[^/]+\/(?:(?:startupz|livez)\/?|readyz(?:\/.*)?))$/;

/** Page and API: what is made for who asks. Scrapes are bytes that are kept, and one Prometheus may ask for a thousand targets at once. */
const isCostly = (path: string): boolean => path === '/' || (path.startsWith('/api/') && path !== '/api/v1/events');

const discoveryPath = '/api/v1/sd';

const tooManyHeaders: Reply = plainText(431, 'more than 100 headers\n');
