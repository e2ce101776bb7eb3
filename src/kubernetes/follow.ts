// Follows the objects at a path: lists them, watches from that version on, and lists again if the version has expired.

import { doublingWait, pause, yieldToProbes } from '../pause.ts';
import { type Cluster, failed } from './exchange.ts';
import { type ApiTimes, type ListWatch, listWatch, type ObjectPath, type WatchEvent } from './list-watch.ts';

export interface FollowPace extends ApiTimes {
  /** Wait after the first failure. It doubles with each further one, up to half a minute. */
  readonly retryMs: number;
}

export const defaultPace: FollowPace = { deadlineMs: 30_000, watchSeconds: 120, retryMs: 1000 };
const longestRetryMs = 30_000;
/** A watch that lasts this many times `retryMs` was successful. */
const steady = 30;
/** All pages of a list together may take this many deadlines of one page. */
const listDeadlines = 10;
/** A list whose pages expire before the last one is read again. After this many in a row it counts as a failure. */
const expiredLists = 3;
const expired = 'the list expires before it is complete: status 410';

interface Follower {
  /** Begins a new list: `item` takes each object, `whole` ends the list. If `item` returns a text, the list fails for that reason. */
  readonly list: () => { readonly item: (item: unknown) => string | undefined; readonly whole: () => void };
  /** One object was added, modified or deleted. Returns false if it cannot be stored: the next list then gives the reason. */
  readonly event: (event: WatchEvent) => boolean;
  /** Called with each response: with a fault of one line, or without if all is well. `isRepeated`: at least the second one since a watch succeeded. */
  readonly say: (fault: string | undefined, isRepeated: boolean) => void;
}

/** Resolves after the signal. */
export const follow = async (
  cluster: Cluster,
  path: ObjectPath,
  { list, event, ...follower }: Follower,
  { retryMs, ...times }: FollowPace,
  signal: AbortSignal,
): Promise<void> => {
  const api = listWatch(cluster, path, times);
  let version: string | undefined;
  let failures = 0;
  let expiries = 0;
  /** Why the last watch was refused, or failed open. Kept over lists: a client that may list but not watch has not recovered after a list. */
  let refusal: string | undefined;
  /** The last watch failed after it was opened. The next one has not recovered before it lasts, because it may fail in the same way. */
  let failsOpen = false;
  /** Failures with a reason since a watch succeeded. */
  let faults = 0;
  const say = (fault?: string): void => follower.say(fault, faults > 1);
  const retry = async (reason: string | undefined): Promise<void> => {
    if (signal.aborted) return;
    if (reason !== undefined) {
      faults += 1;
      say(reason);
    }
    failures += 1;
    await pause(doublingWait(failures, { first: retryMs, max: longestRetryMs }) / 1000, signal);
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
    /** Never, if the server does not accept the watch. */
    let openedAt = Number.POSITIVE_INFINITY;
    let lasting: NodeJS.Timeout | undefined;
    const succeeded = (): void => {
      [refusal, failsOpen, faults] = [undefined, false, 0];
      say();
    };
    let isTooMuch = false;
    const took = (one: WatchEvent): boolean => {
      version = one.version ?? version;
      isTooMuch = one.type !== 'BOOKMARK' && !event(one);
      if (isTooMuch) return false;
      if (failsOpen) say(refusal);
      else succeeded();
      return true;
    };
    const opened = (): void => {
      openedAt = performance.now();
      if (failsOpen) lasting = setTimeout(succeeded, steady * retryMs);
      else succeeded();
    };
    const end = await api.watch(version, { opened, event: took }, signal);
    clearTimeout(lasting);
    const lastedMs = performance.now() - openedAt;
    const hasLasted = lastedMs > steady * retryMs;
    if (hasLasted) failures = 0;
    if (end.kind === 'ended') [refusal, failsOpen, faults] = [undefined, false, 0];
    if (end.kind === 'failed' && Number.isFinite(openedAt) && !hasLasted) failsOpen = true;
    if (end.kind === 'failed' && (end.isRefused || failsOpen)) refusal = end.reason;
    if (end.kind === 'expired' || isTooMuch || refusal !== undefined) version = undefined;
    if (end.kind === 'failed') await retry(end.reason);
    // Backs off from a server that ends every watch at once, or that requires a new list each time.
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
