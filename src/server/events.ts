// Server-sent events: tell whoever has the page open that it has something new to show. An event carries no state: the page asks
// for that when it is ready to, so nothing piles up for a slow client, and there is one rendering of the truth.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { isoOf } from '../text.ts';
import { plainText } from './reply.ts';

const defaults = {
  maxClients: 64,
  maxOfAddress: 32,
  /** How often it is looked whether something has changed, while anybody listens. */
  tickMs: 200,
  /** Looks between two events at the least: a fleet changes more often than a page can be read. */
  minTicks: 5,
  /** Looks without an event after which one is sent all the same: ages grow, and a dead connection shows. */
  heartbeatTicks: 50,
  /** A client that leaves so much unread is dropped. */
  maxUnreadBytes: 4096,
};

export type EventsOptions = Readonly<Partial<typeof defaults>>;

const headers = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  // It never serves another request, so its connection must not stay when it ends.
  Connection: 'close',
  // nginx would keep events back until it has a buffer full.
  'X-Accel-Buffering': 'no',
} as const;

/** Milliseconds after which a browser that lost the stream asks for it again. */
const retry = 'retry: 2000\n';

/**
 * `shown`: another value, by identity, when there is something new to show. `now`: wall clock, seconds. `isShed`: asked of each stream
 * at each tick; true ends it.
 */
export const createEvents = (
  shown: () => unknown,
  now: () => number,
  options: EventsOptions = {},
  isShed: () => boolean = () => false,
) => {
  const { maxClients, maxOfAddress, tickMs, minTicks, heartbeatTicks, maxUnreadBytes } = { ...defaults, ...options };
  /** With the address of each. */
  const clients = new Map<ServerResponse, string>();
  let timer: NodeJS.Timeout | undefined;
  let closed = false;
  let told: unknown;
  let ticksSince = 0;

  const event = (name: 'changed' | 'heartbeat'): string => `event: ${name}\ndata: {"now":"${isoOf(now())}"}\n\n`;

  const tell = (name: 'changed' | 'heartbeat'): void => {
    told = shown();
    ticksSince = 0;
    const text = event(name);
    for (const client of clients.keys()) {
      // What the kernel took does not count: this is what the client has not read for a long time.
      if (client.writableLength > maxUnreadBytes) client.destroy();
      else client.write(text);
    }
  };

  const tick = (): void => {
    for (const client of clients.keys()) {
      if (!isShed()) break;
      leave(client);
      client.end();
    }
    ticksSince += 1;
    if (ticksSince >= minTicks && shown() !== told) tell('changed');
    else if (ticksSince >= heartbeatTicks) tell('heartbeat');
  };

  const leave = (client: ServerResponse): void => {
    clients.delete(client);
    if (clients.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };

  /** Answers a request for the stream: with the stream, or with 503 when it is full or ended. */
  const join = (request: IncomingMessage, response: ServerResponse, address: string): void => {
    if (response.destroyed) return;
    const ofAddress = [...clients.values()].filter((one) => one === address).length;
    if (closed || clients.size >= maxClients || ofAddress >= maxOfAddress) {
      const most =
        clients.size >= maxClients
          ? `${maxClients} listen already`
          : `too many event streams from this address, at most ${maxOfAddress}`;
      refuse(response, closed ? 'stopping' : most);
      return;
    }
    response.writeHead(200, headers);
    if (request.method === 'HEAD') {
      response.end();
      return;
    }
    clients.set(response, address);
    response.once('close', () => leave(response));
    // It may have changed since the page was rendered.
    response.write(retry + event('changed'));
    if (timer !== undefined) return;
    told = shown();
    ticksSince = minTicks;
    timer = setInterval(tick, tickMs);
  };

  /** Ends every stream; who comes later is refused. */
  const close = (): void => {
    closed = true;
    clearInterval(timer);
    for (const client of clients.keys()) client.end();
    clients.clear();
  };

  return { join, clients: () => clients.size, close };
};

const refuse = (response: ServerResponse, reason: string): void => {
  const { status, headers, body } = plainText(503, `no events: ${reason}\n`, { 'Retry-After': '10' });
  response.writeHead(status, headers).end(body);
};
