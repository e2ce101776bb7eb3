// The exporter's HTTP server: node:http and the table of routes, with limits on time, size and number, and a graceful shutdown.
//
// It does not use @hono/node-server, which loads the platform's fetch API (Request, Response): 8 to 10 MB of resident memory, and the
// responses are ready-made bytes anyway.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSecureServer, Server as SecureServer } from 'node:https';
import type { Socket } from 'node:net';
import { boundConnections } from '../connections.ts';
import type { Log } from '../log.ts';
import { oneRequestAtATime } from '../one-request.ts';
import { pause } from '../pause.ts';
import { type Arrivals, createArrivals, createFairQueue } from '../turns.ts';
import { type Admission, type AdmissionSettings, createAdmission, openToAll, statusOnly } from './admission.ts';
import { bind } from './bind.ts';
import { createEvents, type EventsOptions } from './events.ts';
import { queueHandshakes } from './handshakes.ts';
import type { Request, ServerInputs } from './inputs.ts';
import { toOriginForm } from './origin-form.ts';
import { refuseHeads } from './refused-heads.ts';
import type { Reply } from './reply.ts';
import { createRoutes, type Paths, type RouteReply } from './routes.ts';
import { createSend } from './send.ts';
import { requestSender } from './sender.ts';
import type { Authentication } from './web/auth.ts';
import { turnedAway } from './web/turned-away.ts';
import type { Web } from './web/web.ts';

const defaults = {
  /** How long a stopping server still accepts connections, while its readiness fails: clients need time to notice. */
  drainMs: 500,
  /** How long requests in flight may take after that. */
  graceMs: 1000,
  /** How long a TLS handshake may take. */
  handshakeMs: 5000,
  /** Time limit for the head of a request, and for the whole request. */
  requestMs: 5000,
  /** How long a connection may transfer no byte while its response is rendered or sent. */
  stalledMs: 15_000,
  maxConnections: 512,
  /** A TLS connection needs 100 kB of memory from the first bytes of its handshake on. */
  maxTlsConnections: 256,
  /** After this time, a connection without a pending request is the first to be closed when there are too many. */
  idleMs: 1000,
  /** How long a refused client has to read the response: closing the connection while the client still sends would reset it. */
  lingerMs: 500,
  maxLarge: 16,
  maxBufferedBytes: 16 * 1024 * 1024,
  largeMs: 60_000,
  /** Requests per second and client address, for page and API. */
  perSecond: 100,
  burst: 500,
};

export interface ServerOptions extends Readonly<Partial<typeof defaults>> {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  readonly events?: EventsOptions;
  /** Which paths it serves. Absent: all. */
  readonly paths?: Paths;
}

export interface ServerDependencies extends ServerInputs {
  /** Replaces the usual table of routes. */
  readonly routes?: (request: Request) => RouteReply;
  /** Shared by all listeners of the process: responses wait while connections arrive, except responses to probes. */
  readonly arrivals?: Arrivals;
  /** TLS, users and headers from --web.config.file. */
  readonly web?: Web | undefined;
  /** The response to a request that is refused because the process is overloaded. Undefined: the request is served. */
  readonly shed?: (target: string) => Reply | undefined;
  /** Which clients are served; returns the current settings. */
  readonly clients?: () => AdmissionSettings;
  readonly log: Log;
  /** Aborting it stops the server, as `close` does. */
  readonly signal: AbortSignal;
}

export type Server = Extract<Awaited<ReturnType<typeof startServer>>, { readonly kind: 'ok' }>['value'];

// Requests are a line and a few headers, so a legitimate client does not need longer. The idle limit is above the usual scrape interval,
// so that a scraper can reuse its connection.
const limits = {
  maxHeaderSize: 8192,
  keepAliveTimeout: 75_000,
  connectionsCheckingInterval: 1000,
} as const;

/**
 * Kubelets and load balancers open no more connections than this. Node.js accepts one connection per listener and iteration of the event
 * loop. If there are more connections, responses wait until all are accepted: otherwise, a probe could wait for many long iterations.
 */
const fewConnections = 32;

