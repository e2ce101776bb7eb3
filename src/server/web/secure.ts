// TLS of a web configuration: translates its settings into options of Node.js, reads the files that they name, and decides which clients
// are served.

import { constants, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { createSecureContext, DEFAULT_CIPHERS, type SecureContextOptions, type TLSSocket } from 'node:tls';
import { holdsCertificate, holdsPrivateKey, ofFile } from '../../text.ts';
import { cipherSuites, curves, tls13Suites, tlsVersions } from './go-names.ts';
import type { TlsSettings } from './schema.ts';

/** Reads the file at an absolute path: its text, or why it cannot be read. */
export type ReadFile = (
  file: string,
) => { readonly kind: 'ok'; readonly text: string } | { readonly kind: 'unreadable'; readonly reason: string };

type Secured =
  | { readonly kind: 'ok'; readonly options: SecureContextOptions }
  | { readonly kind: 'invalid'; readonly errors: readonly { readonly path: string; readonly message: string }[] };

/** `fileOf`: makes a path that is written in the configuration file absolute. */
export const secured = (settings: TlsSettings, fileOf: (path: string) => string, read: ReadFile): Secured => {
  const errors: { path: string; message: string }[] = [];
  const pem = (name: 'cert' | 'key' | 'client_ca'): string | undefined => {
    const file = settings[`${name}_file`] ?? '';
    if (file === '') return settings[name] === '' ? undefined : settings[name];
    const found = read(fileOf(file));
    if (found.kind === 'ok') return found.text;
    errors.push({ path: `tls_server_config.${name}_file`, message: ofFile(file, found.reason, fileOf(file)) });
    return undefined;
  };
  const [cert, key, ca] = [pem('cert'), pem('key'), pem('client_ca')];
  if (errors.length > 0) return { kind: 'invalid', errors };
  const placeOf = (name: 'cert' | 'key' | 'client_ca'): string => (settings[`${name}_file`] ? `${name}_file` : name);
  if (ca !== undefined && !holdsCertificate(ca))
    return invalid(placeOf('client_ca'), 'holds no certificate in PEM: no client could connect');
  if (ca !== undefined && verifiesClients(settings) && !holdsRoot(ca))
    return invalid(
      placeOf('client_ca'),
      'holds no self-signed certificate, so no client certificate could be verified: append the issuers of its certificates, up to the root',
    );
  if (cert !== undefined && !holdsCertificate(cert)) return invalid(placeOf('cert'), 'holds no certificate in PEM');
  if (key !== undefined && !holdsPrivateKey(key)) return invalid(placeOf('key'), 'holds no private key in PEM');
  const options = { ...chosen(settings), ...(cert && { cert }), ...(key && { key }), ...(ca && { ca }) };
  try {
    createSecureContext(options);
    return { kind: 'ok', options };
  } catch (error) {
    return invalid('', `certificate and key cannot be used: ${error instanceof Error ? error.message : String(error)}`);
  }
};

/** Node.js has no `allowPartialTrustChain` for servers: it verifies the certificate of a client up to a root. */
const holdsRoot = (pem: string): boolean =>
  (pem.match(/-----BEGIN [A-Z0-9 ]*CERTIFICATE-----[^-]*-----END [A-Z0-9 ]*CERTIFICATE-----/g) ?? []).some((one) => {
    try {
      const certificate = new X509Certificate(one);
      // `checkIssued` rejects the self-signed certificate of a single client, which may not sign others.
      return certificate.subject === certificate.issuer && certificate.verify(certificate.publicKey);
    } catch {
      return false;
    }
  });

const invalid = (name: string, message: string): Secured => ({
  kind: 'invalid',
  errors: [{ path: ['tls_server_config', name].filter(Boolean).join('.'), message }],
});

const chosen = (settings: TlsSettings): SecureContextOptions => {
  const { min_version: min, max_version: max, cipher_suites: suites, curve_preferences: preferred } = settings;
  const named: readonly string[] = suites.map((name) => cipherSuites[name]).filter((name) => !name.startsWith('TLS_'));
  const ciphers = suites.length > 0 ? [...tls13Suites, ...named] : [DEFAULT_CIPHERS];
  // OpenSSL disables these versions at its default security level.
  const isOld = min === 'TLS10' || min === 'TLS11';
  return {
    minVersion: tlsVersions[min],
    maxVersion: tlsVersions[max],
    // Otherwise, a client could request more handshakes on an accepted connection, and have its certificates verified again in each.
    secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
    ciphers: [...ciphers, ...(isOld ? ['@SECLEVEL=0'] : [])].join(':'),
    honorCipherOrder: settings.prefer_server_cipher_suites,
    ...(preferred.length > 0 && { ecdhCurve: preferred.map((name) => curves[name]).join(':') }),
  };
};

/** Whether the server requests a certificate from its clients. */
export const asksClients = ({ client_auth_type: type = 'NoClientCert' }: TlsSettings): boolean => type !== 'NoClientCert';

const verifiesClients = ({ client_auth_type: type }: TlsSettings): boolean =>
  type === 'VerifyClientCertIfGiven' || type === 'RequireAndVerifyClientCert';

type Client = Pick<TLSSocket, 'authorized' | 'getPeerCertificate'> & { readonly authorizationError?: unknown };

/** Why a client is disconnected after the handshake; undefined if it is served. */
export const clientFault = (settings: TlsSettings, socket: Client): string | undefined => {
  const { client_auth_type: type = 'NoClientCert', client_allowed_sans: allowed } = settings;
  if (type === 'NoClientCert') return undefined;
  const certificate = socket.getPeerCertificate();
  if (Object.keys(certificate ?? {}).length === 0)
    return type === 'RequestClientCert' || type === 'VerifyClientCertIfGiven' ? undefined : 'no client certificate';
  if (verifiesClients(settings) && !socket.authorized) return `client certificate not trusted (${socket.authorizationError})`;
  return allowed === undefined || sansOf(certificate.subjectaltname ?? '').some((san) => allowed.includes(san))
    ? undefined
    : 'client certificate has none of client_allowed_sans';
};

/** One entry of any type. Sticky, because text that looks like another entry may be part of a name. */
const entry = /([^:]+):((?:"(?:[^"\\]|\\.)*"|[^",])*)(?:, |$)/gy;

/** The types that Go compares: not the names of directories, users or registered IDs. */
const comparedTypes: ReadonlySet<string> = new Set(['DNS', 'IP Address', 'email', 'URI']);

/**
 * Parses the subject alternative names of a certificate. Node.js writes `DNS:a, IP Address:1.2.3.4`, and a value that contains a comma as a
 * JSON string.
 */
export const sansOf = (names: string): readonly string[] =>
  Array.from(names.matchAll(entry)).flatMap(([, type = '', value = '']) => {
    if (!comparedTypes.has(type)) return [];
    const name: unknown = value.startsWith('"') ? JSON.parse(value) : value;
    return type === 'IP Address' ? addressOf(`${name}`) : `${name}`;
  });

/** The shortest form of an address, which is the one that Go writes: `2001:db8::1`. */
const addressOf = (text: string): string => (isIP(text) === 6 ? new URL(`http://[${text}]`).hostname.slice(1, -1) : text);
