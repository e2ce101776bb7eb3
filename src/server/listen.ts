// The exporter's HTTP server: node:http under the table of routes, bounded in time, size and number, and ended in order.
//
// @hono/node-server is left out on purpose: it loads the platform's fetch API (Request, Response), 8 to 10 MB resident, for
// replies that are finished bytes.

import { createServer, type Server as HttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSecureServer, Server as SecureServer } from 'node:https';
import type { Log } from '../log.ts';
import { pause } from '../pause.ts';
import { boundConnections } from './connections.ts';
import { createEvents, type EventsOptions } from './events.ts';
import { createRoutes, type Paths, type Reply, type Request, type RouteReply, type ServerInputs } from './routes.ts';
import { senderOf } from './sender.ts';
import type { Verdict } from './web/auth.ts';
import { turnedAway } from './web/turned-away.ts';
import type { Web } from './web/web.ts';

export interface ServerOptions {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** How long a stopping server, already not ready, still takes connections: until those who look have seen it. */
  readonly drainMs?: number;
  /** How long requests in flight may take to end after that. */
  readonly graceMs?: number;
  /** How long a connection may move no byte while its answer is made or sent. */
  readonly stalledMs?: number;
  readonly maxConnections?: number;
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

export interface Server {
  /** Where this host reaches it: a wildcard address is given as loopback. */
  readonly url: string;
  readonly port: number;
  /** Not ready at once, then the drain, then requests in flight; resolves when the last connection is closed. */
  readonly close: () => Promise<void>;
  /** Resolves as `close` does, whoever began it. */
  readonly closed: Promise<void>;
}

/** What an operator can mend: the address is taken, forbidden or not of this host. */
export type Listening =
  | { readonly kind: 'ok'; readonly value: Server }
  | { readonly kind: 'invalid'; readonly errors: readonly { readonly path: string; readonly message: string }[] };

const defaults = { drainMs: 500, graceMs: 1000, stalledMs: 15_000, maxConnections: 512 } as const;

// A request is a line and a few headers, and its answer is ready: whoever needs longer is not one of ours. The idle limit is
// above the usual scrape interval, so that a scraper keeps its connection.
const limits = {
  maxHeaderSize: 8192,
  headersTimeout: 5000,
  requestTimeout: 5000,
  keepAliveTimeout: 75_000,
  connectionsCheckingInterval: 1000,
} as const;

export const startServer = async (options: ServerOptions, dependencies: ServerDependencies): Promise<Listening> => {
  const { drainMs, graceMs, stalledMs, maxConnections } = { ...defaults, ...options };
  const { log, signal, web } = dependencies;
  let closing: Promise<void> | undefined;

  const stopping = (): boolean => closing !== undefined || signal.aborted || dependencies.state().stopping;
  const routes =
    dependencies.routes ??
    createRoutes({ ...dependencies, state: () => ({ ...dependencies.state(), stopping: stopping() }) }, options.paths);
  const events = createEvents(
    { shown: shownOf(dependencies.state), now: () => dependencies.now() + dependencies.state().wallOffset },
    options.events,
  );
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
  const connections = boundConnections(server, maxConnections);

  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    connections.used(request.socket);
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
      acceptEncoding: textOf(headers['accept-encoding']),
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
    response.end(reply.body);
  };
  server.on('checkContinue', answer);

  const failure = await listen(server, options);
  if (failure !== undefined)
    return {
      kind: 'invalid',
      errors: [{ path: settingsOf[options.paths ?? 'all'], message: describeListen(failure, options) }],
    };
  const port = portOf(server);

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
  const close = (): Promise<void> => {
    closing ??= stop();
    return closing;
  };
  const closed = new Promise<void>((resolve) => server.once('close', resolve));
  if (signal.aborted) void close();
  else signal.addEventListener('abort', () => void close(), { once: true });
  return {
    kind: 'ok',
    value: { url: `${web?.tls === undefined ? 'http' : 'https'}://${reachable(options.host)}:${port}`, port, close, closed },
  };
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

const textOf = (header: string | readonly string[] | undefined): string | undefined =>
  typeof header === 'object' ? header.join(', ') : header;

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';

const lengthOf = (body: string | Uint8Array): number => (typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength);

/** The error of listening, or undefined once it listens. */
const listen = (server: HttpServer, { host, port }: ServerOptions): Promise<NodeJS.ErrnoException | undefined> =>
  new Promise((resolve) => {
    server.once('error', resolve);
    server.listen({ host, port }, () => {
      server.off('error', resolve);
      resolve(undefined);
    });
  });

const portOf = (server: HttpServer): number => {
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('the server listens on no port');
  return address.port;
};

const reachable = (host: string): string => {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
};

const settingsOf = { all: 'listen', probes: 'probes' } as const;

const others = {
  all: 'choose another with --listen, SNOWGAUGE_LISTEN_PORT or `listen.port` in the configuration',
  probes: 'choose another with SNOWGAUGE_PROBES_PORT or `probes.port` in the configuration',
} as const;

const describeListen = ({ code, message }: NodeJS.ErrnoException, { host, port, paths = 'all' }: ServerOptions): string => {
  const another = others[paths];
  switch (code) {
    case 'EADDRINUSE':
      return `port ${port} of ${host} is taken by another program: end that one, or ${another}`;
    case 'EACCES':
      return `port ${port} of ${host} may not be used by this user: ${another}`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `${host} is not an address of this host: set \`listen.host\` or SNOWGAUGE_LISTEN_HOST to one that is, as 0.0.0.0`;
    default:
      return `cannot listen on port ${port} of ${host}: ${message}`;
  }
};
