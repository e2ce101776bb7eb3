// The web configuration in force: loaded, loaded again when its files change, and what a server asks of it.

import type { IncomingMessage } from 'node:http';
import type { Server as HttpsServer } from 'node:https';
import { dirname, resolve } from 'node:path';
import type { SecureContextOptions, TLSSocket } from 'node:tls';
import { type ConfigError, parseYaml } from '../../yaml/parse.ts';
import { type Authenticate, type Authentication, createAuthenticate, type Users } from './auth.ts';
import { createVerify } from './bcrypt.ts';
import { createLimiter } from './rate-limit.ts';
import { type TlsSettings, tlsOf, type WebFile, webSchema } from './schema.ts';
import { asksClients, mayCome, type ReadFile, secured } from './secure.ts';

/** What a server does for it. */
export interface Web {
  /** Absent: plain HTTP. */
  readonly tls: (SecureContextOptions & { readonly requestCert: boolean }) | undefined;
  /** A server of TLS: with the newest certificates for each connection, and none for clients that may not come. */
  readonly guard: (server: HttpsServer) => void;
  readonly headers: () => Readonly<Record<string, string>>;
  /** `address`: of whoever asks, through whatever proxy. */
  readonly admit: (request: IncomingMessage, address: string) => Authentication | Promise<Authentication>;
}

export interface LoadedWeb extends Web {
  /** Other content of the file; every error, and then what was in force stays. */
  readonly reload: (text: string) => Promise<readonly ConfigError[]>;
}

export interface WebOptions {
  readonly file: string;
  readonly text: string;
  readonly read: ReadFile;
  /** Seconds, steady clock. */
  readonly now: () => number;
  /** Certificates changed to what cannot be used: those of before stay. */
  readonly refused: (errors: readonly ConfigError[]) => void;
  /** Certificates changed, and the new ones are in force. */
  readonly renewed: () => void;
}

interface InForce {
  readonly file: WebFile;
  readonly users: Users;
  readonly tls: TlsSettings | undefined;
  readonly options: SecureContextOptions | undefined;
}

export type WebLoaded =
  | { readonly kind: 'ok'; readonly value: LoadedWeb }
  | { readonly kind: 'invalid'; readonly errors: readonly ConfigError[] };

/** 14,000 users: what is read of a larger file does not fit into a small heap, beside what it replaces. */
const maxBytes = 1024 * 1024;

export const loadWeb = async ({ file, text, read, now, refused, renewed }: WebOptions): Promise<WebLoaded> => {
  // As in the file: a relative path is relative to it.
  const fileOf = (path: string): string => resolve(dirname(file), path);
  const parse = async (content: string): Promise<InForce | readonly ConfigError[]> => {
    if (Buffer.byteLength(content) > maxBytes) return [{ path: '', message: 'is larger than 1 MiB: name fewer users' }];
    const parsed = await parseYaml(content, webSchema);
    if (parsed.kind === 'invalid') return parsed.errors;
    const tls = tlsOf(parsed.value);
    const made = tls && secured(tls, fileOf, read);
    if (made?.kind === 'invalid') return made.errors;
    return { file: parsed.value, users: new Map(Object.entries(parsed.value.basic_auth_users)), tls, options: made?.options };
  };
  const begun = await parse(text);
  if (!('file' in begun)) return { kind: 'invalid', errors: begun };

  let current = begun;
  const contentsOf = (tls: TlsSettings | undefined): readonly string[] =>
    [tls?.cert_file, tls?.key_file, tls?.client_ca_file].map((path = '') => {
      const found = path === '' ? undefined : read(fileOf(path));
      return found?.kind === 'ok' ? found.text : (found?.reason ?? '');
    });
  let seen = contentsOf(current.tls);
  const authenticate: Authenticate = createAuthenticate(createVerify(), now);
  let limiter = createLimiter(current.file.rate_limit, now);
  const servers = new Set<HttpsServer>();
  const use = (options: SecureContextOptions): void => {
    for (const server of servers) server.setSecureContext(options);
  };
  /** Certificates are read as they are now, where their files changed. */
  const renew = (): void => {
    if (current.tls === undefined) return;
    const contents = contentsOf(current.tls);
    if (contents.every((one, place) => one === seen[place])) return;
    seen = contents;
    const made = secured(current.tls, fileOf, read);
    if (made.kind === 'invalid') {
      refused(made.errors);
    } else {
      current = { ...current, options: made.options };
      use(made.options);
      renewed();
    }
  };

  const value: LoadedWeb = {
    tls: current.options && { ...current.options, requestCert: current.tls !== undefined && asksClients(current.tls) },
    guard: (server) => {
      servers.add(server);
      server.prependListener('connection', renew);
      server.prependListener('secureConnection', (socket: TLSSocket) => {
        if (current.tls !== undefined && !mayCome(current.tls, socket)) socket.destroy();
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
      seen = contentsOf(next.tls);
      if (next.options !== undefined) use(next.options);
      return [];
    },
  };
  return { kind: 'ok', value };
};
