// Where Alertmanager sends to: a webhook that writes down what arrives, and when.

import { createServer, type IncomingMessage } from 'node:http';
import * as z from 'zod/mini';

export interface Arrival {
  readonly alert: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly summary: string;
  /** When it began to fire, as Prometheus says; seconds. */
  readonly firedAt: number;
  /** When it came here. */
  readonly receivedAt: number;
}

export interface Receiver {
  readonly url: string;
  /** Each alert once, in the order of their coming. */
  readonly arrivals: () => readonly Arrival[];
  readonly close: () => Promise<void>;
}

const maxBodyBytes = 1024 * 1024;
const maxArrivals = 1000;

const texts = z.record(z.string(), z.string());
const notice = z.object({
  alerts: z.array(z.object({ status: z.string(), labels: texts, annotations: texts, startsAt: z.string() })),
});

export const startReceiver = async (now: () => number): Promise<Receiver> => {
  const arrivals = new Map<string, Arrival>();
  const server = createServer((request, response) => {
    response.setHeader('Connection', 'close');
    void bodyOf(request).then((body) => {
      const read = notice.safeParse(body);
      response.writeHead(read.success ? 200 : 400).end();
      for (const { status, labels, annotations, startsAt } of read.data?.alerts ?? []) {
        const key = JSON.stringify(Object.entries(labels).sort());
        if (status !== 'firing' || arrivals.has(key) || arrivals.size >= maxArrivals) continue;
        arrivals.set(key, {
          alert: labels.alertname ?? '',
          labels,
          summary: annotations.summary ?? '',
          firedAt: Date.parse(startsAt) / 1000,
          receivedAt: now(),
        });
      }
    });
  });
  server.requestTimeout = 10_000;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}/`,
    arrivals: () => [...arrivals.values()],
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};

/** The body as JSON; undefined where it is none, or too large. */
const bodyOf = async (request: IncomingMessage): Promise<unknown> => {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of request) {
      size += chunk.length;
      if (size > maxBodyBytes) return undefined;
      chunks.push(chunk);
    }
    return JSON.parse(Buffer.concat(chunks).toString());
  } catch {
    return undefined;
  }
};
