// The interface of all sources: a source delivers its complete list whenever it changes.

import type { LookupFunction } from 'node:net';
import type { Budget } from '../client/budget.ts';
import type { Cluster } from '../kubernetes/exchange.ts';
import type { Log } from '../log.ts';
import type { oneAtATime } from '../pause.ts';
import type { DiscoveredTarget } from './found.ts';
import type { PodBudget } from './kubernetes/pod-budget.ts';

/** Maximum number of targets of all sources together: far more than can be watched. */
export const maxFound = 20_000;

export const tooManyTargets = (count: number): string =>
  `${count} targets are more than ${maxFound}: split the list, or find fewer`;

export const tooManyOfAll = (count: number): string =>
  `all sources together would find ${count} targets, more than ${maxFound}: find fewer`;

/** Maximum size of the texts that all lists are read from. Their labels need several times as much memory. */
export const maxBytesOfAll = 8 * 1024 * 1024;

export const tooLargeOfAll = (bytes: number): string =>
  `all lists together would hold ${bytes} bytes, more than ${maxBytesOfAll}: find fewer, or leave labels out`;

/** A failed source keeps its last list. `bytes`: size of the texts that the list was read from. */
export type SourceUpdate =
  | { readonly kind: 'ok'; readonly found: readonly DiscoveredTarget[]; readonly bytes?: number }
  /** `reason`: one line, without secrets. `found`: the list, if some of its parts could be read. */
  | { readonly kind: 'failed'; readonly reason: string; readonly found?: readonly DiscoveredTarget[]; readonly bytes?: number };

export interface SourceContext {
  /** The list with the previous settings: a part that fails keeps its targets from it. */
  readonly inherited?: readonly DiscoveredTarget[];
  /** Returns false if all lists together would be too large: then the previous list is kept. */
  readonly update: (update: SourceUpdate) => boolean;
  /** Returns why lists of this size would be too large together with those of the other sources. Call it before reading them. */
  readonly tooLarge: (bytes: number) => string | undefined;
  /** Steady clock; seconds. */
  readonly now: () => number;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** Shared by all sources: runs memory-intensive work one at a time. */
  readonly alone: ReturnType<typeof oneAtATime>;
  /** Shared by all sources: large responses are received one at a time. */
  readonly budget: Budget;
  /** Shared by all sources: limits the memory for pods. */
  readonly pods: PodBudget;
  readonly userAgent: string;
  /** Absent: the lookup of Node.js. */
  readonly lookup?: LookupFunction | undefined;
  /** Address and credentials of the API server. */
  readonly cluster: Cluster;
}

/** Seconds until the next refresh: 1 after a failure, and twice as long after each further one. */
export const nextRefresh = (interval: number, failures: number): number =>
  failures === 0 ? interval : Math.min(interval, 2 ** (failures - 1));

/** Resolves after the signal, when everything has ended; rejects on a bug. */
export type RunSource<C> = (config: C, context: SourceContext) => Promise<void>;
