// What a client needs to know to ask a node, and every error an operator can make in it.

import type { LookupFunction } from 'node:net';
import { createSecureContext, DEFAULT_CIPHERS } from 'node:tls';
import { nodeUrlFault } from '../protocol/node-url.ts';
import { headerNameFault, headerValueFault } from '../protocol/request-headers.ts';
import { ofFile } from '../text.ts';
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
   * For one question, from when it is sent to the body's last byte, retry included. It waits at most as long for a connection,
   * and no longer than that in all while the node answers nothing. Waits for large answers of other nodes do not count (deadline.ts).
   */
  readonly timeoutMs: number;
  /** After decompression. */
  readonly maxBodyBytes: number;
  /** Of a health report; the same as of any other answer where it is not given. */
  readonly maxReportBytes?: number | undefined;
  readonly userAgent: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly tls?: TlsOptions;
  readonly authorization?: Authorization | undefined;
  /** Most connections to the node, and so questions with it at once. Default: 2. */
  readonly maxConnections?: number | undefined;
  /** Instead of the resolver of the host. Not asked for a URL with an address. */
  readonly lookup?: LookupFunction | undefined;
}

/** One error of the operator's: which option, and what is wrong with it. */
export interface OptionError {
  /** As in `tls.caFile`. */
  readonly path: string;
  readonly message: string;
}

/** Every error at once, files included; empty when a client can be made. Reads the files named. */
export const checkClientOptions = (options: ClientOptions): readonly OptionError[] => [
  ...urlErrors(options.baseUrl),
  ...numberErrors('timeoutMs', options.timeoutMs, 2 ** 31 - 1),
  ...numberErrors('maxBodyBytes', options.maxBodyBytes, 2 ** 28),
  ...headerErrors(options),
  ...authorizationErrors(options.authorization),
  ...tlsErrors(options),
];

const error = (path: string, message: string): OptionError => ({ path, message });

const urlErrors = (text: string): readonly OptionError[] => {
  const fault = nodeUrlFault(text);
  return fault === undefined ? [] : [error('baseUrl', fault)];
};

const numberErrors = (path: string, value: number, most: number): readonly OptionError[] =>
  Number.isInteger(value) && value >= 1 && value <= most ? [] : [error(path, `must be an integer from 1 to ${most}`)];

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

/** The Authorization header for what a credentials file holds; its trailing newlines are dropped. */
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
  // Most nodes have none, and a context costs a tenth of a millisecond.
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

/** What `secureContext` throws, with the files that it is about. */
export const tlsFault = (tls: TlsOptions | undefined, fault: unknown): string => {
  const files = [tls?.caFile, tls?.certFile, tls?.keyFile].filter((file) => file !== undefined).join(', ');
  return `${files}: ${fault instanceof Error ? fault.message : String(fault)}`;
};

const pem = (read: FileRead): string => {
  if (read.kind !== 'ok') throw new Error(read.reason);
  return read.text;
};

/**
 * Without the Diffie-Hellman that takes its group from the server, which may choose one that costs a second of processor time. No node
 * written in Go has it.
 */
export const ciphers = `${DEFAULT_CIPHERS}:!DHE`;

/** Throws where a file is unreadable, is no PEM, or the key is not the certificate's. */
export const secureContext = (
  { caFile, certFile, keyFile }: TlsOptions,
  read: (file: string) => FileRead,
): ReturnType<typeof createSecureContext> => {
  const ca = caFile === undefined ? undefined : pem(read(caFile));
  // OpenSSL takes a file without any certificate for an empty list, and then trusts nobody.
  if (ca !== undefined && !ca.includes('-----BEGIN')) throw new Error('holds no certificate in PEM');
  return createSecureContext({
    ciphers,
    ...(ca !== undefined && { ca }),
    ...(certFile !== undefined && { cert: pem(read(certFile)) }),
    ...(keyFile !== undefined && { key: pem(read(keyFile)) }),
  });
};
