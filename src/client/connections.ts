// The kept-alive connections to one node, with their TLS files, and the Authorization header of the requests.

import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { isIP } from 'node:net';
import { ofFile, printable } from '../text.ts';
import { boundTlsMessages } from '../tls-floods.ts';
import { type FileRead, fileReader } from './files.ts';
import { endIdle, retireAll, watchIdle } from './idle.ts';
import { authorizationHeader, type ClientOptions, ciphers, hostHeaderOf, secureContext, tlsFault } from './options.ts';
import type { Failure } from './outcome.ts';
import { adaptAttemptTimeout } from './patience.ts';

export interface Connection {
  readonly agent: HttpAgent | HttpsAgent;
  /** The Authorization header. */
  readonly authorization: string | undefined;
}

/** The default limit of connections to one node. */
export const defaultConnections = 2;

/** The node closes connections that are idle for 120 s. Closed earlier here, they cannot end while a request is sent on them. */
const idleMs = 90_000;

/** `onClosed`: the node closed an idle connection. `onAbuse`: a connection was closed because the node flooded it with TLS messages. */
export const connectionsOf = (options: ClientOptions, onClosed: () => void, onAbuse: (failure: Failure) => void) => {
  const read = fileReader();
  const { tls, authorization, lookup, maxConnections = defaultConnections } = options;
  const bounds = { maxSockets: maxConnections, maxFreeSockets: maxConnections, timeout: idleMs };
  const agentOptions = { keepAlive: true, ...bounds, ...(lookup && { lookup }) } as const;
  const secure = new URL(options.baseUrl).protocol === 'https:';
  const files = secure ? [tls?.caFile, tls?.certFile, tls?.keyFile].filter((file) => file !== undefined) : [];
  let agent: HttpAgent | undefined;
  /** The contents of the agent's TLS files. */
  let contents: readonly FileRead[] = [];
  let connection: Connection | undefined;
  let closed: Failure | undefined;

  const secureAgent = (more: object = {}): HttpsAgent =>
    new HttpsAgent({ ...agentOptions, ciphers, servername: serverNameOf(options), ...more }).on(
      'keylog',
      boundTlsMessages((_socket, reason) => setImmediate(onAbuse, { kind: 'network', reason, isAbuse: true })),
    );

  const watched = <A extends HttpAgent>(made: A): A => adaptAttemptTimeout(watchIdle(made, onClosed), options.timeoutMs / 2);

  const agentNow = (): HttpAgent | Failure => {
    if (files.length === 0) return agent ?? watched(secure ? secureAgent() : new HttpAgent(agentOptions));
    const now = files.map(read);
    if (agent !== undefined && now.every((content, at) => content === contents[at])) return agent;
    try {
      const next = watched(secureAgent({ secureContext: secureContext(tls ?? {}, read) }));
      // Pending requests keep their connections, which get no new requests.
      if (agent !== undefined) {
        agent.maxFreeSockets = 0;
        endIdle(agent);
      }
      contents = now;
      return next;
    } catch (error) {
      return { kind: 'tls', reason: printable(tlsFault(tls, error)) };
    }
  };

  const authorizationNow = (): string | undefined | Failure => {
    if (authorization === undefined) return undefined;
    const { type, credentialsFile } = authorization;
    const header = authorizationHeader(type, read(credentialsFile));
    return header.kind === 'ok' ? header.text : { kind: 'network', reason: printable(ofFile(credentialsFile, header.reason)) };
  };

  return {
    /** The same value until a file of secrets changes; a Failure with the name of the file as long as it cannot be used. */
    current: (): Connection | Failure => {
      if (closed !== undefined) return closed;
      const nextAgent = agentNow();
      if ('kind' in nextAgent) return nextAgent;
      agent = nextAgent;
      const header = authorizationNow();
      if (typeof header === 'object') return header;
      if (connection?.agent === agent && connection.authorization === header) return connection;
      connection = { agent, authorization: header };
      return connection;
    },
    /** Whether an idle connection is open, so that its end would be noticed. */
    keepsIdle: (): boolean =>
      Object.values(agent?.freeSockets ?? {}).some((sockets) => sockets !== undefined && sockets.length > 0),
    /** No further request is sent on a connection that is open now. */
    retire: (): void => {
      if (agent !== undefined) retireAll(agent);
    },
    close: (failure: Failure): void => {
      closed = failure;
      if (agent === undefined) return;
      endIdle(agent);
      agent.destroy();
    },
  };
};

/**
 * The name that is sent to the server, and that its certificate must have. As in Node.js, that of the Host header, if it has one. But without a
 * dot at its end, which marks a DNS name without a search domain: Go rejects it. Empty for an address.
 */
const serverNameOf = (options: ClientOptions): string => {
  const host = hostHeaderOf(options) || new URL(options.baseUrl).host;
  const name = host.startsWith('[') ? host.slice(1).replace(/\].*/s, '') : host.replace(/:.*/s, '');
  return isIP(name) === 0 ? name.replace(/\.$/, '') : '';
};
