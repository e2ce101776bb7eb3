// Kept-alive connections to one node, and the secrets that they and the requests on them carry.

import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { ofFile } from '../text.ts';
import { boundTlsMessages } from '../tls-floods.ts';
import { sentence } from './faults.ts';
import { type FileRead, fileReader } from './files.ts';
import { endIdle, watchIdle } from './idle.ts';
import { authorizationHeader, type ClientOptions, ciphers, secureContext, tlsFault } from './options.ts';
import type { Failure } from './outcome.ts';
import { patient } from './patience.ts';

export interface Connection {
  readonly agent: HttpAgent | HttpsAgent;
  /** The Authorization header. */
  readonly authorization: string | undefined;
}

/** Most connections to one node where the options do not say. */
export const defaultConnections = 2;

/** The node ends what is idle for 120 s: leave first, so that no question meets a connection that is being closed. */
const idleMs = 90_000;

/** `onClosed`: the other side ended a connection that carried no request. `onAbuse`: it did harm on one, which has ended. */
export const connectionsOf = (
  options: ClientOptions,
  onClosed: () => void = () => undefined,
  onAbuse: (failure: Failure) => void = () => undefined,
) => {
  const read = fileReader();
  const { tls, authorization, lookup, maxConnections = defaultConnections } = options;
  const bounds = { maxSockets: maxConnections, maxFreeSockets: maxConnections, timeout: idleMs };
  const agentOptions = { keepAlive: true, ...bounds, ...(lookup && { lookup }) } as const;
  const secure = new URL(options.baseUrl).protocol === 'https:';
  const files = secure ? [tls?.caFile, tls?.certFile, tls?.keyFile].filter((file) => file !== undefined) : [];
  let agent: HttpAgent | undefined;
  /** Of the agent's TLS files. */
  let contents: readonly FileRead[] = [];
  let connection: Connection | undefined;
  let closed: Failure | undefined;

  const secureAgent = (more: object = {}): HttpsAgent =>
    new HttpsAgent({ ...agentOptions, ciphers, ...more }).on(
      'keylog',
      boundTlsMessages((_socket, reason) => setImmediate(onAbuse, { kind: 'network', reason, isAbuse: true })),
    );

  const watched = <A extends HttpAgent>(made: A): A => patient(watchIdle(made, onClosed), options.timeoutMs / 2);

  const agentNow = (): HttpAgent | Failure => {
    if (files.length === 0) return agent ?? watched(secure ? secureAgent() : new HttpAgent(agentOptions));
    const now = files.map(read);
    if (agent !== undefined && now.every((content, at) => content === contents[at])) return agent;
    try {
      const next = watched(secureAgent({ secureContext: secureContext(tls ?? {}, read) }));
      // Requests under way keep their connection; nothing new is sent on it.
      if (agent !== undefined) {
        agent.maxFreeSockets = 0;
        endIdle(agent);
      }
      contents = now;
      return next;
    } catch (error) {
      return { kind: 'tls', reason: sentence(tlsFault(tls, error)) };
    }
  };

  const authorizationNow = (): string | undefined | Failure => {
    if (authorization === undefined) return undefined;
    const { type, credentialsFile } = authorization;
    const header = authorizationHeader(type, read(credentialsFile));
    return header.kind === 'ok' ? header.text : { kind: 'network', reason: sentence(ofFile(credentialsFile, header.reason)) };
  };

  return {
    /** The same value until a file of secrets changes; a Failure that names the file while one cannot be used. */
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
    /** Whether one is open that carries no request: its end would be heard of. */
    keepsIdle: (): boolean =>
      Object.values(agent?.freeSockets ?? {}).some((sockets) => sockets !== undefined && sockets.length > 0),
    closeIdle: (): void => {
      if (agent !== undefined) endIdle(agent);
    },
    close: (failure: Failure): void => {
      closed = failure;
      if (agent === undefined) return;
      endIdle(agent);
      agent.destroy();
    },
  };
};
