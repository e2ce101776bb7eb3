// Lists and watches the pods of a namespace, as the API conventions have it: pages of a list, then a line for each change. Not by the
// client of Kubernetes: its watch has no deadline and no bound, and takes 17 MiB.

import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { credentialsOf } from '../../kubernetes/api.ts';
import { printable } from '../../text.ts';
import { codeOf } from '../fault.ts';
import type { Cluster } from '../source.ts';

export type ApiFault = {
  readonly kind: 'failed';
  /** One line; never holds a credential. */
  readonly reason: string;
};

export interface Page {
  readonly kind: 'ok';
  readonly items: readonly unknown[];
  readonly resourceVersion: string;
  /** Absent on the last page. */
  readonly next?: string;
}

/** Of a list or a watch that began too long ago. */
export interface Expired {
  readonly kind: 'expired';
}

export interface WatchEvent {
  readonly type: string;
  readonly object: unknown;
}

export interface ApiTimes {
  /** For a page, and for the head of a watch. */
  readonly deadlineMs: number;
  /** After which the server ends a watch; one that is silent for longer is dead. */
  readonly watchSeconds: number;
}

export interface PodApi {
  readonly list: (namespace: string, next: string | undefined, signal: AbortSignal) => Promise<Page | Expired | ApiFault>;
  /** Resolves when the watch has ended, which every watch does. `opened`: the server has taken it. */
  readonly watch: (
    namespace: string,
    resourceVersion: string,
    on: { readonly opened: () => void; readonly event: (event: WatchEvent) => void },
    signal: AbortSignal,
  ) => Promise<{ readonly kind: 'ended' } | Expired | ApiFault>;
}

/** A page of a hundred pods is half a mebibyte; one object has at most 1.5 MiB. */
const maxPageBytes = 64 * 1024 * 1024;
const maxLineBytes = 4 * 1024 * 1024;
const pageSize = 100;

export const podApi = (cluster: Cluster, { deadlineMs, watchSeconds }: ApiTimes): PodApi => {
  const pathOf = (namespace: string, query: Readonly<Record<string, string>>): string =>
    `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods?${new URLSearchParams(query)}`;

  return {
    list: async (namespace, next, signal) => {
      const chunks: Buffer[] = [];
      let size = 0;
      const query = { limit: String(pageSize), ...(next !== undefined && { continue: next }) };
      const end = await exchange(cluster, pathOf(namespace, query), signal, {
        deadlineMs,
        taken: () => undefined,
        data: (chunk) => {
          size += chunk.length;
          chunks.push(chunk);
          return size <= maxPageBytes;
        },
      });
      return end.kind === 'ended' ? pageOf(Buffer.concat(chunks).toString()) : end;
    },
    watch: async (namespace, resourceVersion, on, signal) => {
      const seconds = String(watchSeconds);
      const query = { watch: 'true', allowWatchBookmarks: 'true', timeoutSeconds: seconds, resourceVersion };
      let rest = Buffer.alloc(0);
      let fault: ApiFault | Expired | undefined;
      const end = await exchange(cluster, pathOf(namespace, query), signal, {
        deadlineMs,
        silentMs: watchSeconds * 1000 + deadlineMs,
        taken: on.opened,
        data: (chunk) => {
          rest = Buffer.concat([rest, chunk]);
          for (let at = rest.indexOf(10); at >= 0 && fault === undefined; at = rest.indexOf(10)) {
            const event = eventOf(rest.toString('utf8', 0, at));
            rest = rest.subarray(at + 1);
            if ('kind' in event) fault = event;
            else on.event(event);
          }
          return fault === undefined && rest.length <= maxLineBytes;
        },
      });
      return fault ?? end;
    },
  };
};

interface Reading {
  readonly deadlineMs: number;
  /** Longest silence once the head is there; absent: the deadline is for all of it. */
  readonly silentMs?: number;
  readonly taken: () => void;
  /** False: enough. */
  readonly data: (chunk: Buffer) => boolean;
}

type End = { readonly kind: 'ended' } | Expired | ApiFault;

const exchange = async (cluster: Cluster, path: string, signal: AbortSignal, reading: Reading): Promise<End> => {
  const { server, serviceAccountDir } = cluster;
  if (server === undefined) return failed('no API server: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set');
  try {
    return await send(`${server}${path}`, await credentialsOf({ serviceAccountDir }), signal, reading);
  } catch (error) {
    return failed(`${serviceAccountDir}: ${codeOf(error)}`);
  }
};

const failed = (reason: string): ApiFault => ({ kind: 'failed', reason: printable(reason, 300) });

const send = (
  url: string,
  { ca, token }: Awaited<ReturnType<typeof credentialsOf>>,
  signal: AbortSignal,
  { deadlineMs, silentMs, taken, data }: Reading,
): Promise<End> =>
  new Promise((resolve) => {
    const end = (outcome: End): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
      resolve(outcome);
      sent.destroy();
    };
    const late = (): void => end(failed(`no answer within ${deadlineMs} ms`));
    const abort = (): void => end(failed('aborted'));
    const headers = { Authorization: `Bearer ${token}`, Accept: 'application/json', 'User-Agent': 'snowgauge' };
    const sent = request(url, { ca, headers, agent: false }, (response) => {
      const status = response.statusCode ?? 0;
      if (status !== 200) {
        void messageOf(response).then((message) =>
          end(status === 410 ? { kind: 'expired' } : failed(`status ${status}${message}`)),
        );
        return;
      }
      taken();
      const quiet = (): void => {
        if (silentMs === undefined) return;
        clearTimeout(timer);
        timer = setTimeout(() => end({ kind: 'ended' }), silentMs);
      };
      quiet();
      response.on('data', (chunk: Buffer) => {
        quiet();
        if (!data(chunk)) end(failed('the response is larger than what is taken'));
      });
      response.on('end', () => end({ kind: 'ended' }));
      // A watch that breaks off is one that ended; a page is not whole.
      response.on('error', (error) => end(silentMs === undefined ? failed(codeOf(error)) : { kind: 'ended' }));
    });
    let timer = setTimeout(late, deadlineMs);
    sent.on('error', (error) => end(failed(codeOf(error))));
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
    else sent.end();
  });

/** What a Status says, of the first bytes of the body. */
const messageOf = async (response: IncomingMessage): Promise<string> => {
  let text = '';
  try {
    for await (const chunk of response) {
      text += String(chunk);
      if (text.length > 20_000) break;
    }
  } catch {
    return '';
  }
  const message = member(parsed(text), 'message');
  return typeof message === 'string' ? `: ${message}` : '';
};

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const member = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;

const pageOf = (text: string): Page | ApiFault => {
  const value = parsed(text);
  const [items, metadata] = [member(value, 'items'), member(value, 'metadata')];
  const [resourceVersion, next] = [member(metadata, 'resourceVersion'), member(metadata, 'continue')];
  if (typeof resourceVersion !== 'string') return failed('the response is not a list of pods');
  const isMore = typeof next === 'string' && next !== '';
  return { kind: 'ok', items: Array.isArray(items) ? items : [], resourceVersion, ...(isMore && { next }) };
};

const eventOf = (line: string): WatchEvent | Expired | ApiFault => {
  const value = parsed(line);
  const [type, object] = [member(value, 'type'), member(value, 'object')];
  if (typeof type !== 'string') return failed('the response is not a watch');
  if (type !== 'ERROR') return { type, object };
  return member(object, 'code') === 410 ? { kind: 'expired' } : failed(`watch: ${String(member(object, 'message'))}`);
};