export const startServer = async (options: ServerOptions, dependencies: ServerDependencies) => {
  const { drainMs, graceMs, handshakeMs, requestMs, stalledMs, idleMs, lingerMs, perSecond, burst, ...bounds } = {
    ...defaults,
    ...options,
  };
  const { maxConnections, maxTlsConnections, ...large } = bounds;
  const { log, signal, web, arrivals = createArrivals() } = dependencies;
  const isSecure = web?.tls !== undefined;
  let closing: Promise<void> | undefined;

  const stopping = (): boolean => closing !== undefined || signal.aborted || dependencies.state().stopping;
  const routes =
    dependencies.routes ??
    createRoutes({ ...dependencies, isSecure, state: () => ({ ...dependencies.state(), stopping: stopping() }) }, options.paths);
  const wallClock = (): number => dependencies.now() + dependencies.state().wallOffset;
  const shed = dependencies.shed ?? (() => undefined);
  const events = createEvents(shownOf(dependencies.state), wallClock, options.events, () => shed('/api/v1/events') !== undefined);
  const timed = { ...limits, headersTimeout: requestMs, requestTimeout: requestMs };
  const server =
    web?.tls === undefined
      ? createServer(timed)
      : createSecureServer({ ...timed, ...web.tls, rejectUnauthorized: false, handshakeTimeout: handshakeMs });
  const ownArrivals = createArrivals();
  const inTurn = createFairQueue(options.paths === 'probes' ? ownArrivals : arrivals);
  // Each listener has its own queue: probes on their own port wait only for other probes, and cannot block the event loop either.
  const inOrder = oneRequestAtATime(server, inTurn, lingerMs);
  if (web?.tls !== undefined && server instanceof SecureServer) {
    queueHandshakes(server, inTurn);
    web.guard(server);
  }
  // Above a limit, node:http would silently drop headers. `admit` counts them, and responds with 431.
  server.maxHeadersCount = 0;
  server.setTimeout(stalledMs);
  /** Includes TLS connections during their handshake, which node:http does not track. */
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    if (open.size > fewConnections) ownArrivals.came();
    arrivals.came();
    socket.once('close', () => open.delete(socket));
  });
  const used = boundConnections(server, isSecure ? maxTlsConnections : maxConnections, idleMs);
  const send = createSend(large, stopping);
  const admit = createAdmission(
    { perSecond, burst, probesOnly: options.paths === 'probes', isSecure },
    dependencies.clients ?? (() => openToAll),
    dependencies.now,
  );

  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    used(request.socket, response);
    toOriginForm(request);
    const admission = admit(request);
    if (admission.refusal !== undefined) {
      send(request, response, admission.address, admission.refusal);
      return;
    }
    const authentication = web?.admit(request, admission.address) ?? 'ok';
    if (!(authentication instanceof Promise)) {
      route(request, response, admission, authentication);
      return;
    }
    // bcrypt and the queue for it may take long: a connection that waits for them is not stalled.
    request.socket.setTimeout(0);
    void authentication.then((found) => {
      request.socket.setTimeout(stalledMs);
      route(request, response, admission, found);
    });
  };
  const route = (
    request: IncomingMessage,
    response: ServerResponse,
    { address, isForeign }: Admission,
    authentication: Authentication,
  ): void => {
    // The operator's headers, for all responses: those of the reply itself are set later, and override them.
    for (const [name, value] of Object.entries(web?.headers() ?? {})) response.setHeader(name, value);
    if (authentication !== 'ok') {
      send(request, response, address, turnedAway[authentication]);
      return;
    }
    const { method = '', url = '', headers } = request;
    const sender = requestSender(request, response);
    const reply =
      shed(url) ??
      routes({
        method,
        target: url,
        client: address,
        accept: headers.accept,
        acceptEncoding: headers['accept-encoding']?.toString(),
        sender,
      });
    const made = reply === 'events' ? events.join(request, response, address) : reply;
    // A rejected promise is a bug: nobody catches it, and the process exits.
    if (made instanceof Promise) void made.then((rendered) => send(request, response, address, rendered));
    else if (made !== undefined) send(request, response, address, isForeign ? statusOnly(made) : made);
  };
  refuseHeads(server);
  server.on('request', inOrder(answer));
  server.on('checkContinue', inOrder(answer));

  const bound = await bind(server, options);
  if (bound.kind === 'invalid') return bound;

  const stop = async (): Promise<void> => {
    log.info({ drainMs }, 'draining connections');
    // Event streams never end by themselves. The page reconnects, and tells the user if there is no response.
    events.close();
    await pause(drainMs / 1000);
    const ended = new Promise<void>((resolve) => server.close(() => resolve()));
    // close() closes idle connections now, and the others after their response.
    const late = setTimeout(() => {
      for (const socket of open) socket.destroy();
    }, graceMs);
    await ended;
    clearTimeout(late);
    log.info({}, 'server closed');
  };
  /** Fails readiness at once, drains, then waits for requests in flight. Resolves when the last connection is closed. */
  const close = (): Promise<void> => {
    closing ??= stop();
    return closing;
  };
  /** Resolves when the server has closed, by `close` or by the signal. */
  const closed = new Promise<void>((resolve) => server.once('close', resolve));
  if (signal.aborted) void close();
  else signal.addEventListener('abort', () => void close(), { once: true });
  return { kind: 'ok' as const, value: { url: bound.url, port: bound.port, close, closed } };
};

/** Returns a new object whenever the data behind the page has changed. */
const shownOf = (state: ServerInputs['state']): (() => unknown) => {
  let last: readonly unknown[] = [];
  return () => {
    const { version, configuration } = state();
    if (last[0] !== version || last[1] !== configuration) last = [version, configuration];
    return last;
  };
};
