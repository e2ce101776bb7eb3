// A node listens on its loopback by default, and refuses every connection of another pod. What is found and refuses is not watched
// until it takes a connection, once: not an alert a node, but a sentence for all. One that an earlier run watched has done so. And where
// nothing is remembered, few that refuse among many that do not are nodes that are down: whoever forgets --http-host does so for all.

import { connect, type LookupFunction } from 'node:net';
import { pause } from '../pause.ts';
import type { FoundTarget } from './target-of.ts';

export type Answers = (url: string, signal: AbortSignal) => Promise<boolean>;

interface ConnectionCheck {
  /** Takes what is found now; what is new is asked. */
  readonly update: (placed: readonly { readonly found: Pick<FoundTarget, 'name' | 'url'> }[]) => void;
  /** Undefined: not known yet. */
  readonly isAdmitted: (name: string) => boolean | undefined;
  /** Names that refuse and have not been told. They are told with it. */
  readonly untold: () => readonly string[];
}

export interface ConnectionCheckDependencies {
  readonly answers?: Answers;
  readonly lookup?: LookupFunction | undefined;
  /** An earlier run watched the target of that name. */
  readonly known?: ((name: string) => boolean) | undefined;
  readonly now: () => number;
  readonly signal: AbortSignal;
  /** Somebody is admitted, or refused, who was not. */
  readonly changed: () => void;
  readonly retrySeconds?: number;
}

/** Seconds for which a pod that starts may refuse. */
const patience = 60;
/** Seconds after which a pod has started, its image pulled: if it is among few that refuse, it is down. */
const downAfter = 600;
/** The same of what is there when we start: an earlier run may have watched it, and its alerts must not end for want of it. */
const downAfterStart = patience;
const maxConnections = 50;

interface State {
  readonly url: string;
  admitted: boolean | undefined;
  readonly since: number;
  told: boolean;
  /** Nobody finds it any more, or not at this address. */
  gone: boolean;
}

export const createConnectionCheck = ({
  lookup,
  answers = (url, signal) => takesConnections(url, signal, lookup),
  known = () => false,
  now,
  signal,
  changed,
  retrySeconds = 10,
}: ConnectionCheckDependencies): ConnectionCheck => {
  const begunAt = now();
  const isDown = ({ since }: State): boolean => now() - since >= (since - begunAt < patience ? downAfterStart : downAfter);
  const states = new Map<string, State>();
  const waiting = new Set<State>();
  const refused = new Set<State>();
  let asking = 0;
  let isDue = false;
  /** Fewer than half refuse. */
  let areFew = false;

  const ask = async (state: State): Promise<void> => {
    const answered = await answers(state.url, signal);
    if (signal.aborted || state.gone) return;
    state.admitted = answered || (areFew && isDown(state));
    if (!state.admitted) refused.add(state);
    changed();
  };
  const want = (state: State): void => {
    if (!signal.aborted && !state.gone) waiting.add(state);
    next();
  };
  const leave = (state: State): void => {
    state.gone = true;
    waiting.delete(state);
  };
  const begin = (one: State): void => {
    waiting.delete(one);
    asking += 1;
    void ask(one).finally(() => {
      asking -= 1;
      next();
    });
  };
  /** One in each turn of the event loop: a list may bring a thousand. */
  const next = (): void => {
    if (isDue || asking >= maxConnections || waiting.size === 0) return;
    isDue = true;
    setImmediate(() => {
      isDue = false;
      const [one] = waiting;
      if (one !== undefined) begin(one);
      next();
    });
  };

  const retry = async (): Promise<void> => {
    while (!signal.aborted) {
      await pause(retrySeconds, signal);
      const again = [...refused];
      refused.clear();
      areFew = again.length * 2 < states.size;
      for (const state of again) want(state);
    }
  };
  void retry();

  return {
    update: (placed) => {
      const names = new Set(placed.map(({ found }) => found.name));
      for (const [name, state] of states) {
        if (names.has(name)) continue;
        leave(state);
        states.delete(name);
      }
      for (const {
        found: { name, url },
      } of placed) {
        const before = states.get(name);
        if (before?.url === url) continue;
        // One that was admitted is the same node at another address.
        const admitted = before?.admitted === true || (before === undefined && known(name)) ? true : undefined;
        const next: State = { url, admitted, since: before?.since ?? now(), told: before?.told ?? false, gone: false };
        if (before !== undefined) leave(before);
        states.set(name, next);
        if (next.admitted === undefined) want(next);
      }
    },
    isAdmitted: (name) => states.get(name)?.admitted,
    untold: () => {
      const found = [...states].filter(([, one]) => one.admitted === false && !one.told && now() - one.since >= patience);
      for (const [, one] of found) one.told = true;
      return found.map(([name]) => name);
    },
  };
};

/** Whatever is not a refusal is a node to be watched. */
export const takesConnections = (url: string, signal: AbortSignal, lookup?: LookupFunction): Promise<boolean> =>
  new Promise((resolve) => {
    const { hostname, port, protocol } = new URL(url);
    const host = hostname.replace(/^\[|\]$/g, '');
    // A signal that net is given keeps each socket for as long as it lives itself (Node.js 20).
    const socket = connect({ host, port: Number(port) || (protocol === 'https:' ? 443 : 80), lookup });
    const end = (answer: boolean): void => {
      signal.removeEventListener('abort', stop);
      resolve(answer);
      socket.destroy();
    };
    const stop = (): void => end(true);
    signal.addEventListener('abort', stop);
    socket.setTimeout(2000, () => end(true));
    socket.on('connect', () => end(true));
    socket.on('error', (error) => end(!('code' in error && error.code === 'ECONNREFUSED')));
  });
