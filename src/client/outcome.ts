// The outcomes of a request to the node. The list is closed: after adding a kind, the compiler shows all code that must handle it.

import { isIP } from 'node:net';
import type { Bound } from './bounds.ts';

/** How far a request got. */
export type RequestPhase = 'lookup' | 'connect' | 'handshake' | 'response' | 'body';

type AnyBound = 'bytes' | 'beside' | 'rows' | Bound;

type TimeoutCause = RequestPhase | 'queue' | 'slow' | 'crowded';

/**
 * `url`: the requested URL without user, password, query and fragment, a path prefix as `/…`, cut to a limit. `isRemote`: refused by another host,
 * not by the loopback address.
 */
export type Failure = { readonly url?: string } & (
  | { readonly kind: 'refused'; readonly reason: string; readonly isRemote?: true }
  /** `maySpeak`: the port has sent no response yet, and may need this scheme instead of the configured one. */
  | { readonly kind: 'reset'; readonly reason: string; readonly maySpeak?: 'http' | 'https' }
  | { readonly kind: 'dns'; readonly reason: string }
  /**
   * `cause`: what did not end in time. `queue`: the request waited for an earlier one that did not end. `slow`: the large response arrived slowly
   * while responses of other nodes waited. `crowded`: it waited too long for responses of other nodes.
   */
  | { readonly kind: 'timeout'; readonly afterMs: number; readonly cause?: TimeoutCause }
  /**
   * `speaks`, here and below: the port needs this scheme instead of the configured one. `isUntrusted`: the certificate authority is not
   * trusted. `isAbuse`: HTTP or TLS that only a hostile server sends, such as certificates that are expensive to verify.
   */
  | {
      readonly kind: 'tls';
      readonly reason: string;
      readonly speaks?: 'http';
      readonly isUntrusted?: true;
      readonly isAbuse?: true;
    }
  | { readonly kind: 'network'; readonly reason: string; readonly speaks?: 'https'; readonly isAbuse?: true }
  /** 403 with the node's own text: our Host header is not among its --http-allowed-hosts. */
  | { readonly kind: 'host-forbidden'; readonly host?: string }
  /**
   * `location`: where a redirect points, in the form of `url`; empty if it is no URL. `isBootstrapping`: the node says that the chain is
   * not bootstrapped yet, which is a normal state.
   */
  | {
      readonly kind: 'http-status';
      readonly status: number;
      readonly location?: string;
      readonly speaks?: 'https';
      readonly isBootstrapping?: true;
    }
  /** `status`: that of the response with this body. */
  | { readonly kind: 'not-json'; readonly reason: string; readonly status?: number }
  /**
   * `bound`: what exceeded `limit`: the bytes of the body, the bytes around it (`beside`), the rows of its list, or a bound of its content
   * (bounds.ts).
   */
  | { readonly kind: 'too-large'; readonly bound: AnyBound; readonly limit: number; readonly isAbuse?: true }
  /** JSON that does not match the interface. */
  | { readonly kind: 'malformed'; readonly reason: string }
  | { readonly kind: 'rpc-error'; readonly code: number; readonly message: string }
  /** A bug of the exporter in processing the response, in its reader or in a source. */
  | { readonly kind: 'internal-error'; readonly reason: string }
);

export type Outcome<T> = { readonly kind: 'ok'; readonly value: T } | Failure;

export type OutcomeKind = Outcome<unknown>['kind'];

/** Every kind, in the order of the metric's documentation. */
export const outcomeKinds = [
  'ok',
  'refused',
  'reset',
  'dns',
  'timeout',
  'tls',
  'network',
  'host-forbidden',
  'http-status',
  'not-json',
  'too-large',
  'malformed',
  'rpc-error',
  'internal-error',
] as const satisfies readonly OutcomeKind[];

/** What the request was sent to: a node, a running snowgauge, or the server of a discovery list. */
type Peer = 'node' | 'snowgauge' | 'server';

/**
 * One sentence for a person: what happened, at which URL, and what to do. Probe, page and log share it. It never contains a credential or
 * a body.
 */
export const describe = (failure: Failure, peer: Peer = 'node'): string => {
  const remedy = peer !== 'node' && withNodeRemedy.has(failure.kind) ? undefined : remedyOf(failure, peer);
  return `${faultText(failure)}${failure.url === undefined ? '' : ` at ${failure.url}`}${remedy === undefined ? '' : `: ${remedy}`}`;
};

