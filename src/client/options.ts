// The options of a client, and the validation of what an operator may configure wrongly.

import { X509Certificate } from 'node:crypto';
import type { LookupFunction } from 'node:net';
import { createSecureContext, DEFAULT_CIPHERS } from 'node:tls';
import { nodeUrlFault } from '../protocol/node-url.ts';
import { headerNameFault, headerValueFault } from '../protocol/request-headers.ts';
import { holdsCertificate, holdsPrivateKey, ofFile } from '../text.ts';
import { type FileRead, readFile } from './files.ts';

export interface TlsOptions {
  /** PEM; replaces the certificate authorities that Node.js trusts. */
  readonly caFile?: string | undefined;
  readonly certFile?: string | undefined;
  readonly keyFile?: string | undefined;
}

export interface Authorization {
  readonly type: 'Bearer' | 'Basic';
  /** Holds a token, or `user:password` for Basic. Read again whenever it changes. */
  readonly credentialsFile: string;
}

export interface ClientOptions {
  /** http or https, without credentials or query; may have a path, as behind a proxy. */
  readonly baseUrl: string;
  /**
   * From sending a request to the last byte of the body, including the retry. Time waiting for a connection counts too, unless the node
   * responded to other requests meanwhile. Waits for large responses of other nodes do not count (deadline.ts).
   */
  readonly timeoutMs: number;
  /** After decompression. */
  readonly maxBodyBytes: number;
  /** For health reports; by default the same as for other responses. */
  readonly maxReportBytes?: number | undefined;
  readonly userAgent: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly tls?: TlsOptions;
  readonly authorization?: Authorization | undefined;
  /** Limits the connections to the node, and so the concurrent requests. Default: 2. */
  readonly maxConnections?: number | undefined;
  /** Replaces the resolver of the host. Not used if the URL has an address. */
  readonly lookup?: LookupFunction | undefined;
}

/** The base URL without its trailing slash; the prefix of each path. */
export const prefixOf = ({ baseUrl }: Pick<ClientOptions, 'baseUrl'>): string => {
  const { origin, pathname } = new URL(baseUrl);
  return (origin + pathname).replace(/\/+$/, '');
};

/** The Host header of the requests. */
export const hostHeaderOf = ({ baseUrl, headers = {} }: Pick<ClientOptions, 'baseUrl' | 'headers'>): string => {
  const [, given] = Object.entries(headers).find(([name]) => name.toLowerCase() === 'host') ?? [];
  return given ?? new URL(baseUrl).host;
};

/** A configuration error: the option and the message. */
export interface OptionError {
  /** As in `tls.caFile`. */
  readonly path: string;
  readonly message: string;
}

/** All errors at once; empty if a client can be created. Reads the files too. The callers have checked the numbers. */
export const checkClientOptions = (options: ClientOptions): readonly OptionError[] => [
  ...urlErrors(options.baseUrl),
  ...headerErrors(options),
  ...authorizationErrors(options.authorization),
  ...tlsErrors(options),
];

const error = (path: string, message: string): OptionError => ({ path, message });

const urlErrors = (text: string): readonly OptionError[] => {
  const fault = nodeUrlFault(text);
  return fault === undefined ? [] : [error('baseUrl', fault)];
};

const headerErrors = (options: ClientOptions): readonly OptionError[] =>
  Object.entries(options.headers ?? {}).flatMap(([name, value]) => {
    const fault = headerNameFault(name) ?? headerValueFault(value);
    return fault === undefined ? [] : [error(`headers.${name}`, fault)];
  });

const unread = (path: string, file: string, read: FileRead): readonly OptionError[] =>
  read.kind === 'ok' ? [] : [error(path, ofFile(file, read.reason))];

const authorizationErrors = (authorization: Authorization | undefined): readonly OptionError[] => {
  if (authorization === undefined) return [];
  const { type, credentialsFile } = authorization;
  return unread('authorization.credentialsFile', credentialsFile, authorizationHeader(type, readFile(credentialsFile)));
};

