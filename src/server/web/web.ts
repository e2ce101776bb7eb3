// The current web configuration: loads and reloads it, and provides TLS, authentication and headers to servers.

import type { IncomingMessage } from 'node:http';
import type { Server as HttpsServer } from 'node:https';
import { dirname, resolve } from 'node:path';
import type { SecureContextOptions, TLSSocket } from 'node:tls';
import { type ConfigError, parseYaml } from '../../yaml/parse.ts';
import { type Authenticate, type Authentication, createAuthenticate, type Users } from './auth.ts';
import { verifyInThread } from './bcrypt.ts';
import { createLimiter } from './rate-limit.ts';
import { type TlsSettings, tlsOf, type WebFile, webSchema } from './schema.ts';
import { asksClients, clientFault, type ReadFile, secured } from './secure.ts';

/** The part of the web configuration that a server uses. */
export interface Web {
  /** Absent: plain HTTP. */
  readonly tls: (SecureContextOptions & { readonly requestCert: boolean }) | undefined;
  /** Keeps the certificates of a TLS server up to date, and disconnects clients that are not allowed. */
  readonly guard: (server: HttpsServer) => void;
  readonly headers: () => Readonly<Record<string, string>>;
  /** Applies the rate limit and authenticates a request. `address`: that of the client, even behind a trusted proxy. */
  readonly admit: (request: IncomingMessage, address: string) => Authentication | Promise<Authentication>;
}

export interface LoadedWeb extends Web {
  /** Applies new content of the file, or returns all errors and keeps the current configuration. */
  readonly reload: (text: string) => Promise<readonly ConfigError[]>;
}

interface WebOptions {
  readonly file: string;
  readonly text: string;
  readonly read: ReadFile;
  /** Seconds, steady clock. */
  readonly now: () => number;
  /** Called when new certificates are invalid: the current ones are kept. */
  readonly refused: (errors: readonly ConfigError[]) => void;
  /** Called when new certificates are in use. */
  readonly renewed: () => void;
  /** Called when a client was disconnected without a response, at most once a minute for each reason. */
  readonly disconnected: (address: string, reason: string) => void;
}

interface InForce {
  readonly file: WebFile;
  readonly users: Users;
  readonly tls: TlsSettings | undefined;
  readonly options: SecureContextOptions | undefined;
  /** The contents of the certificate files, read before those in use: a file that is replaced in between is read again. */
  readonly seen: readonly string[];
}

type WebLoaded =
  | { readonly kind: 'ok'; readonly value: LoadedWeb }
  | { readonly kind: 'invalid'; readonly errors: readonly ConfigError[] };

/** About 14,000 users: a larger file and the one it replaces would not fit into a small heap together. */
const maxBytes = 1024 * 1024;

export const loadWeb = async ({ file, text, read, now, refused, renewed, disconnected }: WebOptions): Promise<WebLoaded> => {
  // Relative paths are relative to the folder of the configuration file.
  const fileOf = (path: string): string => resolve(dirname(file), path);
  const contentsOf = (tls: TlsSettings | undefined): readonly string[] =>
    [tls?.cert_file, tls?.key_file, tls?.client_ca_file].map((path = '') => {
      const found = path === '' ? undefined : read(fileOf(path));
      return found?.kind === 'ok' ? found.text : (found?.reason ?? '');
    });
  const parse = async (content: string): Promise<InForce | readonly ConfigError[]> => {
    if (Buffer.byteLength(content) > maxBytes) return [{ path: '', message: 'is larger than 1 MiB: name fewer users' }];
    const parsed = await parseYaml(content, webSchema);
    if (parsed.kind === 'invalid') return parsed.errors;
    const tls = tlsOf(parsed.value);
    const seen = contentsOf(tls);
    const tlsRead = tls && secured(tls, fileOf, read);
    if (tlsRead?.kind === 'invalid') return tlsRead.errors;
    const users = new Map(Object.entries(parsed.value.basic_auth_users));
    return { file: parsed.value, users, tls, options: tlsRead?.options, seen };
  };
  const initial = await parse(text);
  if (!('file' in initial)) return { kind: 'invalid', errors: initial };

  let current = initial;
  const authenticate: Authenticate = createAuthenticate(verifyInThread, now);
  let limiter = createLimiter(current.file.rate_limit, now);
  const servers = new Set<HttpsServer>();
  const use = (options: SecureContextOptions): void => {
    for (const server of servers) server.setSecureContext(options);
  };
  /** Reason -> whether it may be reported now. There are only a few reasons. */
  const toldReasons = new Map<string, () => boolean>();
  const tell = ({ remoteAddress = '' }: TLSSocket, reason: string): void => {
    const isNext = toldReasons.get(reason) ?? createLimiter({ interval: 60, burst: 1 }, now);
    toldReasons.set(reason, isNext);
    if (isNext()) disconnected(remoteAddress, reason);
  };
  /** Reloads certificates if their files have changed. */
  const renew = (): void => {
    const { tls } = current;
    if (tls === undefined) return;
    const seen = contentsOf(tls);
    if (seen.every((one, at) => one === current.seen[at])) return;
    current = { ...current, seen };
    const tlsRead = secured(tls, fileOf, read);
    if (tlsRead.kind === 'invalid') {
      refused(tlsRead.errors);
    } else {
      current = { ...current, options: tlsRead.options };
      use(tlsRead.options);
      renewed();
    }
  };

  const value: LoadedWeb = {
    tls: current.options && { ...current.options, requestCert: current.tls !== undefined && asksClients(current.tls) },
    guard: (server) => {
      servers.add(server);
      server.prependListener('connection', renew);
      server.prependListener('secureConnection', (socket: TLSSocket) => {
        const fault = current.tls && clientFault(current.tls, socket);
        if (fault === undefined) return;
        tell(socket, fault);
        socket.destroy();
      });
      server.on('tlsClientError', ({ code }: NodeJS.ErrnoException, socket) => {
        if (code === 'ERR_SSL_HTTP_REQUEST') tell(socket, 'plain HTTP on the TLS port: use https://');
      });
      server.once('close', () => servers.delete(server));
    },
    headers: () => current.file.http_server_config.headers,
    admit: ({ headers }, address) =>
      limiter() ? authenticate(current.users, { header: headers.authorization, address }) : 'too-many',
    reload: async (content) => {
      const next = await parse(content);
      if (!('file' in next)) return next;
      const isAsked = (one: InForce): unknown => one.tls && asksClients(one.tls);
      if (isAsked(next) !== isAsked(current))
        return [{ path: 'tls_server_config', message: 'enabling or disabling TLS, or client certificates, requires a restart' }];
      if (JSON.stringify(next.file.rate_limit) !== JSON.stringify(current.file.rate_limit))
        limiter = createLimiter(next.file.rate_limit, now);
      current = next;
      if (next.options !== undefined) use(next.options);
      return [];
    },
  };
  return { kind: 'ok', value };
};