/** For the kinds that have a reason. */
const words = {
  refused: 'connection refused',
  reset: 'connection reset',
  dns: 'name resolution failed',
  tls: 'TLS failed',
  network: 'network error',
  'not-json': 'the response is not JSON',
  malformed: 'unexpected response',
  'internal-error': 'snowgauge could not process the response',
} as const;

/** What happened, without URL and remedy. */
export const faultText = (failure: Failure): string => {
  if ('reason' in failure) return `${words[failure.kind]} (${failure.reason})`;
  switch (failure.kind) {
    case 'timeout':
      return failure.cause === undefined ? `no response within ${failure.afterMs} ms` : timeouts[failure.cause](failure.afterMs);
    case 'host-forbidden':
      return `HTTP status 403, the node refuses ${failure.host === undefined ? 'our Host header' : `the Host header ${failure.host}`}`;
    case 'http-status':
      return `HTTP status ${failure.status}${failure.isBootstrapping === true ? ', the chain is not bootstrapped yet' : ''}`;
    case 'too-large':
      return tooMuch[failure.bound](failure.limit);
    case 'rpc-error':
      return `JSON-RPC error ${failure.code}: ${failure.message}`;
    default:
      return failure satisfies never;
  }
};

const timeouts: Readonly<Record<TimeoutCause, (afterMs: number) => string>> = {
  queue: (afterMs) => `no free connection within ${afterMs} ms`,
  lookup: (afterMs) => `host name not resolved within ${afterMs} ms`,
  connect: (afterMs) => `no connection within ${afterMs} ms`,
  handshake: (afterMs) => `connected, but TLS handshake not complete within ${afterMs} ms`,
  response: (afterMs) => `connected, but no response within ${afterMs} ms`,
  body: (afterMs) => `response not complete within ${afterMs} ms`,
  slow: (afterMs) => `response ended after ${afterMs} ms: too slow while large responses of other nodes waited`,
  crowded: (afterMs) => `response not read within ${afterMs} ms: large responses of other nodes came first`,
};

/** By the bound that was exceeded. */
const tooMuch: Readonly<Record<AnyBound, (limit: number) => string>> = {
  bytes: (limit) => `the response is larger than ${limit} bytes`,
  beside: (limit) => `the response has more than ${limit} bytes that are not its body`,
  depth: (limit) => `the JSON of the response is nested deeper than ${limit} levels`,
  values: (limit) => `the JSON of the response holds more than ${limit} values`,
  name: (limit) => `a name in the JSON of the response is longer than ${limit} bytes`,
  names: (limit) => `the JSON of the response holds more than ${limit} different names`,
  checks: (limit) => `the report holds more than ${limit} checks`,
  rows: (limit) => `the response holds more than ${limit} rows`,
};

const useHttps = 'the port speaks TLS: use https://';
const noResponseToProxy = 'a proxy in between gets no response from the node: is the node running?';

const timeoutRemedies: Readonly<Partial<Record<TimeoutCause, (peer: string) => string>>> = {
  queue: (peer) => `earlier requests to ${peer} have not ended: see their errors`,
  lookup: () => 'check that the DNS server can be reached (firewall, NetworkPolicy)',
  connect: () => 'check that the port is open (firewall, NetworkPolicy)',
  handshake: (peer) => `${peer} may be starting, overloaded or hung, or the port may not speak TLS`,
  response: (peer) => `${peer} may be starting, overloaded or hung`,
  body: (peer) => `raise the timeout if ${peer} or the connection is slow`,
};

/** Where the files for requests to this peer are set. */
const inSettings = (peer: Peer, settings: string, flags: string): string => {
  if (peer === 'snowgauge') return `with ${flags}`;
  return peer === 'node' ? `in ${settings} of the configuration, or use ${flags}` : `in ${settings} of the source`;
};

const withNodeRemedy: ReadonlySet<OutcomeKind> = new Set(['refused', 'not-json', 'malformed', 'host-forbidden', 'http-status']);