/** The Authorization header for the content of a credentials file, without its trailing newlines. */
export const authorizationHeader = (type: Authorization['type'], read: FileRead): FileRead => {
  if (read.kind !== 'ok') return read;
  const secret = read.text.replace(/[\r\n]+$/, '');
  if (secret === '') return { kind: 'unreadable', reason: 'is empty' };
  if (type === 'Bearer') {
    if (/^[\x21-\x7e]+$/.test(secret)) return { kind: 'ok', text: `Bearer ${secret}` };
    return { kind: 'unreadable', reason: 'must hold one token: one line of visible ASCII characters' };
  }
  if (secret.includes(':') && !/[\r\n]/.test(secret))
    return { kind: 'ok', text: `Basic ${Buffer.from(secret).toString('base64')}` };
  return { kind: 'unreadable', reason: 'must hold one line, `user:password`' };
};

const tlsErrors = (options: ClientOptions): readonly OptionError[] => {
  // Most nodes have no TLS files, and creating a context takes a tenth of a millisecond.
  if (options.tls === undefined) return [];
  const { caFile, certFile, keyFile } = options.tls;
  if ((certFile === undefined) !== (keyFile === undefined))
    return [error('tls', 'certFile and keyFile belong together: give both or neither')];
  const files = { caFile, certFile, keyFile };
  const errors = Object.entries(files).flatMap(([name, file]) =>
    file === undefined ? [] : unread(`tls.${name}`, file, readFile(file)),
  );
  if (errors.length > 0) return errors;
  try {
    secureContext(options.tls, readFile);
    return [];
  } catch (fault) {
    return [error('tls', tlsFault(options.tls, fault))];
  }
};

/** The message for an error of `secureContext`, with the names of the files. */
export const tlsFault = (tls: TlsOptions | undefined, fault: unknown): string => {
  const files = [tls?.caFile, tls?.certFile, tls?.keyFile].filter((file) => file !== undefined).join(', ');
  return `${files}: ${fault instanceof Error ? fault.message : String(fault)}`;
};

const pem = (read: FileRead): string => {
  if (read.kind !== 'ok') throw new Error(read.reason);
  return read.text;
};

/**
 * Without finite-field Diffie-Hellman (DHE): there the server chooses the group, and could choose one that costs a second of CPU. Nodes do not need
 * it, because Go does not offer it.
 */
export const ciphers = `${DEFAULT_CIPHERS}:!DHE`;

/** Throws if a file is unreadable or not PEM, or if the key does not match the certificate. */
export const secureContext = (
  { caFile, certFile, keyFile }: TlsOptions,
  read: (file: string) => FileRead,
): ReturnType<typeof createSecureContext> => {
  const ca = caFile === undefined ? undefined : pem(read(caFile));
  if (ca !== undefined && !holdsCertificate(ca)) throw new Error('caFile holds no certificate in PEM');
  if (ca !== undefined && !beginsReadable(ca))
    throw new Error('the first certificate of caFile cannot be read: check that it is complete, with its line breaks');
  const cert = certFile === undefined ? undefined : pem(read(certFile));
  const key = keyFile === undefined ? undefined : pem(read(keyFile));
  if (cert !== undefined && !holdsCertificate(cert)) throw new Error('certFile holds no certificate in PEM');
  if (key !== undefined && !holdsPrivateKey(key)) throw new Error('keyFile holds no private key in PEM');
  return createSecureContext({
    ciphers,
    // As in Go, the file may have only the intermediate authority that issued the certificate of the node.
    allowPartialTrustChain: true,
    ...(ca !== undefined && { ca }),
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key }),
  });
};

/** OpenSSL ignores a certificate that it cannot read, and all after it. Only the first one is read, because a bundle has more than a hundred. */
const beginsReadable = (pem: string): boolean => {
  try {
    return new X509Certificate(pem).raw.length > 0;
  } catch {
    return false;
  }
};
