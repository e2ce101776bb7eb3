// Maps any error of a connection to a kind of Failure, by the error codes of Node.js and OpenSSL.

import { printable } from '../text.ts';
import { isTlsCode, unspecified } from '../tls-codes.ts';
import type { Failure } from './outcome.ts';

const reset: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE', 'ECONNABORTED', 'ERR_STREAM_PREMATURE_CLOSE']);
const dns = /^(?:ENOTFOUND|EAI_\w+|ENODATA|ESERVFAIL)$/;
// The certificate is self-signed, or its certificate authority is not trusted.
const untrusted =
  /^(?:DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_(?:VERIFY_LEAF_SIGNATURE|GET_ISSUER_CERT(?:_LOCALLY)?))$/;
const decompression = /^(?:Z_|ERR__ERROR_|ERR_ZLIB_|ERR_BROTLI|ZSTD_)/;

// OpenSSL's messages for a response in plain HTTP. The error code depends on the version of Node.js.
const plainHttp = /wrong.version.number|packet.length.too.long|http.request/i;
const loopback = /^(?:(?:::ffff:)?127\.|::1$|::$|0\.0\.0\.0$)/;

/** The code, a message that is never empty, the addresses that refused, and the first bytes of an answer that is not HTTP. */
const faultOf = (error: unknown) => {
  if (!(error instanceof Error)) return { code: '', message: String(error), addresses: [], bytes: undefined };
  const ownCode = String(Reflect.get(error, 'code') ?? '');
  const cause: unknown = Reflect.get(error, 'cause');
  const root = cause instanceof Error ? cause : error;
  // If connecting to several addresses fails, there is one error per address, and no message for all.
  const each: unknown = Reflect.get(error, 'errors') ?? Reflect.get(root, 'errors');
  const errors = Array.isArray(each) ? each.filter((one) => one instanceof Error) : [];
  // Its code is that of the first address. A refused connection says more about the node than an unreachable address.
  const code = errors.some((one) => Reflect.get(one, 'code') === 'ECONNREFUSED') ? 'ECONNREFUSED' : ownCode;
  const bytes: unknown = Reflect.get(root, 'rawPacket');
  return {
    code,
    message: error.message || errors.map((one) => one.message).join(', ') || code || error.name,
    addresses: [root, ...errors].map((one) => Reflect.get(one, 'address')).filter((address) => typeof address === 'string'),
    bytes: Buffer.isBuffer(bytes) ? bytes : undefined,
  };
};

/**
 * The failure for an error of a socket, TLS, the HTTP parser or decompression.
 *
 * A response that is not HTTP (HPE_ codes, for example plain text sent to a TLS port) is `network`. A body that does not match its
 * Content-Encoding is `not-json`. A connection that is closed during the TLS handshake is `reset`. `shown`: blanks secrets.
 */
export const failureOf = (error: unknown, elapsedMs: number, shown: (text: string) => string): Failure => {
  const { code, message: fullMessage, addresses, bytes } = faultOf(error);
  // The message may quote a certificate, and a hostile server can put secrets from another connection into it.
  const message = shown(fullMessage);
  const isRemote = addresses.length > 0 && !addresses.some((address) => loopback.test(address));
  if (code === 'ECONNREFUSED') return { kind: 'refused', reason: printable(message), ...(isRemote && { isRemote: true }) };
  if (reset.has(code)) return { kind: 'reset', reason: printable(message) };
  if (code === 'ETIMEDOUT' || code === 'ESOCKETTIMEDOUT') return { kind: 'timeout', afterMs: Math.round(elapsedMs) };
  if (dns.test(code)) return { kind: 'dns', reason: printable(message) };
  if (isTlsCode(code)) {
    const text = code === unspecified ? message : `${code}: ${message}`;
    const reason = printable(opensslCode(code, message) ?? text).replace(/[:\s]+$/, '');
    if (plainHttp.test(`${code} ${message}`)) return { kind: 'tls', reason, speaks: 'http' };
    return { kind: 'tls', reason, ...(untrusted.test(code) && { isUntrusted: true }) };
  }
  if (decompression.test(code)) return { kind: 'not-json', reason: printable(`Content-Encoding not kept: ${code}`) };
  if (code.startsWith('HPE_')) {
    // A TLS alert of any version.
    const isTls = bytes?.[0] === 0x15 && bytes[1] === 0x03;
    return { kind: 'network', reason: printable(`not HTTP: ${code}`), ...(isTls && { speaks: 'https' }) };
  }
  return { kind: 'network', reason: printable(message) };
};

/** True if the other side closed or reset the connection. */
export const isReset = (error: unknown): boolean => reset.has(faultOf(error).code);

/**
 * The code for a message of OpenSSL, which contains thread ids and source lines. Errors while writing, such as most of TLS 1.2, have the
 * code EPROTO: then the code is formed as Node.js forms it while reading.
 */
const opensslCode = (code: string, message: string): string | undefined => {
  const [found, reason] = /SSL routines:[^:]*:?([^:]*)/.exec(message) ?? [];
  if (found === undefined) return undefined;
  return code === 'EPROTO' && reason ? `ERR_SSL_${reason.toUpperCase().replaceAll(' ', '_')}` : code;
};
