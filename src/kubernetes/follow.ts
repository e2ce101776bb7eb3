// Follows the objects at a path: a list, then a watch from there on, and a list again where the watch began too long ago.

import { pause, yieldToProbes } from '../pause.ts';
import { type Cluster, failed } from './exchange.ts';
import { type ApiTimes, type ListWatch, listWatch, type ObjectPath, type WatchEvent } from './list-watch.ts';

export interface FollowPace extends ApiTimes {
  /** First wait after a failure; the next are twice as long, up to half a minute. */
  readonly retryMs: number;
}

export const defaultPace: FollowPace = { deadlineMs: 30_000, watchSeconds: 120, retryMs: 1000 };
const longestRetryMs = 30_000;
/** A watch has gone well that lasted as long as so many first waits. */
const steady = 30;
/** All pages of a list take at most so many deadlines of one. */
const listDeadlines = 10;
/** A list whose pages expire before its last one is read again: so many of them in a row are a fault. */
const expiredLists = 3;
const expired = 'the list expires before it is complete: status 410';

export interface Follower {
  /** A whole list begins: takes its objects as they come, and then that it is whole. A text: why it is too much, and fails. */
  readonly list: () => { readonly item: (item: unknown) => string | undefined; readonly whole: () => void };
  /** One object was added, modified or deleted. False: it cannot be taken, and the next list is to say why. */
  readonly event: (event: WatchEvent) => boolean;
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
  let expiries = 0;
  /** Why a watch was refused, until the server takes one: who may list, and not watch, has not recovered with each list. */
  let refusal: string | undefined;
  const retry = async (reason: string | undefined): Promise<void> => {
    if (signal.aborted) return;
    if (reason !== undefined) say(reason);
    await pause(Math.min(longestRetryMs, retryMs * 2 ** Math.min(failures, 10)) / 1000, signal);
    failures += 1;
  };
  while (!signal.aborted) {
    if (version === undefined) {
      const { item, whole } = list();
      const listed = await listAll(api, item, listDeadlines * times.deadlineMs, signal);
      if (listed.kind === 'ok') {
        version = listed.resourceVersion;
        expiries = 0;
        whole();
        say(refusal);
      } else {
        expiries = listed.kind === 'expired' ? expiries + 1 : 0;
        await retry(listed.kind === 'failed' ? listed.reason : expiries < expiredLists ? undefined : expired);
      }
      continue;
    }
    const startedAt = performance.now();
    let isTooMuch = false;
    const took = (one: WatchEvent): boolean => {
      version = one.version ?? version;
      if (one.type === 'BOOKMARK') return true;
      isTooMuch = !event(one);
      if (!isTooMuch) say();
      return !isTooMuch;
    };
    const opened = (): void => {
      refusal = undefined;
      say();
    };
    const end = await api.watch(version, { opened, event: took }, signal);
    const lastedMs = performance.now() - startedAt;
    if (lastedMs > steady * retryMs) failures = 0;
    if (end.kind === 'failed' && end.isRefused) refusal = end.reason;
    if (end.kind === 'expired' || isTooMuch || refusal !== undefined) version = undefined;
    if (end.kind === 'failed') await retry(end.reason);
    // A server that ends every watch at once, or makes us list again, is asked more and more slowly.
    else if (version === undefined || lastedMs < retryMs) await retry(undefined);
  }
};

const listAll = async (
  api: ListWatch,
  item: (item: unknown) => string | undefined,
  longestMs: number,
  signal: AbortSignal,
): ReturnType<ListWatch['list']> => {
  const until = performance.now() + longestMs;
  let next: string | undefined;
  for (;;) {
    const page = await api.list(next, item, signal);
    if (page.kind !== 'ok' || page.next === undefined) return page;
    if (performance.now() > until) return failed(`the list was not complete within ${longestMs} ms`);
    next = page.next;
    await yieldToProbes();
  }
};
