// Follows the objects at a path: a list, then a watch from there on, and a list again where the watch began too long ago.

import { pause } from '../pause.ts';
import type { Cluster } from './exchange.ts';
import { type ApiTimes, type ListWatch, listWatch, type ObjectPath, type WatchEvent } from './list-watch.ts';

export interface FollowPace extends ApiTimes {
  /** First wait after a failure; the next are twice as long, up to half a minute. */
  readonly retryMs: number;
}

export const defaultPace: FollowPace = { deadlineMs: 30_000, watchSeconds: 120, retryMs: 1000 };
const longestRetryMs = 30_000;

export interface Follower {
  /** A whole list begins: takes its pages, and then that it is whole. What is not needed of a page is not kept. */
  readonly list: () => { readonly page: (items: readonly unknown[]) => void; readonly whole: () => void };
  /** One object was added, modified or deleted. */
  readonly event: (event: WatchEvent) => void;
  /** It fails, one line; or it is well. Whenever the server has answered. */
  readonly say: (fault?: string) => void;
}

/** Resolves after the signal. */
export const follow = async (
  cluster: Cluster,
  path: ObjectPath,
  { list, event, say }: Follower,
  { retryMs, ...times }: FollowPace,
  signal: AbortSignal,
): Promise<void> => {
  const api = listWatch(cluster, path, times);
  let version: string | undefined;
  let failures = 0;
  const opened = (): void => {
    failures = 0;
    say();
  };
  const retry = async (reason: string | undefined): Promise<void> => {
    if (signal.aborted) return;
    if (reason !== undefined) say(reason);
    await pause(Math.min(longestRetryMs, retryMs * 2 ** Math.min(failures, 10)) / 1000, signal);
    failures += 1;
  };
  while (!signal.aborted) {
    if (version === undefined) {
      const { page, whole } = list();
      const listed = await listAll(api, page, signal);
      if (listed.kind === 'ok') {
        version = listed.resourceVersion;
        whole();
        opened();
      } else await retry(listed.kind === 'failed' ? listed.reason : undefined);
      continue;
    }
    const startedAt = performance.now();
    const took = (one: WatchEvent): void => {
      version = one.version ?? version;
      if (one.type === 'BOOKMARK') return;
      event(one);
      say();
    };
    const end = await api.watch(version, { opened, event: took }, signal);
    if (end.kind === 'expired') version = undefined;
    if (end.kind === 'failed') await retry(end.reason);
    // A server that ends every watch at once is not asked at once again.
    else if (performance.now() - startedAt < retryMs) await pause(retryMs / 1000, signal);
  }
};

const listAll = async (api: ListWatch, take: (items: readonly unknown[]) => void, signal: AbortSignal) => {
  let next: string | undefined;
  for (;;) {
    const page = await api.list(next, signal);
    if (page.kind !== 'ok') return page;
    take(page.items);
    if (page.next === undefined) return page;
    next = page.next;
  }
};
