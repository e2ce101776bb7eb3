// By default, a node listens only on its loopback address, and refuses connections from other pods. A discovered target that refuses is not
// watched until it has accepted a connection once. So if --http-host was forgotten, there is one log line for all nodes, and not an alert
// for each node.
//
// A target that was watched before, by an earlier run, or before a reload with another name, by another source or as a target of the
// configuration, counts as accepted. Other targets that refuse for a long time are watched if fewer than half of all targets refuse: without
// --http-host, all of them would refuse, so these nodes are considered down.

import { connect, type LookupFunction } from 'node:net';
import { pause } from '../pause.ts';
import { codeOf } from '../text.ts';
import type { FoundTarget } from './target-of.ts';

/** Resolves to true if the target at the URL accepts connections. */
export type Answers = (url: string, signal: AbortSignal) => Promise<boolean>;

interface ConnectionCheck {
  /** Call it before the first update after a reload, which may rename targets, or move them from the configuration to discovery. */
  readonly reloaded: () => void;
  /** Sets the current targets, and starts checks of new ones. */
  readonly update: (placed: readonly { readonly found: Pick<FoundTarget, 'name' | 'url'> }[]) => void;
  /** Whether the target may be watched; undefined if that is not known yet. */
  readonly isAdmitted: (name: string) => boolean | undefined;
  /** Returns targets that refuse connections, 60 s or more after they were discovered. Returns each name only once. */
  readonly unreported: () => readonly string[];
}

interface ConnectionCheckDependencies {
  readonly answers?: Answers;
  readonly lookup?: LookupFunction | undefined;
  /** Whether an earlier run watched a target with this name. */
  readonly known?: ((name: string) => boolean) | undefined;
  /** Whether the last reload has removed a target with this name or URL from the configuration. */
  readonly wasConfigured?: ((nameOrUrl: string) => boolean) | undefined;
  readonly now: () => number;
  readonly signal: AbortSignal;
  /** Called when a target is admitted or refused. */
  readonly changed: () => void;
  readonly retrySeconds?: number;
}

/** Seconds for which a starting pod may refuse without being reported. */
const gracePeriod = 60;
/**
 * Seconds in which a pod starts, including the image pull. If it still refuses after that, it is considered down, unless many targets
 * refuse.
 */
const downAfter = 600;
/**
 * The same for targets that exist when the exporter starts. It is shorter, because an earlier run may have watched them, and their alerts
 * must not resolve.
 */
const downAfterStart = gracePeriod;
const maxConnections = 50;
/** Seconds in which the sources deliver their lists after a reload. Later, another pod may get the address of a target. */
const reloadSeconds = 60;

interface State {
  readonly url: string;
  admitted: boolean | undefined;
  readonly since: number;
  isReported: boolean;
  /** It is no longer discovered, or it has another address. */
  gone: boolean;
}

