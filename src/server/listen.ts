// The exporter's HTTP server: node:http under the table of routes, bounded in time, size and number, and ended in order.
//
// @hono/node-server is left out on purpose: it loads the platform's fetch API (Request, Response), 8 to 10 MB resident, for
// replies that are finished bytes.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSecureServer, Server as SecureServer } from 'node:https';
import type { Socket } from 'node:net';
import { boundConnections } from '../connections.ts';
import type { Log } from '../log.ts';
import { oneRequestAtATime } from '../one-request.ts';
import { pause } from '../pause.ts';
import { type Arrivals, createArrivals, createFairQueue } from '../turns.ts';
import { type Admission, type AdmissionSettings, createAdmission, inOneWord, openToAll } from './admission.ts';
import { bind } from './bind.ts';
import { createEvents, type EventsOptions } from './events.ts';
import { handshakesInTurn } from './handshakes.ts';
import { refuseHeads } from './refused-heads.ts';
import { createRoutes, type Paths, type Reply, type Request, type RouteReply, type ServerInputs } from './routes.ts';
import { createSend } from './send.ts';
import { requestSender } from './sender.ts';
import type { Authentication } from './web/auth.ts';
import { turnedAway } from './web/turned-away.ts';
import type { Web } from './web/web.ts';

const defaults = {
  /** How long a stopping server, already not ready, still takes connections: until those who look have seen it. */
  drainMs: 500,
  /** How long requests in flight may take to end after that. */
  graceMs: 1000,
  /** How long a TLS handshake may take. */
  handshakeMs: 5000,
  /** How long the head of a request may take, and all of it. */
  requestMs: 5000,
  /** How long a connection may move no byte while its answer is made or sent. */
  stalledMs: 15_000,
  maxConnections: 512,
  /** One holds a tenth of a megabyte from the first bytes of its handshake on. */
  maxTlsConnections: 256,
  /** After which a connection that nothing is answered on makes room before all others. */
  idleMs: 1000,
  /** How long a client that was refused has to read why, where it would be lost with what else it sent. */
  lingerMs: 500,
  maxLarge: 16,
  maxHeldBytes: 16 * 1024 * 1024,
  largeMs: 60_000,
  /** Requests of an address for page and API. */
  perSecond: 100,
  burst: 500,
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
  /** Of all listeners of the process: answers wait for them, but for probes. */
  readonly arrivals?: Arrivals;
  /** TLS, users and headers, of --web.config.file. */
  readonly web?: Web | undefined;
  /** The reply in the place of every other, for a target that is refused while the process is overloaded. */
  readonly shed?: (target: string) => Reply | undefined;
  /** Which clients are answered; the settings of now. */
  readonly clients?: () => AdmissionSettings;
  readonly log: Log;
  /** Aborted: the server stops as by `close`. */
  readonly signal: AbortSignal;
}

export type Server = Extract<Awaited<ReturnType<typeof startServer>>, { readonly kind: 'ok' }>['value'];

// A request is a line and a few headers, and its answer is ready: whoever needs longer is not one of ours. The idle limit is
// above the usual scrape interval, so that a scraper keeps its connection.
const limits = {
  maxHeaderSize: 8192,
  keepAliveTimeout: 75_000,
  connectionsCheckingInterval: 1000,
} as const;

/** Kubelets and load balancers. Where turns of the event loop are long, a probe would wait for many of them until all others are accepted. */
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
  const own = createArrivals();
  const inTurn = createFairQueue(options.paths === 'probes' ? own : arrivals);
  // Each listener has turns of its own: probes on theirs wait for other probes alone, and nobody keeps the event loop there either.
  const inOrder = oneRequestAtATime(server, inTurn, lingerMs);
  if (web?.tls !== undefined && server instanceof SecureServer) {
    handshakesInTurn(server, inTurn);
    web.guard(server);
  }
  // node:http would leave out what is more than it counts: here too many are an answer.
  server.maxHeadersCount = 0;
  server.setTimeout(stalledMs);
  /** Also those of TLS whose handshake has not ended, which node:http does not know. */
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    if (open.size > fewConnections) own.came();
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
    // However long bcrypt takes, and others before it: who waits for it is not stalled.
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
    // What a reply says of itself comes before what the operator says of all.
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
    // A promise that rejects is a fault of ours: nobody catches it, and the process ends.
    if (reply === 'events') events.join(request, response, address);
    else if (reply instanceof Promise) void reply.then((rendered) => send(request, response, address, rendered));
    else send(request, response, address, isForeign ? inOneWord(reply) : reply);
  };
  refuseHeads(server);
  server.on('request', inOrder(answer));
  server.on('checkContinue', inOrder(answer));

  const bound = await bind(server, options);
  if (bound.kind === 'invalid') return bound;

  const stop = async (): Promise<void> => {
    log.info({ drainMs }, 'draining connections');
    // Streams never end by themselves; a page that loses its own asks again, and says so when nobody answers.
    events.close();
    await pause(drainMs / 1000);
    const ended = new Promise<void>((resolve) => server.close(() => resolve()));
    // close() ends the connections that are idle now; one that is in a request ends with its answer.
    const late = setTimeout(() => {
      for (const socket of open) socket.destroy();
    }, graceMs);
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
