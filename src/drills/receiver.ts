// Receives from Prometheus and Alertmanager: records every firing alert and every notification, with the time.

import type { IncomingMessage } from 'node:http';
import * as z from 'zod/mini';
import { startLocalServer } from './local-server.ts';

export interface Arrival {
  readonly alert: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly summary: string;
  /** Seconds since the Unix epoch at which it began to fire, as reported by Prometheus. */
  readonly firedAt: number;
}

export interface Notification {
  /** The receiver's name in Alertmanager's configuration. */
  readonly receiver: string;
  /** Labels of each firing alert. */
  readonly alerts: readonly Readonly<Record<string, string>>[];
  readonly receivedAt: number;
}

export type Receiver = Awaited<ReturnType<typeof startReceiver>>;

const maxBodyBytes = 1024 * 1024;
const maxKept = 1000;

const texts = z.record(z.string(), z.string());
const alert = z.object({ labels: texts, annotations: texts, startsAt: z.string(), endsAt: z.string() });
const notice = z.object({ receiver: z.string(), alerts: z.array(z.object({ status: z.string(), labels: texts })) });

/** `url` is an Alertmanager to Prometheus, `/notify` a webhook to Alertmanager. Keeps each alert once, in order of arrival. */
export const startReceiver = async (now: () => number) => {
  const arrivals = new Map<string, Arrival>();
  const notifications: Notification[] = [];
  const takeAlerts = (body: unknown): boolean => {
    const read = z.array(alert).safeParse(body);
    for (const { labels, annotations, startsAt, endsAt } of read.data ?? []) {
      const key = JSON.stringify(Object.entries(labels).sort());
      if (Date.parse(endsAt) / 1000 < now() || arrivals.has(key) || arrivals.size >= maxKept) continue;
      const firedAt = Date.parse(startsAt) / 1000;
      arrivals.set(key, { alert: labels.alertname ?? '', labels, summary: annotations.summary ?? '', firedAt });
    }
    return read.success;
  };
  const takeNotice = (body: unknown): boolean => {
    const read = notice.safeParse(body);
    const alerts = read.data?.alerts.filter(({ status }) => status === 'firing').map(({ labels }) => labels) ?? [];
    if (read.success && alerts.length > 0 && notifications.length < maxKept)
      notifications.push({ receiver: read.data.receiver, alerts, receivedAt: now() });
    return read.success;
  };
  const { host, close } = await startLocalServer((request, response) => {
    response.setHeader('Connection', 'close');
    const take = request.url === '/notify' ? takeNotice : takeAlerts;
    void bodyOf(request).then((body) => response.writeHead(take(body) ? 200 : 400).end());
  });
  return { url: `http://${host}`, arrivals: () => [...arrivals.values()], notifications: () => [...notifications], close };
};

/** The body as JSON. Undefined if it is not JSON or too large. */
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
