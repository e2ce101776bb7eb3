// Server-sent events: notify open pages of changes. An event does not contain the new state. The page requests the state when it is ready,
// so that nothing is buffered for slow clients, and all pages use the same rendering.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { isoOf } from '../text.ts';
import { plainText, type Reply } from './reply.ts';

const defaults = {
  maxClients: 64,
  maxOfAddress: 32,
  /** Interval of checking for changes, while there are clients. */
  tickMs: 200,
  /** Minimum number of ticks between two events: a fleet changes more often than a page can be read. */
  minTicks: 5,
  /** Number of ticks after which a heartbeat is sent: it updates ages, and detects dead connections. */
  heartbeatTicks: 50,
  /** A client with more unread bytes is disconnected. */
  maxUnreadBytes: 4096,
};

export type EventsOptions = Readonly<Partial<typeof defaults>>;

const headers = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  // The connection is not reused after the stream.
  Connection: 'close',
  // Otherwise nginx would delay events until its buffer is full.
  'X-Accel-Buffering': 'no',
} as const;

/** Milliseconds after which a browser reconnects. */
const retry = 'retry: 2000\n';

/**
 * `shown`: returns a new object when there is something new to show. `now`: wall clock, seconds. `isShed`: called for each stream at each
 * tick; true ends the stream.
 */
export const createEvents = (
  shown: () => unknown,
  now: () => number,
  options: EventsOptions = {},
  isShed: () => boolean = () => false,
) => {
  const { maxClients, maxOfAddress, tickMs, minTicks, heartbeatTicks, maxUnreadBytes } = { ...defaults, ...options };
  /** Client -> its address. */
  const clients = new Map<ServerResponse, string>();
  let timer: NodeJS.Timeout | undefined;
  let closed = false;
  let announced: unknown;
  let ticksSince = 0;

  const event = (name: 'changed' | 'heartbeat'): string => `event: ${name}\ndata: {"now":"${isoOf(now())}"}\n\n`;

  const send = (name: 'changed' | 'heartbeat'): void => {
    announced = shown();
    ticksSince = 0;
    const text = event(name);
    for (const client of clients.keys()) {
      // Excludes what the kernel has buffered: the client has not read for a long time.
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
    if (ticksSince >= minTicks && shown() !== announced) send('changed');
    else if (ticksSince >= heartbeatTicks) send('heartbeat');
  };

  const leave = (client: ServerResponse): void => {
    clients.delete(client);
    if (clients.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };

  /** Responds with the stream. Returns the reply instead if there are too many clients or the server is stopping. */
  const join = (request: IncomingMessage, response: ServerResponse, address: string): Reply | undefined => {
    if (response.destroyed) return undefined;
    if (closed) return refused('stopping');
    if (clients.size >= maxClients) return refused(`${maxClients} listen already`);
    if ([...clients.values()].filter((one) => one === address).length >= maxOfAddress)
      return refused(`too many event streams from this address, at most ${maxOfAddress}`);
    response.writeHead(200, headers);
    if (request.method === 'HEAD') {
      response.end();
      return undefined;
    }
    clients.set(response, address);
    response.once('close', () => leave(response));
    // There may have been changes since the page was rendered.
    response.write(retry + event('changed'));
    if (timer === undefined) {
      announced = shown();
      ticksSince = minTicks;
      timer = setInterval(tick, tickMs);
    }
    return undefined;
  };

  /** Ends all streams, and refuses new ones. */
  const close = (): void => {
    closed = true;
    clearInterval(timer);
    for (const client of clients.keys()) client.end();
    clients.clear();
  };

  return { join, clients: () => clients.size, close };
};

const refused = (reason: string): Reply => plainText(503, `no events: ${reason}\n`, { 'Retry-After': '10' });
