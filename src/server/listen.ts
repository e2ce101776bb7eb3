// The exporter's HTTP server: node:http under the table of routes, bounded in time, size and number, and ended in order.
//
// @hono/node-server is left out on purpose: it loads the platform's fetch API (Request, Response), 8 to 10 MB resident, for
// replies that are finished bytes.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSecureServer, Server as SecureServer } from 'node:https';
import type { Log } from '../log.ts';
import type { Joined } from '../metrics/join.ts';
import { pause } from '../pause.ts';
import { bind } from './bind.ts';
import { boundConnections } from './connections.ts';
import { createEvents, type EventsOptions } from './events.ts';
import { createRoutes, type Paths, type Reply, type Request, type RouteReply, type ServerInputs } from './routes.ts';
import { senderOf } from './sender.ts';
import type { Verdict } from './web/auth.ts';
import { turnedAway } from './web/turned-away.ts';
import type { Web } from './web/web.ts';

const defaults = {
  /** How long a stopping server, already not ready, still takes connections: until those who look have seen it. */
  drainMs: 500,
  /** How long requests in flight may take to end after that. */
  graceMs: 1000,
  /** How long a connection may move no byte while its answer is made or sent. */
  stalledMs: 15_000,
  maxConnections: 512,
};

export interface ServerOptions extends Readonly<Partial<typeof defaults>> {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  readonly events?: EventsOptions;
  /** Which paths it serves; all where it is not said. */
  readonly paths?: Paths;
}

export interface ServerDependencies extends ServerInputs {
  /** In the place of the usual table, which then is not made. */
  readonly routes?: (request: Request) => RouteReply;
  /** TLS, users and headers, of --web.config.file. */
  readonly web?: Web | undefined;
  readonly log: Log;
  /** Aborted: the server stops as by `close`. */
  readonly signal: AbortSignal;
}

export type Server = Extract<Awaited<ReturnType<typeof startServer>>, { readonly kind: 'ok' }>['value'];

// A request is a line and a few headers, and its answer is ready: whoever needs longer is not one of ours. The idle limit is
// above the usual scrape interval, so that a scraper keeps its connection.
const limits = {
  maxHeaderSize: 8192,
  headersTimeout: 5000,
  requestTimeout: 5000,
  keepAliveTimeout: 75_000,
  connectionsCheckingInterval: 1000,
} as const;

export const startServer = async (options: ServerOptions, dependencies: ServerDependencies) => {
  const { drainMs, graceMs, stalledMs, maxConnections } = { ...defaults, ...options };
  const { log, signal, web } = dependencies;
  let closing: Promise<void> | undefined;

  const stopping = (): boolean => closing !== undefined || signal.aborted || dependencies.state().stopping;
  const routes =
    dependencies.routes ??
    createRoutes({ ...dependencies, state: () => ({ ...dependencies.state(), stopping: stopping() }) }, options.paths);
  const wallClock = (): number => dependencies.now() + dependencies.state().wallOffset;
  const events = createEvents(shownOf(dependencies.state), wallClock, options.events);
  const onRequest = (request: IncomingMessage, response: ServerResponse): void => answer(request, response);
  const server =
    web?.tls === undefined
      ? createServer(limits, onRequest)
      : createSecureServer(
          { ...limits, ...web.tls, rejectUnauthorized: false, handshakeTimeout: limits.headersTimeout },
          onRequest,
        );
  if (web?.tls !== undefined && server instanceof SecureServer) web.guard(server);
  server.setTimeout(stalledMs);
  const used = boundConnections(server, maxConnections);

  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    used(request.socket);
    const verdict = web?.admit(request) ?? 'ok';
    if (verdict instanceof Promise) void verdict.then((found) => route(request, response, found));
    else route(request, response, verdict);
  };
  const route = (request: IncomingMessage, response: ServerResponse, verdict: Verdict): void => {
    // What a reply says of itself comes before what the operator says of all.
    for (const [name, value] of Object.entries(web?.headers() ?? {})) response.setHeader(name, value);
    if (verdict !== 'ok') {
      send(request, response, turnedAway[verdict]);
      return;
    }
    const { method = '', url = '', headers } = request;
    const sender = senderOf(request, response);
    const reply = routes({
      method,
      target: url,
      accept: headers.accept,
      acceptEncoding: headers['accept-encoding']?.toString(),
      sender,
    });
    // A promise that rejects is a fault of ours: nobody catches it, and the process ends.
    if (reply === 'events') events.join(request, response);
    else if (reply instanceof Promise) void reply.then((rendered) => send(request, response, rendered));
    else send(request, response, reply);
  };
  const send = (request: IncomingMessage, response: ServerResponse, reply: Reply): void => {
    // A body means nothing to most paths, which do not read it: the connection ends with the answer.
    const last = hasBody(request) || stopping();
    response.writeHead(reply.status, {
      ...reply.headers,
      'Content-Length': lengthOf(reply.body),
      'X-Content-Type-Options': 'nosniff',
      ...(last && { Connection: 'close' }),
    });
    if (isJoined(reply.body) && request.method !== 'HEAD') void sendChunks(response, reply.body);
    else response.end(isJoined(reply.body) ? undefined : reply.body);
  };
  server.on('checkContinue', answer);

  const bound = await bind(server, options);
  if (bound.kind === 'invalid') return bound;

  const stop = async (): Promise<void> => {
    log.info({ drainMs }, 'draining connections');
    // Streams never end by themselves; a page that loses its own asks again, and says so when nobody answers.
    events.close();
    await pause(drainMs / 1000);
    const ended = new Promise<void>((resolve) => server.close(() => resolve()));
    // close() ends the connections that are idle now; one that is in a request ends with its answer.
    const late = setTimeout(() => server.closeAllConnections(), graceMs);
    await ended;
    clearTimeout(late);
    log.info({}, 'server closed');
  };
  /** Not ready at once, then the drain, then requests in flight; resolves when the last connection is closed. */
  const close = (): Promise<void> => {
    closing ??= stop();
    return closing;
  };
  /** Resolves as `close` does, whoever began it. */
  const closed = new Promise<void>((resolve) => server.once('close', resolve));
  if (signal.aborted) void close();
  else signal.addEventListener('abort', () => void close(), { once: true });
  return { kind: 'ok' as const, value: { url: bound.url, port: bound.port, close, closed } };
};

/** Another value whenever what the page is made of is another. */
const shownOf = (state: ServerInputs['state']): (() => unknown) => {
  let last: readonly unknown[] = [];
  return () => {
    const { version, configuration } = state();
    if (last[0] !== version || last[1] !== configuration) last = [version, configuration];
    return last;
  };
};

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';

const lengthOf = (body: Reply['body']): number => (typeof body === 'string' ? Buffer.byteLength(body) : body.length);

const isJoined = (body: Reply['body']): body is Joined => typeof body === 'object' && 'chunks' in body;

/** Each chunk when the kernel has taken the one before, whose memory it takes over. */
const sendChunks = async (response: ServerResponse, { chunks }: Joined): Promise<void> => {
  for (const chunk of chunks()) {
    await new Promise((taken) => response.write(chunk, taken));
    if (response.destroyed) return;
  }
  response.end();
};