export const createConnectionCheck = ({
  lookup,
  answers = (url, signal) => takesConnections(url, signal, lookup),
  known = () => false,
  wasConfigured = () => false,
  now,
  signal,
  changed,
  retrySeconds = 10,
}: ConnectionCheckDependencies): ConnectionCheck => {
  const begunAt = now();
  const isDown = ({ since }: State): boolean => now() - since >= (since - begunAt < gracePeriod ? downAfterStart : downAfter);
  const states = new Map<string, State>();
  /** Names and URLs of admitted targets that the last reload has removed: another source may find them. */
  const former = new Set<string>();
  const waiting = new Set<State>();
  const refused = new Set<State>();
  let asking = 0;
  let reloadedAt = Number.NEGATIVE_INFINITY;
  let isDue = false;
  /** Fewer than half of the targets refuse. */
  let areFew = false;

  const ask = async (state: State): Promise<void> => {
    const answered = await answers(state.url, signal);
    if (signal.aborted || state.gone) return;
    state.admitted = answered || (areFew && isDown(state));
    if (!state.admitted) refused.add(state);
    changed();
  };
  const enqueue = (state: State): void => {
    if (!signal.aborted && !state.gone) waiting.add(state);
    next();
  };
  const drop = (state: State): void => {
    state.gone = true;
    waiting.delete(state);
  };
  const start = (one: State): void => {
    waiting.delete(one);
    asking += 1;
    void ask(one).finally(() => {
      asking -= 1;
      next();
    });
  };
  /** Starts one check per iteration of the event loop: a list may have a thousand targets. */
  const next = (): void => {
    if (isDue || asking >= maxConnections || waiting.size === 0) return;
    isDue = true;
    setImmediate(() => {
      isDue = false;
      const [one] = waiting;
      if (one !== undefined) start(one);
      next();
    });
  };

  const retry = async (): Promise<void> => {
    while (!signal.aborted) {
      await pause(retrySeconds, signal);
      const again = [...refused];
      refused.clear();
      // Whether a target that is not checked yet, or again, accepts is unknown: it counts as one that refuses.
      const accepting = Array.from(states.values()).filter(({ admitted }) => admitted === true);
      areFew = accepting.length * 2 > states.size;
      for (const state of again) enqueue(state);
    }
  };
  void retry();

  return {
    reloaded: () => {
      reloadedAt = now();
    },
    update: (placed) => {
      const isReload = now() - reloadedAt < reloadSeconds;
      if (!isReload) former.clear();
      const names = new Set(placed.map(({ found }) => found.name));
      const byUrl = new Map(isReload ? Array.from(states.values(), (state) => [state.url, state]) : []);
      for (const [name, state] of states) {
        if (names.has(name)) continue;
        drop(state);
        states.delete(name);
        if (isReload && state.admitted === true) former.add(name).add(state.url);
      }
      for (const {
        found: { name, url },
      } of placed) {
        const before = states.get(name);
        if (before?.url === url) continue;
        const renamed = byUrl.get(url);
        // The same name is the same node at another address. After a reload, the same URL is the same node with another name.
        const isAdmitted = before?.admitted === true || renamed?.admitted === true;
        const isFormer = (key: string): boolean => isReload && (wasConfigured(key) || former.has(key));
        const isKnown = before === undefined && (known(name) || isFormer(name) || isFormer(url));
        const next: State = {
          url,
          admitted: isAdmitted || isKnown ? true : undefined,
          since: (before ?? renamed)?.since ?? now(),
          isReported: before?.isReported ?? false,
          gone: false,
        };
        if (before !== undefined) drop(before);
        states.set(name, next);
        if (next.admitted === undefined) enqueue(next);
      }
    },
    isAdmitted: (name) => states.get(name)?.admitted,
    unreported: () => {
      const found = [...states].filter(
        ([, one]) => one.admitted === false && !one.isReported && now() - one.since >= gracePeriod,
      );
      for (const [, one] of found) one.isReported = true;
      return found.map(([name]) => name);
    },
  };
};

/**
 * Resolves to false only if the connection is refused. Timeouts and other errors count as accepted, so that the target is watched. Of the
 * addresses of a name, it is enough that one refuses and none times out.
 */
export const takesConnections = (url: string, signal: AbortSignal, lookup?: LookupFunction, timeoutMs = 2000): Promise<boolean> =>
  new Promise((resolve) => {
    const { hostname, port, protocol } = new URL(url);
    const host = hostname.replace(/^\[|\]$/g, '');
    // Not passed to net as a signal: in Node.js 20, the signal would retain every socket as long as it exists.
    const socket = connect({ host, port: Number(port) || (protocol === 'https:' ? 443 : 80), lookup });
    const end = (answer: boolean): void => {
      signal.removeEventListener('abort', stop);
      resolve(answer);
      socket.destroy();
    };
    const stop = (): void => end(true);
    signal.addEventListener('abort', stop);
    // One more iteration of the event loop: if the exporter itself was late, the refusal may be unread.
    socket.setTimeout(timeoutMs, () => setImmediate(end, true));
    socket.on('connect', () => end(true));
    socket.on('error', (error) => end(!isRefused(error)));
  });

/** The code of an error for several addresses is the one of the first address, which may have been unreachable. */
const isRefused = (error: Error): boolean => {
  const codes = (error instanceof AggregateError ? error.errors : [error]).map(codeOf);
  return codes.includes('ECONNREFUSED') && !codes.includes('ETIMEDOUT');
};
