// What went wrong on the way, as one of the kinds of Failure: total, by Node's and OpenSSL's error codes.

import { printable } from '../text.ts';
import type { Failure } from './outcome.ts';

const reasonLength = 200;

/** One line: fit for a log line, a page and a probe's answer. */
export const sentence = (text: string, length = reasonLength): string => printable(text, length);

const reset: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE', 'ECONNABORTED', 'ERR_STREAM_PREMATURE_CLOSE']);
const dns = /^(?:ENOTFOUND|EAI_\w+|ENODATA|ESERVFAIL)$/;
// Node's own, OpenSSL's, and the results of verifying a certificate (X509_V_ERR_ without the prefix).
const tls =
  /^(?:ERR_TLS_|ERR_SSL_|ERR_OSSL_|EPROTO$|CERT_|CRL_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|ERROR_IN_C|INVALID_(?:CA|PURPOSE)$|PATH_LENGTH_EXCEEDED$|HOSTNAME_MISMATCH$|SUBJECT_ISSUER_MISMATCH$|AKID_)/;
/** Signed by itself, or by an authority that we do not know. */
export const untrusted =
  /^(?:DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_(?:VERIFY_LEAF_SIGNATURE|GET_ISSUER_CERT(?:_LOCALLY)?))$/;
const decompression = /^(?:Z_|ERR__ERROR_|ERR_ZLIB_|ERR_BROTLI|ZSTD_)/;

// What OpenSSL says of an answer in plain HTTP; the versions of Node.js differ in the code that they give it.
const plainHttp = /wrong.version.number|packet.length.too.long|http.request/i;
const loopback = /^(?:(?:::ffff:)?127\.|::1$|::$|0\.0\.0\.0$)/;

/** The code, a message that is never empty, the addresses that refused, and the first bytes of an answer that is not HTTP. */
const faultOf = (error: unknown) => {
  if (!(error instanceof Error)) return { code: '', message: String(error), addresses: [], bytes: undefined };
  const ownCode = String(Reflect.get(error, 'code') ?? '');
  const cause: unknown = Reflect.get(error, 'cause');
  const root = cause instanceof Error ? cause : error;
  // Connecting to several addresses fails with one error for each, and no message in all.
  const each: unknown = Reflect.get(error, 'errors') ?? Reflect.get(root, 'errors');
  const errors = Array.isArray(each) ? each.filter((one) => one instanceof Error) : [];
  // Its code is that of the first: one that refuses says more of the node than one to which there is no way.
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
 * The kind of a socket's, the TLS layer's, the parser's or the decompressor's error.
 *
 * What is not HTTP at all (HPE_ codes, as where a TLS port is asked in plain text) is `network`; a body that is not in the
 * encoding that it claims is `not-json`; a connection closed in the middle of a TLS handshake is `reset`. `shown`: blanks secrets.
 */
export const failureOf = (error: unknown, elapsedMs: number, shown: (text: string) => string = (text) => text): Failure => {
  const { code, message: fullMessage, addresses, bytes } = faultOf(error);
  // A certificate is quoted, and may hold what was sent on another connection.
  const message = shown(fullMessage);
  const isRemote = addresses.length > 0 && !addresses.some((address) => loopback.test(address));
  if (code === 'ECONNREFUSED') return { kind: 'refused', reason: sentence(message), ...(isRemote && { isRemote: true }) };
  if (reset.has(code)) return { kind: 'reset', reason: sentence(message) };
  if (code === 'ETIMEDOUT' || code === 'ESOCKETTIMEDOUT') return { kind: 'timeout', afterMs: Math.round(elapsedMs) };
  if (dns.test(code)) return { kind: 'dns', reason: sentence(message) };
  if (tls.test(code)) {
    // OpenSSL's messages carry thread numbers and its own source lines: the code says it better.
    const reason = sentence(message.includes('SSL routines') ? code : `${code}: ${message}`).replace(/[:\s]+$/, '');
    if (plainHttp.test(`${code} ${message}`)) return { kind: 'tls', reason, speaks: 'http' };
    return { kind: 'tls', reason, ...(untrusted.test(code) && { isUntrusted: true }) };
  }
  if (decompression.test(code)) return { kind: 'not-json', reason: sentence(`Content-Encoding not kept: ${code}`) };
  if (code.startsWith('HPE_')) {
    // An alert of TLS, whatever its version.
    const isTls = bytes?.[0] === 0x15 && bytes[1] === 0x03;
    return { kind: 'network', reason: sentence(`not HTTP: ${code}`), ...(isTls && { speaks: 'https' }) };
  }
  return { kind: 'network', reason: sentence(message) };
};

/** True where the other side closed or reset the connection. */
export const isReset = (error: unknown): boolean => reset.has(faultOf(error).code);
