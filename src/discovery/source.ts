// What every source of targets is: something that gives a whole list whenever it changes.

import type { LookupFunction } from 'node:net';
import type { Budget } from '../client/budget.ts';
import type { Cluster } from '../kubernetes/exchange.ts';
import type { Log } from '../log.ts';
import type { oneAtATime } from '../pause.ts';
import type { DiscoveredTarget } from './found.ts';
import type { PodBudget } from './kubernetes/pod-budget.ts';

/** Most that all sources together may find: far more than may be watched. */
export const maxFound = 20_000;

export const tooManyTargets = (count: number): string =>
  `${count} targets are more than ${maxFound}: split the list, or find fewer`;

export const tooManyOfAll = (count: number): string =>
  `all sources together would find ${count} targets, more than ${maxFound}: find fewer`;

/** Bytes of the texts that the lists of all sources together are read from: their labels take several times as much. */
export const maxBytesOfAll = 8 * 1024 * 1024;

export const tooLargeOfAll = (bytes: number): string =>
  `all lists together would hold ${bytes} bytes, more than ${maxBytesOfAll}: find fewer, or leave labels out`;

/** A source that fails has the list that it had. `bytes`: of the texts that the list was read from. */
export type SourceUpdate =
  | { readonly kind: 'ok'; readonly found: readonly DiscoveredTarget[]; readonly bytes?: number }
  /** One line, without a secret. `found`: where parts of the list are known all the same. */
  | { readonly kind: 'failed'; readonly reason: string; readonly found?: readonly DiscoveredTarget[]; readonly bytes?: number };

export interface SourceContext {
  /** What was found with the settings before: a part that fails keeps what is of it. */
  readonly inherited?: readonly DiscoveredTarget[];
  /** False: together with what the other sources found it is too much, and the list before stays. */
  readonly update: (update: SourceUpdate) => boolean;
  /** Why so many bytes of lists are too much together with those of the other sources: to be asked before they are read. */
  readonly tooLarge: (bytes: number) => string | undefined;
  /** Steady clock; seconds. */
  readonly now: () => number;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** Of all sources one at a time does what takes much memory. */
  readonly alone: ReturnType<typeof oneAtATime>;
  /** Of all sources: large responses are received one at a time. */
  readonly budget: Budget;
  /** Of all sources: how much is kept of pods. */
  readonly pods: PodBudget;
  readonly userAgent: string;
  /** Of the process; where it is absent, that of Node.js. */
  readonly lookup?: LookupFunction | undefined;
  /** Address and credentials of the API server. */
  readonly cluster: Cluster;
}

/** Resolves after the signal, when nothing of it is left running; rejects on a fault of our own. */
export type RunSource<C> = (config: C, context: SourceContext) => Promise<void>;
