// Lists and watches the objects at a path by the API conventions: the pages of a list, then one line per change. The Kubernetes client
// library is not used: its watch has no deadline and no size limit, and takes 17 MiB.

import { type ApiFault, type Cluster, type End, type Expired, exchange, failed, member } from './exchange.ts';
import { type FieldMask, picking } from './pick.ts';

/** `query`: selects objects, for example with a fieldSelector. `wanted`: fields of each object, including metadata.resourceVersion. */
export interface ObjectPath {
  readonly path: string;
  readonly wanted: { readonly [name: string]: FieldMask };
  readonly query?: Readonly<Record<string, string>>;
}

interface ListPage {
  readonly kind: 'ok';
  readonly resourceVersion: string;
  /** Undefined on the last page. */
  readonly next?: string;
}

export interface WatchEvent {
  readonly type: string;
  readonly object: unknown;
  /** The object's resource version, from which a watch can continue. */
  readonly version: string | undefined;
}

export interface ApiTimes {
  /** For a page of a list, and for the response headers of a watch. */
  readonly deadlineMs: number;
  /** The server ends a watch after this time. A watch that takes longer by `deadlineMs` is dead. */
  readonly watchSeconds: number;
}

export interface ListWatch {
  /** Calls `item` with each object as it arrives, even if the page fails later. If `item` returns a text, the list is not read further. */
  readonly list: (
    next: string | undefined,
    item: (item: unknown) => string | undefined,
    signal: AbortSignal,
  ) => Promise<ListPage | Expired | ApiFault>;
  /** Resolves at the end of the watch. `opened`: the server has accepted it. `event`: returns false to end it. */
  readonly watch: (
    resourceVersion: string,
    on: { readonly opened: () => void; readonly event: (event: WatchEvent) => boolean },
    signal: AbortSignal,
  ) => Promise<{ readonly kind: 'ended' } | Expired | ApiFault>;
}

/** As many large pods as can arrive within the deadline. */
const pageSize = 50;

export const listWatch = (cluster: Cluster, of: ObjectPath, { deadlineMs, watchSeconds }: ApiTimes): ListWatch => {
  const pathOf = (query: Readonly<Record<string, string>>): string =>
    `${of.path}?${new URLSearchParams({ ...of.query, ...query })}`;

  return {
    list: async (next, item, signal) => {
      let head: unknown;
      let fault: string | undefined;
      const reader = picking(
        { metadata: { resourceVersion: true, continue: true }, items: of.wanted },
        {
          entries: 'items',
          entry: (value) => {
            fault = item(value);
            return fault === undefined;
          },
          whole: (value) => {
            head = value;
            return true;
          },
        },
      );
      const query = { limit: String(pageSize), ...(next !== undefined && { continue: next }) };
      const end = await exchange(cluster, pathOf(query), signal, {
        deadlineMs,
        data: (bytes) => (reader.take(bytes) ? undefined : failed(fault ?? noList)),
      });
      return end.kind === 'ended' ? pageOf(head) : end;
    },
    watch: async (resourceVersion, on, signal) => {
      const seconds = String(watchSeconds);
      const query = { watch: 'true', allowWatchBookmarks: 'true', timeoutSeconds: seconds, resourceVersion };
      let end: End | undefined;
      const whole = (value: unknown): boolean => {
        const event = eventOf(value);
        if ('kind' in event) end = event;
        else if (!on.event(event)) end = { kind: 'ended' };
        return end === undefined;
      };
      const reader = picking({ type: true, object: { ...of.wanted, code: true, message: true } }, { whole });
      return exchange(cluster, pathOf(query), signal, {
        deadlineMs,
        openMs: watchSeconds * 1000 + deadlineMs,
        taken: on.opened,
        data: (bytes) => (reader.take(bytes) ? undefined : (end ?? failed(noWatch))),
      });
    },
  };
};

const noList = 'the response is not a list';
const noWatch = 'the response is not a watch';

const pageOf = (value: unknown): ListPage | ApiFault => {
  const metadata = member(value, 'metadata');
  const [resourceVersion, next] = [member(metadata, 'resourceVersion'), member(metadata, 'continue')];
  if (typeof resourceVersion !== 'string') return failed(noList);
  const isMore = typeof next === 'string' && next !== '';
  return { kind: 'ok', resourceVersion, ...(isMore && { next }) };
};

const eventOf = (value: unknown): WatchEvent | Expired | ApiFault => {
  const [type, object] = [member(value, 'type'), member(value, 'object')];
  if (typeof type !== 'string') return failed(noWatch);
  if (type !== 'ERROR') return { type, object, version: versionOf(object) };
  if (member(object, 'code') === 410) return { kind: 'expired' };
  return { ...failed(`watch: ${String(member(object, 'message'))}`), isRefused: true };
};

const versionOf = (object: unknown): string | undefined => {
  const version = member(member(object, 'metadata'), 'resourceVersion');
  return typeof version === 'string' ? version : undefined;
};