/** No advice if there is more than one possible cause. */
const remedyOf = (failure: Failure, peer: Peer): string | undefined => {
  const thePeer = peer === 'snowgauge' ? peer : `the ${peer}`;
  switch (failure.kind) {
    case 'refused':
      return failure.isRemote
        ? 'is the node running? It listens on 127.0.0.1 only, unless --http-host names another address'
        : 'check that the node runs in the same pod or host, and listens on this port';
    case 'timeout':
      return failure.cause && timeoutRemedies[failure.cause]?.(thePeer);
    case 'reset':
      return (
        failure.maySpeak && `the port may ${failure.maySpeak === 'https' ? '' : 'not '}speak TLS: try ${failure.maySpeak}://`
      );
    case 'tls':
      if (failure.speaks === 'http') return 'the port does not speak TLS: use http://';
      if (failure.isAbuse) return 'shorten its chain of certificates';
      if (failure.reason.startsWith('ERR_TLS_CERT_ALTNAME')) return 'use a name of the certificate in the URL or header Host';
      if (/ALERT_(?:BAD_CERTIFICATE|CERTIFICATE_\w+|UNKNOWN_CA|UNSUPPORTED_CERTIFICATE)/.test(failure.reason))
        return `name a client certificate ${inSettings(peer, '`tls.certFile` and `tls.keyFile`', '--cert-file and --key-file')}: ${thePeer} must accept it`;
      if (failure.reason.startsWith('CERT_HAS_EXPIRED')) return `renew the certificate of ${thePeer}`;
      if (failure.reason.startsWith('CERT_NOT_YET_VALID'))
        return 'check the clocks of this host and of the certificate authority';
      return failure.isUntrusted && `name its certificate authority ${inSettings(peer, '`tls.caFile`', '--ca-file')}`;
    case 'network':
      if (/\bE(?:HOST|NET)UNREACH\b/.test(failure.reason))
        return 'check the address, and the route to it (firewall, NetworkPolicy)';
      return failure.speaks && useHttps;
    case 'dns':
      return /\bENO(?:TFOUND|DATA)\b/.test(failure.reason)
        ? 'check the host name'
        : 'check the DNS server, and that it can be reached (firewall, NetworkPolicy)';
    case 'not-json':
      if (failure.reason.startsWith('empty body') && failure.url?.includes('/ext/health') === true)
        return 'a node sends this if it cannot encode the details of a check: see its log, and check its plugin VMs';
      // The node says 503 with a report or an empty body: a page with that status is that of a proxy.
      return failure.status === 503 ? noResponseToProxy : 'is this the URL of a node?';
    case 'malformed':
      return 'is this the URL of a node, and is its version supported?';
    case 'host-forbidden':
      return `add the name to --http-allowed-hosts of the node${hasAddress(failure.url) ? '' : ', or write an IP address in the URL'}`;
    case 'http-status':
      return failure.speaks === undefined ? statusRemedy(failure) : useHttps;
    case 'too-large':
      if (failure.bound !== 'bytes') return peer === 'node' ? 'a node does not send this: is this the URL of a node?' : undefined;
      if (peer === 'server') return 'split the list into several sources';
      return 'raise maxReportSize or maxBodySize, or --max-body-size of a command that has it, if this is expected';
    case 'internal-error':
      return 'this is a bug in snowgauge';
    default:
      return undefined;
  }
};

const statusRemedy = (failure: Failure & { readonly kind: 'http-status' }): string | undefined => {
  const { status, location, url = '' } = failure;
  if (location !== undefined) {
    // Without its query and secrets, the location may look like the requested URL.
    if (originOf(location) !== undefined && originOf(location) === originOf(url))
      return 'a redirect on the same host, probably by a proxy: write the URL of the node behind it';
    const to = location === '' ? 'an address that is not a URL' : location;
    return `a redirect to ${to}, which is not followed: write the URL of the node itself`;
  }
  if (status === 401) return 'set `authorization` in the configuration, or use --bearer-file or --basic-file';
  if (status === 403) return 'probably by a proxy in between: check its access rules, and the credentials';
  if (status === 429) return 'a proxy in between limits the rate of requests: write the URL of the node behind it';
  if ([502, 503, 504].includes(status) && !failure.isBootstrapping) return noResponseToProxy;
  if (status !== 404) return undefined;
  if (url.includes('/ext/index/')) return 'is the node started with --index-enabled, and the chain created?';
  return url.includes('/ext/health') ? 'is this a node, and is its health API on (--api-health-enabled)?' : undefined;
};

/** Whether the URL has an IP address: then the Host header is from the configuration or a proxy. */
const hasAddress = (url = ''): boolean => URL.canParse(url) && isIP(new URL(url).hostname.replace(/^\[|\]$/g, '')) !== 0;

const originOf = (url: string): string | undefined => (URL.canParse(url) ? new URL(url).origin : undefined);
