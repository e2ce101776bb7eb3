// Lists and watches the objects at a path, as the API conventions have it: pages of a list, then a line for each change. Not by the
// client of Kubernetes: its watch has no deadline and no bound, and takes 17 MiB.

import { parsedJson } from '../text.ts';
import { type ApiFault, type Cluster, type Expired, exchange, failed, member } from './exchange.ts';

/** `query`: what of them, such as a fieldSelector. */
export interface ObjectPath {
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
}

export interface Page {
  readonly kind: 'ok';
  readonly items: readonly unknown[];
  readonly resourceVersion: string;
  /** Absent on the last page. */
  readonly next?: string;
}

export interface WatchEvent {
  readonly type: string;
  readonly object: unknown;
  /** Of the object, from which a watch goes on. */
  readonly version: string | undefined;
}

export interface ApiTimes {
  /** For a page, and for the head of a watch. */
  readonly deadlineMs: number;
  /** After which the server ends a watch; one that is silent for longer is dead. */
  readonly watchSeconds: number;
}

export interface ListWatch {
  readonly list: (next: string | undefined, signal: AbortSignal) => Promise<Page | Expired | ApiFault>;
  /** Resolves when the watch has ended, which every watch does. `opened`: the server has taken it. */
  readonly watch: (
    resourceVersion: string,
    on: { readonly opened: () => void; readonly event: (event: WatchEvent) => void },
    signal: AbortSignal,
  ) => Promise<{ readonly kind: 'ended' } | Expired | ApiFault>;
}

/** A page of a hundred pods is half a mebibyte; one object has at most 1.5 MiB. */
const maxPageBytes = 64 * 1024 * 1024;
const maxLineBytes = 4 * 1024 * 1024;
const pageSize = 100;

export const listWatch = (cluster: Cluster, of: ObjectPath, { deadlineMs, watchSeconds }: ApiTimes): ListWatch => {
  const pathOf = (query: Readonly<Record<string, string>>): string =>
    `${of.path}?${new URLSearchParams({ ...of.query, ...query })}`;

  return {
    list: async (next, signal) => {
      const chunks: Buffer[] = [];
      let size = 0;
      const query = { limit: String(pageSize), ...(next !== undefined && { continue: next }) };
      const end = await exchange(cluster, pathOf(query), signal, {
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
    watch: async (resourceVersion, on, signal) => {
      const seconds = String(watchSeconds);
      const query = { watch: 'true', allowWatchBookmarks: 'true', timeoutSeconds: seconds, resourceVersion };
      let rest = Buffer.alloc(0);
      let fault: ApiFault | Expired | undefined;
      const end = await exchange(cluster, pathOf(query), signal, {
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

const pageOf = (text: string): Page | ApiFault => {
  const value = parsedJson(text);
  const [items, metadata] = [member(value, 'items'), member(value, 'metadata')];
  const [resourceVersion, next] = [member(metadata, 'resourceVersion'), member(metadata, 'continue')];
  if (typeof resourceVersion !== 'string') return failed('the response is not a list');
  const isMore = typeof next === 'string' && next !== '';
  return { kind: 'ok', items: Array.isArray(items) ? items : [], resourceVersion, ...(isMore && { next }) };
};

const eventOf = (line: string): WatchEvent | Expired | ApiFault => {
  const value = parsedJson(line);
  const [type, object] = [member(value, 'type'), member(value, 'object')];
  if (typeof type !== 'string') return failed('the response is not a watch');
  if (type !== 'ERROR') return { type, object, version: versionOf(object) };
  return member(object, 'code') === 410 ? { kind: 'expired' } : failed(`watch: ${String(member(object, 'message'))}`);
};

const versionOf = (object: unknown): string | undefined => {
  const version = member(member(object, 'metadata'), 'resourceVersion');
  return typeof version === 'string' ? version : undefined;
};
